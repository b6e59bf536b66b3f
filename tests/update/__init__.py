"""`update`, `status` and `diff`."""
