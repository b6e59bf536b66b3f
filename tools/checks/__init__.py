"""The checkers of `make lint` that are ours."""
