=52
-1
=3
-20
=16
-4
+        "version": torch.__version__,
=277
