=17
-1
+MODEL = "transformers-llm"
=229
