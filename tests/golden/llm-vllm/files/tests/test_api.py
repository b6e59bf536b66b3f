=24
-1
+MODEL = "transformers-llm"
=441
