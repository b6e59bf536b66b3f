"""The commands, but for those that have a suite of their own."""
