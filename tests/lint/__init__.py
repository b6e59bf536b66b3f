"""The checkers of `make lint`."""
