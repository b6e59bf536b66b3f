# Take memory when it is needed, not three quarters of the GPU at once.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
