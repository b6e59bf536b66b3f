-1
=24
-1
=5
-1
=25
-4
+        engines = ("auto", "vllm", "transformers")
+        self._check(self.engine in engines, "engine", f"'{self.engine}' is none of {engines}")
