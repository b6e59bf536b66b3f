"""The tests: a folder a suite, and what several suites use in common/."""
