"""`adopt`: a repository that was not made from a template gets one."""
