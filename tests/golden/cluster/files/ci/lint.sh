=14
-1
+if have python3 "nodes/base/*.py, monitoring/gpus.json"; then
=4
-3
+    python3 -m json.tool monitoring/gpus.json >/dev/null
=15
-1
=6
-1
