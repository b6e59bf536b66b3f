=183
-1
+                    model="transformers-llm",
=14
