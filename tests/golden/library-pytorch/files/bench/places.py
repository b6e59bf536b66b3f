=14
-1
+FRAMEWORK = "torch"
=84
