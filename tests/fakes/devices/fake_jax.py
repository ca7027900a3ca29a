"""Two of three of JAX's processors in the place of CUDA devices. Other processes have the memory of the second one, and
what is not needed of the first one."""
import os


def replace(fault):
    # The platform is read when JAX is loaded, before the adapter asks for others; the flags when devices are asked for.
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"
    import jax
    from jax._src import xla_bridge

    all_devices = jax.devices

    def devices(platform=None):
        if platform != "cuda":
            return all_devices("cpu")
        if fault == "absent":
            raise RuntimeError("Unknown backend: 'cuda' requested")
        takes_all = os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE") != "false"
        if takes_all or xla_bridge.CUDA_VISIBLE_DEVICES.value != "0":
            out_of_memory()
        return all_devices("cpu")[1:]

    def memory_stats(device):
        for array in jax.live_arrays():
            if array.devices() != {device}:
                raise RuntimeError(f"{device} is asked, and {array} lies on another")
        return {"peak_bytes_in_use": 2**20 * device.id}

    jax.devices = devices
    jax.Device.memory_stats = memory_stats
    jax.Device.device_kind = property(lambda device: f"processor {device.id}")
    if fault == "full":
        jax.numpy.asarray = jax.numpy.array = out_of_memory
    if fault == "early":
        jax.block_until_ready = lambda value: value


def out_of_memory(*_arguments, **_settings):
    raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes.")
