# Before the import: errors and warnings only; memory when it is needed, not all of the GPU at once.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
