"""gpu-smoke and `tmplgen doctor`."""
