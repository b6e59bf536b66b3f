=3
-3
+CUDA_INDEX_URL=https://download.pytorch.org/whl/cu132
+CPU_INDEX_URL=${CPU_INDEX_URL-https://download.pytorch.org/whl/cpu}
+GPU_DEVICE=cuda
