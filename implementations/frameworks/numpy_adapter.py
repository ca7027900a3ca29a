"""NumPy: the loops that people write by hand, from a loop over samples to one whose elementwise work and
updates write into arrays that are there."""
from step_writer import GELU_SCALE, InPlaceWriter, LoopWriter, StepWriter
from training import CATALOGUE, Training, record

NAME = "numpy"
MODULES = ("numpy",)
DISTRIBUTIONS = ("numpy",)


def use(module):
    """Makes it what all modes call: NumPy, or one that has its functions."""
    global numpy
    numpy = module


def start(threads):
    import numpy

    use(numpy)
    blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"] if numpy.__version__ >= "1.25" else {}
    build = f"BLAS {blas['name']} {blas['version']}" if blas else "the distribution's BLAS"
    return {"build": build, "threads": f"{threads} by the BLAS's environment variables"}


ACTIVATIONS = {
    "identity": lambda z: z,
    "relu": lambda z: numpy.maximum(z, 0),
    "tanh": lambda z: numpy.tanh(z),
    "sigmoid": lambda z: 1 / (1 + numpy.exp(-z)),
    "leaky_relu": lambda z: numpy.maximum(z, 0.01 * z),
    "silu": lambda z: z / (1 + numpy.exp(-z)),
    "gelu_tanh": lambda z: 0.5 * z * (1 + numpy.tanh(GELU_SCALE * (z + 0.044715 * z**3))),
    "softplus": lambda z: numpy.logaddexp(z, 0),
}


def cross_entropy(logits, labels):
    highest = logits.max(axis=1)
    sums = numpy.log(numpy.exp(logits - highest[:, None]).sum(axis=1)) + highest
    return (sums - logits[numpy.arange(len(labels)), labels]).mean()


def huber(outputs, targets, delta):
    error = numpy.abs(outputs - targets)
    return numpy.where(error <= delta, error**2 / 2, delta * (error - delta / 2)).mean()


LOSSES = {
    "huber": huber,
    "mse": lambda outputs, targets: ((outputs - targets) ** 2).mean(),
    "half_mse": lambda outputs, targets: ((outputs - targets) ** 2).mean() / 2,
    "softmax_cross_entropy": cross_entropy,
    "binary_cross_entropy": lambda outputs, targets: (numpy.logaddexp(0, outputs) - outputs * targets).mean(),
}


class Written(Training):
    """Base of the modes whose loop a StepWriter writes."""

    TASKS = ("train", "update", "floor")
    ACTIVATIONS = ACTIVATIONS
    LOSSES = LOSSES
    OPTIMIZERS = tuple(CATALOGUE["optimizers"])  # step_writer.py has them all
    CAPABILITIES = ("shuffle", "schedule", "weight_decay", "epsilon_place")
    writer = StepWriter
    TAKES_RATES = True

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        writer = self.writer(problem)
        names = self.names(writer)
        self.train = writer.compile(names, scheduled=problem.scheduled)
        self.rates_from = problem.rates_from if problem.scheduled else lambda step: self.rate
        self.train_profiled = writer.compile(names, profiled=True)
        self.tensors = []

    def names(self, writer):
        from time import perf_counter_ns

        names = {name: getattr(numpy, name) for name in self.FUNCTIONS}
        names.update(clock=perf_counter_ns)
        shapes = len(writer.spare) * self.problem.shapes
        names["scratch"] = [numpy.empty(shape, self.problem.dtype) for shape in shapes]
        if self.problem.task == "update":
            names["given"] = self.given
        return names

    FUNCTIONS = "add arange clip divide exp expm1 log1p maximum multiply negative reciprocal sign sqrt tanh".split()

    def set_state(self, parameters, slots):
        self.tensors = [numpy.array(array) for group in (parameters, *slots) for array in group]

    def get_state(self):
        return self.tensors, []

    def steps(self, batches):
        self.tensors = self.train(batches, self.tensors, self.step, self.rates_from(self.step))

    def floor(self):
        tiny = numpy.ones(1, self.problem.dtype)
        return {f"{numpy.__name__}.negative of one number": lambda: numpy.negative(tiny)}

    def profile(self, count):
        if self.problem.scheduled or self.problem.task in ("floor", "forward"):
            return super().profile(count)
        times = [0, 0, 0, 0]
        self.tensors = self.train_profiled(self.batches(count), self.tensors, self.step, self.rate, times)
        self.step += count
        phases = ("data", "forward", "backward", "update")
        return [record(phase, phase, count, time_ns) for phase, time_ns in zip(phases, times) if time_ns]

    def count_dispatches(self):
        """Functions and operators of one step that got an array, counted by arrays that tell."""
        if self.problem.task == "floor":
            return 1
        counted, tensors = [], self.tensors

        class Counting(numpy.ndarray):
            def __array_ufunc__(self, function, method, *inputs, out=(), **options):
                counted.append(function)
                plain = [numpy.asarray(value) if isinstance(value, Counting) else value for value in inputs]
                if out:
                    options["out"] = tuple(value.view(numpy.ndarray) for value in out)
                result = getattr(function, method)(*plain, **options)
                return out[0] if out else result.view(Counting)

        def counting(array):
            return None if array is None else array.view(Counting)

        self.tensors = [counting(array.copy()) for array in tensors]
        self.steps([(counting(x), y) for x, y in self.batches(1)])
        self.tensors = tensors
        return len(counted)


class Loop(Written):
    """A Python loop over the samples; gradients are added up"""

    writer = LoopWriter
    TASKS = ("train",)


class Vectorised(Written):
    """Expressions over whole batches; each makes a new array"""

    TASKS = (*Written.TASKS, "forward")


class InPlace(Written):
    """Elementwise work and updates into arrays that are there"""

    writer = InPlaceWriter


MODES = {"loop": Loop, "vectorised": Vectorised, "inplace": InPlace}
