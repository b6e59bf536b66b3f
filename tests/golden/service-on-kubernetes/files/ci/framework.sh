# Where PyTorch's wheels are; empty: wherever pip takes packages from. And the device that programs
# are told to use where there is a GPU. Read by the scripts beside this file.
# shellcheck shell=sh disable=SC2034
CUDA_INDEX_URL=https://download.pytorch.org/whl/cu130
CPU_INDEX_URL=${CPU_INDEX_URL-https://download.pytorch.org/whl/cpu}
GPU_DEVICE=cuda
