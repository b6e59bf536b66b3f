def device_index(device: str) -> int:
    """The number of a GPU: the N of cuda:N."""
    return int(device.partition(":")[2] or 0)


def total_memory(device: str) -> int:
    """Bytes of a GPU, as its driver says."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise DeviceError(f"no driver: {error}") from error
    handle, size = ctypes.c_int(), ctypes.c_size_t()
    for status in (
        cuda.cuInit(0),
        cuda.cuDeviceGet(ctypes.byref(handle), device_index(device)),
        cuda.cuDeviceTotalMem_v2(ctypes.byref(size), handle),
    ):
        if status != 0:
            raise DeviceError(f"the driver answers {status}: `make smoke` says why")
    return size.value
