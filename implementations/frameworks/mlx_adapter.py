"""MLX on the processor: lazy arrays, grad of a function of parameters, evaluated once a step."""
import glob
import os

from step_writer import GradientWriter, SymbolicWriter
from training import ENTRYWISE, Training

NAME = "mlx"
MODULES = ("mlx", "numpy")
DISTRIBUTIONS = ("mlx", "mlx-cpu", "numpy")


def start(threads):
    """A stream computes on a thread of its own, and asks g++ for what it fuses."""
    global mx, nn
    import mlx.core as mx
    import mlx.nn as nn

    mx.set_default_device(mx.cpu)
    folder = os.path.dirname(mx.__file__)
    bundled = glob.glob(os.path.join(folder, os.pardir, "mlx_cpu.libs", "libblas-*.so.*"))
    blas = f"Netlib's reference BLAS of the wheel ({os.path.basename(bundled[0])})" if bundled else "a BLAS elsewhere"
    return {"build": f"{blas}, g++ at run time", "threads": f"{threads} for Python's thread and the stream's"}


# Of 64 bits; MLX 0.32 computes them in 32.
ROUNDED = {"sigmoid", "silu", "gelu", "softplus", "binary_cross_entropy", "softmax_cross_entropy"}


class Arrays(Training):
    """Base of both modes."""

    TASKS = ("train", "update", "floor")
    ACTIVATIONS = {
        "identity": lambda z: z,
        "relu": lambda z: nn.relu(z),
        "tanh": lambda z: nn.tanh(z),
        "sigmoid": lambda z: nn.sigmoid(z),
        "leaky_relu": lambda z: nn.leaky_relu(z),
        "silu": lambda z: nn.silu(z),
        "gelu": lambda z: nn.gelu(z),
        "gelu_tanh": lambda z: nn.gelu_approx(z),
        "softplus": lambda z: nn.softplus(z),
    }
    LOSSES = {
        "huber": lambda outputs, y, delta: nn.losses.huber_loss(outputs, y, delta, reduction="mean"),
        "mse": lambda outputs, y: nn.losses.mse_loss(outputs, y),
        "half_mse": lambda outputs, y: nn.losses.mse_loss(outputs, y) / 2,
        "binary_cross_entropy": lambda outputs, y: nn.losses.binary_cross_entropy(outputs, y),
        "softmax_cross_entropy": lambda outputs, y: nn.losses.cross_entropy(outputs, y, reduction="mean"),
    }
    OPTIMIZERS = ENTRYWISE  # step_writer.py has them all
    CAPABILITIES = ("shuffle", "schedule", "weight_decay", "epsilon_place")

    @classmethod
    def reason_unsupported(cls, problem):
        used = {problem["loss"], *(layer["activation"] for layer in problem["layers"])}
        rounded = problem["dtype"] == "f64" and sorted(used & ROUNDED)
        return f"MLX computes the exponentials of {rounded[0]} in 32 bits, of float64 too" if rounded else ""

    @property
    def dtype(self):
        return mx.float32 if self.problem.dtype == "f4" else mx.float64

    def names(self):
        """What the text of a step refers to."""
        names = {"sqrt": mx.sqrt, "sign": mx.sign, "gradient": mx.grad(self.loss_of), "evaluate": mx.eval}
        return {**names, "given": self.given} if self.problem.task == "update" else names

    def array(self, values):
        # NumPy's float64 would become float32.
        return mx.array(values, self.dtype) if values.dtype == self.problem.dtype else mx.array(values)

    def set_state(self, parameters, slots):
        self.tensors = [self.array(array) for group in (parameters, *slots) for array in group]
        mx.eval(self.tensors)

    def get_state(self):
        return self.tensors, []

    def floor(self):
        tiny = self.array(self.problem.zeros()[0][0])
        return {"mx.negative": lambda: mx.eval(mx.negative(tiny))}


class EvaluatedWriter(GradientWriter):
    """Nothing is computed before it is evaluated: the state at the end of each step, as MLX's documentation has it."""

    def update(self):
        return [*super().update(), f"evaluate({', '.join(self.parameters + self.slots)})"]


class Eager(Arrays):
    """mx.grad of a function of arrays, recorded anew at each step; updates as expressions of arrays"""

    TAKES_RATES = True

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        self.train = EvaluatedWriter(problem).compile(self.names(), scheduled=problem.scheduled)

    def steps(self, batches):
        rate = self.problem.rates_from(self.step) if self.problem.scheduled else self.rate
        self.tensors = self.train(batches, self.tensors, self.step, rate)


class Compile(Arrays):
    """mx.compile of the whole step"""

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        self.traced = 0
        self.compiled = mx.compile(self.step_of)
        if problem.task != "floor":
            self.compile_steps()

    def step_of(self, x, y, tensors, numbers):
        self.traced += 1
        step = SymbolicWriter(self.problem).compile({**self.names(), **numbers})
        return step([(x, y)], tensors, 0, numbers.get("rate", self.problem.rate))

    def numbers(self, step):
        """What differs from step to step, as arrays: a number would be a constant of what is compiled."""
        numbers = self.problem.corrections(step + 1)
        if self.problem.scheduled:
            numbers["rate"] = self.rate
        return {name: mx.array(number, self.dtype) for name, number in numbers.items()}

    def steps(self, batches):
        compiled, evaluate, tensors, numbers = self.compiled, mx.eval, self.tensors, {}
        varies = self.problem.scheduled or self.problem.corrects_moments
        for step, (x, y) in enumerate(batches, self.step):
            if varies:
                numbers = self.numbers(step)
            tensors = compiled(x, y, tensors, numbers)
            evaluate(tensors)
        self.tensors = tensors

    def traces(self):
        return self.traced

    def floor(self):
        tiny = self.array(self.problem.zeros()[0][0])
        compiled = mx.compile(lambda array: -array)
        return {**super().floor(), "compiled negative": lambda: mx.eval(compiled(tiny))}

    def count_dispatches(self):
        return 1


MODES = {"eager": Eager, "compile": Compile}
