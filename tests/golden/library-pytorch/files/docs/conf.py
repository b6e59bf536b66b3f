=4
-1
+project = "pytorch-library"
=5
