"""Releases of the built-in catalog."""
