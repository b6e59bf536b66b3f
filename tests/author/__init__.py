"""Tools for those who write catalogs: `tmplgen template`."""
