=8
-6
+from support import STILL, TOP
+
+from pytorch_batch import (
+    backend,
=80
-2
=20
-2
=14
-2
=10
-2
=8
-1
