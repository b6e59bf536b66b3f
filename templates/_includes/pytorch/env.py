# Memory is taken in pieces that grow, so that batches of many sizes do not leave holes.
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
