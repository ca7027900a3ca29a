"""JAX's processors, of which it has two, in the place of CUDA devices."""
import os


def replace(fault):
    # Read when JAX is loaded, before the adapter asks for other platforms.
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    import jax

    processors = jax.devices("cpu")

    def devices(platform=None):
        if platform == "cuda" and fault == "absent":
            raise RuntimeError("Unknown backend: 'cuda' requested")
        return processors

    def asarray(*_arguments, **_settings):
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes.")

    jax.devices = devices
    if fault == "full":
        jax.numpy.asarray = jax.numpy.array = asarray
    if fault == "early":
        jax.block_until_ready = lambda value: value
