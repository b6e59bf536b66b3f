"""Base images: their Dockerfiles."""
