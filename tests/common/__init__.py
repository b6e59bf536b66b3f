"""What several suites use: the program under test, schemas, a terminal."""
