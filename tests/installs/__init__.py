"""What is written really installs: rendered requirements against the package index."""
