-2
+"""Which engine answers: vLLM on a GPU, Transformers elsewhere."""
=19
-1
=4
-2
+    return backend.TransformersEngine(settings, device)
