=3
-1
+CUDA_INDEX_URL=https://download.pytorch.org/whl/cu132
=3
-1
+GPU_DEVICE=cuda
