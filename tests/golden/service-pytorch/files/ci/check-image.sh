=25
-1
+            command=$("$engine" inspect --format '{{range .OCIv1.Config.Cmd}}{{.}} {{end}}' "$container")
=33
-1
+            status=$("$engine" inspect --format '{{.State.ExitCode}}' "$container")
=35
