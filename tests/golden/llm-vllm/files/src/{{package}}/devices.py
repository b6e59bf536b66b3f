=12
-5
=18
-1
=16
-4
+        "version": transformers.__version__,
+        "torch": torch.__version__,
=54
