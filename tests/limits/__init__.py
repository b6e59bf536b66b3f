"""No input of others takes gigabytes, hours or a false success: the program as a black box."""
