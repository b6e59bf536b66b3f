=142
-1
+    (folder / "chat_template.jinja").write_text("{{ raise_exception('no system') }}")
=26
