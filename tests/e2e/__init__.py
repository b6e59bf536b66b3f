"""Children and the repository itself, used to the end: set up, run, built into images."""
