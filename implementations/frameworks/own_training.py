"""Trainings by functions of a user's own file (own_file.py): a pure function of arrays, or a loop around a model."""
import inspect
import os
from types import SimpleNamespace

import own_models
from runner import Unsupported
from training import Training


class NoTraining(Exception):
    """What is wrong with what a function of the file returned, and what was expected."""


def limit_threads(threads, modules):
    """Before the file imports anything: by variables that libraries read then."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ["TF_NUM_INTRAOP_THREADS"], os.environ["TF_NUM_INTEROP_THREADS"] = str(threads), "1"
    if "torch" in modules:
        import torch

        torch.set_num_threads(threads)


def runtime(threads, modules):
    """What the report says of what computes."""
    if "torch" in modules:
        import torch
        from pytorch_adapter import build_of

        return {"build": build_of(torch.__config__.show()), "threads": f"{torch.get_num_threads()} within an op"}
    return {"build": "", "threads": f"{threads} by the usual variables"}


def described(problem, threads):
    """A problem as a function of the file gets it."""
    optimizer = {key: value for key, value in vars(problem.optimizer).items() if key != "learning_rates"}
    return SimpleNamespace(
        layers=problem.layers, loss=problem.loss, learning_rate=problem.rate, optimizer=SimpleNamespace(**optimizer),
        rows=problem.rows, batch_rows=problem.batch_rows, dtype=problem.dtype, shapes=problem.shapes, threads=threads)


class OwnTraining(Training):
    """Base of both: batches as arrays of the kind that the function takes."""

    traced = cached = 0

    def __init__(self, marked, function, source, problem, data, options):
        self.marked, self.function, self.source = marked, function, source
        self.prepare(problem)
        super().__init__(problem, data, options)

    def array(self, values):
        return self.arrays.integers(values) if values.dtype.kind == "i" else self.arrays.array(values)

    def take(self, array, indices):
        return self.arrays.take(array, indices)

    def traces(self):
        """Where the step itself is a tf.function or by jax.jit; a cache of jax.jit may have been cleared."""
        step = self.step_of_user
        if hasattr(step, "experimental_get_tracing_count"):
            return step.experimental_get_tracing_count()
        if not hasattr(step, "_cache_size"):
            return None
        before, self.cached = self.cached, step._cache_size()
        self.traced += max(0, self.cached - before)
        return self.traced

    def loss(self):
        raise Unsupported("a file of one's own has no loss of all rows")


class StepFunction(OwnTraining):
    """`function(w0, b0, ..., x, y, learning_rate)` or `function(parameters, x, y, learning_rate)`."""

    def prepare(self, problem):
        self.arrays = own_models.arrays_of(self.source.arrays(self.function.limits), problem.dtype)
        self.step_of_user, taken, shapes = self.marked, self.function.arguments[:-3], problem.shapes
        self.as_one = taken == ["parameters"]
        if not self.as_one and len(taken) != len(shapes):
            names = ", ".join(own_models.names_of(problem))
            raise Unsupported(
                f"takes ({', '.join(self.function.arguments)}); expected ({names}, x, y, learning_rate) or "
                "(parameters, x, y, learning_rate)")

    def call(self, parameters, x, y):
        changed = self.marked(parameters, x, y, self.rate) if self.as_one else self.marked(*parameters, x, y, self.rate)
        return tuple(changed) if isinstance(changed, (tuple, list)) else (changed,)

    def steps(self, batches):
        parameters, call = self.parameters, self.call
        for x, y in batches:
            parameters = call(parameters, x, y)
        self.parameters = parameters

    def wait(self):
        self.arrays.wait(self.parameters)

    def set_state(self, parameters, slots):
        self.parameters = tuple(self.arrays.array(values.copy()) for values in parameters)

    def get_state(self):
        found, names = self.parameters, own_models.names_of(self.problem)
        if len(found) != len(names):
            raise NoTraining(f"returned {len(found)} arrays, expected {len(names)}: {', '.join(names)}")
        values = [own_models.numpy_of(array) for array in found]
        for name, array, shape in zip(names, values, self.problem.shapes):
            own_models.check_array(f"returned {name}", array, shape, self.problem.dtype, NoTraining)
        return values, []


class Loop(OwnTraining):
    """`function(problem)` that returns step, or step, model and optimizer."""

    def prepare(self, problem):
        self.described = described(problem, len(os.sched_getaffinity(0)))
        made = self.marked(self.described)
        step, model, optimizer = (*(made if isinstance(made, (tuple, list)) else (made,)), None, None)[:3]
        if not callable(step):
            raise NoTraining(f"returned {type(step).__name__}, expected step, model and optimizer; step is a function")
        if model is None:
            raise NoTraining("returned no model; expected step, model: without it nothing can be set or verified")
        self.model = own_models.model_of(model, problem)
        self.optimizer = own_models.optimizer_of(optimizer, self.model, problem)
        self.arrays, self.step_of_user = self.model.arrays, step
        names = [parameter for parameter in inspect.signature(step).parameters.values()
                 if parameter.default is inspect.Parameter.empty]
        if len(names) != 2 and not any(name.kind is inspect.Parameter.VAR_POSITIONAL for name in names):
            raise NoTraining(f"step takes {len(names)} arguments, expected 2: x, y")

    def steps(self, batches):
        step = self.step_of_user
        for x, y in batches:
            step(x, y)

    def set_rate(self, rate):
        super().set_rate(rate)
        self.optimizer.set_rate(rate)

    def wait(self):
        self.arrays.wait(self.model.parameters)

    def set_state(self, parameters, slots):
        self.model.write(parameters)
        self.optimizer.write(slots, self.step)

    def get_state(self):
        return self.model.read(), self.optimizer.read()
