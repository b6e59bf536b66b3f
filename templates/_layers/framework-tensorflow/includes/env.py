# Before the import: errors and warnings only, and without a driver not even that there is no GPU;
# memory when it is needed, not all of the GPU at once.
_driver = os.access("/proc/driver/nvidia/version", os.R_OK)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1" if _driver else "3")
os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
