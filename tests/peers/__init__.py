"""Updates through tmplgen, copier and cruft, side by side: `make peers`."""
