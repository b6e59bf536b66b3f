# There is no framework with an index of its own: everything comes from wherever pip takes packages.
# Read by the scripts beside this file.
# shellcheck shell=sh disable=SC2034
CUDA_INDEX_URL=
CPU_INDEX_URL=
