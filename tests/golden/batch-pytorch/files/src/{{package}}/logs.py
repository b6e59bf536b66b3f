=5
-8
+import sys
=10
-16
