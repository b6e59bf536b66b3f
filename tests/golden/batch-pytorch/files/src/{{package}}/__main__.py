=71
-1
+    from . import tracking, train
=13
-3
=264
