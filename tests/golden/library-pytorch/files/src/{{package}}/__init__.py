=10
-1
+__version__ = version("pytorch-library")
=3
