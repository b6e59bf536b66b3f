"""The scripts of tools/."""
