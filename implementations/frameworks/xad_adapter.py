"""XAD: scalars that a tape of C++ records, here as the entries of NumPy's arrays; updates are NumPy's expressions.

XAD's documentation writes loops over scalars. They take as long as NumPy's expressions of arrays of objects, which
make the same calls: about 1 us and 70 bytes of tape for a product and its sum.
"""
import numpy_adapter
from autograd_adapter import TapeWriter
from numpy_adapter import Written

NAME = "xad"
MODULES = ("xad", "numpy")
DISTRIBUTIONS = ("xad", "numpy")
MOST_PRODUCTS = 1_000_000  # of a step, which then takes a second


def start(threads):
    global numpy, tape, reals_of, derivatives_of, erf
    numpy_adapter.start(threads)
    import numpy
    import xad.math
    from xad.adj_1st import Real, Tape

    # NumPy calls an entry's method of a function's name; XAD has functions.
    for name in ("exp", "log", "log1p", "tanh"):
        setattr(Real, name, lambda real, function=getattr(xad.math, name): function(real))
    tape = Tape()
    tape.activate()
    reals_of = numpy.frompyfunc(Real, 1, 1)
    derivatives_of = numpy.frompyfunc(Real.getDerivative, 1, 1)
    erf = numpy.frompyfunc(xad.math.erf, 1, 1)
    return {"build": "scalars of float64", "threads": f"{threads} allowed, one used"}


def softplus(z):
    return numpy.maximum(z, 0) + numpy.log1p(numpy.exp(-abs(z)))


def make_vjp(function):
    """As autograd's: records a function of a list of arrays and of constants, and plays it backward."""

    def record(arrays, *constants):
        tape.clearAll()
        inputs = [reals_of(array) for array in arrays]
        for reals in inputs:
            tape.registerInputs(reals.flat)
        tape.newRecording()
        value = function(inputs, *constants)

        def pull_back(derivative):
            tape.registerOutput(value)
            value.derivative = derivative
            tape.computeAdjoints()
            return [derivatives_of(reals).astype("f8") for reals in inputs]

        return pull_back, value

    return record


class Adjoint(Written):
    """A tape of scalars of float64 (xad.adj_1st), entries of NumPy's arrays of objects; updates as NumPy expressions"""

    TASKS = ("train", "floor")
    DTYPES = ("f64",)
    ACTIVATIONS = {
        **numpy_adapter.ACTIVATIONS,
        "gelu": lambda z: 0.5 * z * (1 + erf(z * 0.5**0.5)),
        "softplus": softplus,
    }
    LOSSES = {
        **numpy_adapter.LOSSES,
        "binary_cross_entropy": lambda outputs, targets: (softplus(outputs) - outputs * targets).mean(),
    }
    writer = TapeWriter

    @classmethod
    def reason_unsupported(cls, problem):
        products = problem["batch_rows"] * sum(layer["inputs"] * layer["outputs"] for layer in problem["layers"])
        reason = f"a step of {products} products takes XAD seconds: at most {MOST_PRODUCTS} are tried"
        return reason if products > MOST_PRODUCTS else ""

    def names(self, writer):
        return {**super().names(writer), "record": make_vjp(self.loss_of), "ones_like": lambda value: 1.0}

    def floor(self):
        record, tiny = make_vjp(lambda weights: weights[0][0] * 1.0), [numpy.ones(1)]

        def product():
            pull_back, _ = record(tiny)
            pull_back(1.0)

        return {**super().floor(), "forward and backward of one product": product}

    def count_dispatches(self):
        """Not counted: arrays that count see NumPy's calls, and none of XAD's"""


MODES = {"adjoint": Adjoint}
