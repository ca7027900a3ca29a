"""Numba: the loops that people write over NumPy's arrays, compiled by LLVM, all steps of a call in one function."""
import math

import numpy_adapter
from loops_writer import LoopsWriter
from training import ENTRYWISE, Training, clock, record

NAME = "numba"
MODULES = ("numba", "numpy")
DISTRIBUTIONS = ("numba", "llvmlite", "numpy")


def start(threads):
    """Threads are started by the first parallel loop; with one thread there is none."""
    global numba, numpy, parts
    import os

    # Numba's own pool: others need libraries that may be there or not.
    os.environ.update(NUMBA_NUM_THREADS=str(threads), NUMBA_THREADING_LAYER="workqueue")
    import llvmlite.binding
    import numba
    import numpy

    numpy_adapter.start(threads)
    parts = threads
    version = ".".join(map(str, llvmlite.binding.llvm_version_info))
    return {"build": f"LLVM {version}, fastmath off", "threads": f"{threads} of Numba's workqueue"}


class Loops(Training):
    """One njit function of plain loops for all steps; several threads share the rows of a batch by prange"""

    TASKS = ("train", "update", "floor")
    ACTIVATIONS = numpy_adapter.ACTIVATIONS
    LOSSES = numpy_adapter.LOSSES
    OPTIMIZERS = ENTRYWISE
    CAPABILITIES = ("shuffle", "schedule", "weight_decay", "epsilon_place")

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.task == "floor":
            return
        writer = LoopsWriter(problem, data.order is not None, parts)
        gradients = [self.zeros(*shape) for shape in problem.shapes]
        if problem.task == "update":
            for gradient, given in zip(gradients, self.given):
                gradient[0, : len(given)] = given
        scratch = [self.zeros(layer.outputs) for layer in problem.layers for _ in range(4)]
        self.train = numba.njit(writer.compile(self.names()), parallel=parts > 1)
        order = numpy.zeros((1, 1), "u4") if data.order is None else data.order
        target = numpy.zeros((1, 1), problem.dtype) if data.target is None else data.target
        self.before = data.x, target, order, numpy.array(problem.optimizer.learning_rates, problem.dtype)
        self.after = (*gradients, *scratch)
        self.set_state([numpy.zeros(shape, problem.dtype) for shape in problem.shapes] * (1 + problem.slots), [])
        self.run(0)  # compiles

    def zeros(self, rows, *columns):
        """An array of each thread, a cache line apart from the next thread's."""
        apart = -(-64 // (self.problem.dtype.itemsize * math.prod(columns))) if parts > 1 else 0
        return numpy.zeros((parts, rows + apart, *columns), self.problem.dtype)

    def names(self):
        problem = self.problem
        return {
            **{name: getattr(math, name) for name in ("exp", "expm1", "log1p", "sqrt", "tanh")},
            "sign": numpy.sign,
            "maximum": max,
            "clip": numba.njit(lambda value, low, high: min(max(value, low), high)),
            "real": problem.dtype.type,
            "prange": numba.prange,
            "parts": parts,
            "all_rows": problem.rows,
            "batch_rows": problem.batch_rows,
            "steps_per_epoch": problem.steps_per_epoch,
        }

    def place_data(self):
        if self.problem.task == "update":
            super().place_data()

    def set_state(self, parameters, slots):
        self.tensors = [array.copy() for group in (parameters, *slots) for array in group]

    def get_state(self):
        return self.tensors, []

    def run(self, count):
        if self.problem.task == "floor":
            return super().run(count)
        last = self.step + count
        product = self.problem.momentum_product(self.step) if self.problem.optimizer.kind == "nadam" else 1.0
        self.train(*self.before, self.step, last, product, *self.tensors, *self.after)
        self.step = last

    def traces(self):
        return 0 if self.problem.task == "floor" else len(self.train.signatures)

    def floor(self):
        tiny = numpy.ones(1, self.problem.dtype)
        compiled = numba.njit(lambda array: None)
        return {"njit function of one array, without an operation": lambda: compiled(tiny)}

    def profile(self, count):
        if self.problem.task == "floor":
            return super().profile(count)
        start = clock()
        self.run(count)
        return [record("all steps", "update" if self.problem.task == "update" else "other", 1, clock() - start)]


MODES = {"loops": Loops}
