=11
-5
=18
-1
=16
-4
+        "version": torch.__version__,
=54
