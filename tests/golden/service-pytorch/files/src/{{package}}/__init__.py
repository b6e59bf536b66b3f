-3
+"""An inference service."""
+
=7
-2
+__version__ = "0.1.0"
