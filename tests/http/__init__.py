"""What is fetched over HTTP."""
