"""What children are, whatever was asked for."""
