"""autograd (HIPS): NumPy's functions, recorded call by call and played backward; updates are NumPy's expressions.

Its gradients of mean, maximum and where are float64 for every input. Formulas here go without these functions,
so that float32 stays float32.
"""
import numpy_adapter
from numpy_adapter import Written
from step_writer import StepWriter

NAME = "autograd"
MODULES = ("autograd", "numpy")
DISTRIBUTIONS = ("autograd", "numpy")


def start(threads):
    global anp, make_vjp
    runtime = numpy_adapter.start(threads)
    import autograd.numpy as anp
    from autograd import make_vjp

    return {**runtime, "build": "NumPy's " + runtime["build"]}


def mean(values):
    return anp.sum(values) / values.size


def softmax_cross_entropy(logits, labels):
    highest = anp.max(logits, axis=1, keepdims=True)
    sums = anp.log(anp.sum(anp.exp(logits - highest), axis=1, keepdims=True)) + highest
    return (anp.sum(sums) - anp.sum(logits[anp.arange(len(labels)), labels])) / len(labels)


def huber(outputs, targets, delta):
    error = outputs - targets
    clipped = anp.clip(error, -delta, delta)
    return mean(clipped * (error - clipped / 2))


class TapeWriter(StepWriter):
    """value_and_grad's two halves, which can be timed separately."""

    def gradients(self):
        gradients = ", ".join(f"g_{p}" for p in self.parameters)
        return (
            [f"pull_back, value = record([{', '.join(self.parameters)}], x, y)"],
            [f"[{gradients}] = pull_back(ones_like(value))"],
        )


class Tape(Written):
    """A tape of NumPy's functions (make_vjp, of which value_and_grad is made), updates as NumPy expressions"""

    TASKS = ("train", "floor")
    ACTIVATIONS = {
        **numpy_adapter.ACTIVATIONS,
        "relu": lambda z: z * (z > 0),
        "tanh": lambda z: anp.tanh(z),
        "sigmoid": lambda z: 1 / (1 + anp.exp(-z)),
        "leaky_relu": lambda z: 0.01 * z + 0.99 * z * (z > 0),
        "silu": lambda z: z / (1 + anp.exp(-z)),
        "softplus": lambda z: anp.logaddexp(z, 0),
        "gelu_tanh": lambda z: 0.5 * z * (1 + anp.tanh(numpy_adapter.GELU_SCALE * (z + 0.044715 * z**3))),
    }
    LOSSES = {
        "huber": huber,
        "mse": lambda outputs, targets: mean((outputs - targets) ** 2),
        "half_mse": lambda outputs, targets: mean((outputs - targets) ** 2) / 2,
        "softmax_cross_entropy": softmax_cross_entropy,
        "binary_cross_entropy": lambda outputs, targets: mean(anp.logaddexp(0, outputs) - outputs * targets),
    }
    FUNCTIONS = (*Written.FUNCTIONS, "ones_like")
    writer = TapeWriter

    def names(self, writer):
        return {**super().names(writer), "record": make_vjp(self.loss_of)}

    def floor(self):
        record, tiny = make_vjp(lambda weight: weight * tiny), anp.ones(1, self.problem.dtype)

        def tape():
            pull_back, _ = record(tiny)
            pull_back(tiny)

        return {**super().floor(), "forward and backward of one product": tape}

    def count_dispatches(self):
        """Not counted: arrays that count are not those that are recorded"""


MODES = {"tape": Tape}
