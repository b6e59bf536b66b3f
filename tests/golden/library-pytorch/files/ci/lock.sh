-1
=4
-1
+# Usage: ci/lock.sh [cpu|cuda]...   both unless told
=48
-1
+            --python-version 3.11 --python-platform x86_64-unknown-linux-gnu \
=32
-1
+[ $# -gt 0 ] || set -- cpu cuda
=8
