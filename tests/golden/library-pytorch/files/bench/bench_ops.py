=23
-1
+LIBRARY = "pytorch-library"
=108
