=18
-1
+NAME = "pytorch-service"
=173
