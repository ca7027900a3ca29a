"""SciPy's BLAS: products by gemm, updates by axpy, everything else NumPy in place."""
import numpy_adapter
from numpy_adapter import Written
from step_writer import InPlaceWriter

NAME = "scipy"
MODULES = ("numpy", "scipy")
DISTRIBUTIONS = ("scipy", "numpy")


def start(threads):
    global blas
    runtime = numpy_adapter.start(threads)
    from scipy.linalg import blas

    return {**runtime, "build": "scipy.linalg.blas; NumPy's " + runtime["build"]}


class GemmWriter(InPlaceWriter):
    """gemm works on columns: it gets the transposes, which lie in memory just so, and nothing is copied."""

    updates = {
        "sgd": "axpy({g}.ravel(), {p}.ravel(), a=-rate)",
        "momentum": "{m} *= momentum\naxpy({g}.ravel(), {m}.ravel())\naxpy({m}.ravel(), {p}.ravel(), a=-rate)",
        "nesterov": """{m} *= momentum
axpy({g}.ravel(), {m}.ravel())
axpy({g}.ravel(), {p}.ravel(), a=-rate)
axpy({m}.ravel(), {p}.ravel(), a=-rate * momentum)""",
    }

    def affine(self, z, inputs, weight, bias):
        return f"{z} = gemm(1, {weight}.T, {inputs}.T).T" + (f"\n{z} += {bias}" if bias else "")

    def weight_gradient(self, weight, inputs):
        return f"g_{weight} = gemm(1, d.T, {inputs}.T, trans_b=True).T"

    def propagated(self, weight):
        return f"gemm(1, {weight}.T, d.T, trans_a=True).T"


class Blas(Written):
    """Products by gemm, updates by axpy, the rest NumPy in place"""

    writer = GemmWriter
    OPTIMIZERS = ("sgd", "momentum", "nesterov")

    def names(self, writer):
        gemm, axpy = blas.get_blas_funcs(("gemm", "axpy"), dtype=self.problem.dtype)
        return {**super().names(writer), "gemm": gemm, "axpy": axpy}

    def floor(self):
        import numpy

        tiny = numpy.ones(1, self.problem.dtype)
        axpy = blas.get_blas_funcs("axpy", dtype=self.problem.dtype)
        return {**super().floor(), "axpy of one number": lambda: axpy(tiny, tiny, a=0.0)}

    def count_dispatches(self):
        """Arrays that count are copied by gemm: its calls are not seen"""


MODES = {"blas": Blas}
