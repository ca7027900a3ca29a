"""CuPy as its documentation teaches it: NumPy's expressions, with cupy in numpy's place, on a CUDA device alone."""
import devices
import numpy_adapter
from runner import Unsupported

NAME = "cupy"
MODULES = ("cupy", "numpy")
DISTRIBUTIONS = ("cupy", "numpy")
START_OPTIONS = ("device",)


def start(threads, device="cuda"):
    global cupy
    import os

    if device == "cpu":
        raise Unsupported("CuPy computes on a CUDA device alone")
    os.environ["CUPY_TF32"] = "0"  # read with the first product
    import cupy

    if not cupy.cuda.is_available():
        raise Unsupported("CuPy finds no CUDA device")
    numpy_adapter.use(cupy)
    version, cublas = cupy.cuda.runtime.runtimeGetVersion(), cupy.cuda.device.get_cublas_handle()
    name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    return {"build": f"cuBLAS {cupy.cuda.cublas.getVersion(cublas)}",
            "threads": f"{threads} of the processor, of which one calls the device",
            "device": f"{name}, CUDA {version // 1000}.{version % 1000 // 10}, products of f32 by f32"}


class Clock(devices.Clock):
    def event(self):
        return cupy.cuda.Event()

    def synchronize(self):
        cupy.cuda.Device().synchronize()

    def milliseconds(self):
        return cupy.cuda.get_elapsed_time(self.first, self.last)

    def most_bytes(self):
        return cupy.get_default_memory_pool().total_bytes()  # it gives nothing back


class Eager(devices.Clocked, numpy_adapter.Vectorised):
    """Expressions over whole batches, kernel by kernel"""

    OPTIONS = ({**devices.DEVICE, "default": "cuda"},)

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        self.device_clock = Clock()

    def array(self, values):
        return cupy.asarray(values)

    def names(self, writer):
        names = super().names(writer)
        read = names["clock"]
        return {**names, "clock": lambda: self.wait() or read()}

    def get_state(self):
        return [cupy.asnumpy(tensor) for tensor in self.tensors], []

    def count_dispatches(self):
        """Not counted: arrays that count are NumPy's"""


MODES = {"eager": Eager}
