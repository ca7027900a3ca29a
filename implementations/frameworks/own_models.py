"""Models, optimizers and arrays of a user's own file: where a library keeps parameters and slots, and how they are
set."""
import numpy

from runner import Unsupported

SLOTS_OF_TORCH = {
    "SGD": ("momentum_buffer",), "Adagrad": ("sum",), "RMSprop": ("square_avg",), "Adam": ("exp_avg", "exp_avg_sq"),
    "AdamW": ("exp_avg", "exp_avg_sq"), "NAdam": ("exp_avg", "exp_avg_sq"),
    "RAdam": ("exp_avg", "exp_avg_sq"),
}


class Mismatch(Unsupported):
    """A model or an optimizer that is not that of the scenario: what was found and what was expected."""


def names_of(problem):
    """w0, b0, w1 ... of a problem's parameters."""
    return [name for index, layer in enumerate(problem.layers)
            for name in ([f"w{index}", f"b{index}"] if layer.bias else [f"w{index}"])]


def numpy_of(array):
    """An array of any library as NumPy's."""
    if hasattr(array, "detach"):
        return array.detach().cpu().numpy()
    return numpy.asarray(array.numpy() if hasattr(array, "numpy") else array)


def squeezed(shape):
    return tuple(size for size in shape if size != 1)


def check_array(what, array, shape, dtype, fault=Mismatch):
    """That it has the numbers of a parameter, in the cell's type; raises `fault` where not."""
    if squeezed(array.shape) != squeezed(shape):
        raise fault(f"{what} with the shape {list(array.shape)}, expected {list(shape)}")
    if array.dtype != dtype:
        raise fault(f"{what} as {array.dtype}, expected {dtype}, the scenario's type")


# Arrays: what batches and parameters are made of.
class NumPyArrays:
    def __init__(self, dtype):
        self.dtype = dtype

    def array(self, values):
        return values

    integers = array

    def take(self, array, rows):
        return array[rows]

    def write(self, array, values):
        array[...] = values.reshape(array.shape)

    def wait(self, parameters):
        pass


class TorchArrays(NumPyArrays):
    def __init__(self, dtype):
        super().__init__(dtype)
        import torch

        self.torch, self.device = torch, "cpu"

    def array(self, values):
        return self.torch.from_numpy(numpy.ascontiguousarray(values)).to(self.device)

    def integers(self, values):
        return self.array(values).long()  # what labels and indices have to be

    def write(self, array, values):
        with self.torch.no_grad():
            array.copy_(self.array(values.copy()).reshape(array.shape))

    def wait(self, parameters):
        if self.device != "cpu":
            self.torch.cuda.synchronize()


class JaxArrays(NumPyArrays):
    def __init__(self, dtype):
        super().__init__(dtype)
        import jax

        jax.config.update("jax_enable_x64", dtype == numpy.float64)
        self.jax = jax

    def array(self, values):
        return self.jax.numpy.asarray(values)

    integers = array

    def write(self, array, values):
        raise Mismatch("an array of JAX cannot be changed in place; mark a pure function by @gdbench.step")

    def wait(self, parameters):
        self.jax.block_until_ready(parameters)


class TensorFlowArrays(NumPyArrays):
    def __init__(self, dtype):
        super().__init__(dtype)
        import tensorflow

        self.tensorflow = tensorflow

    def array(self, values):
        return self.tensorflow.constant(values)

    integers = array

    def take(self, array, rows):
        return self.tensorflow.gather(array, rows)

    def write(self, array, values):
        array.assign(values.reshape(array.shape))


ARRAYS = {"numpy": NumPyArrays, "torch": TorchArrays, "jax": JaxArrays, "tensorflow": TensorFlowArrays}


def arrays_of(kind, dtype):
    if kind not in ARRAYS:
        raise Mismatch(f'arrays: found "{kind}", expected one of {", ".join(ARRAYS)}')
    return ARRAYS[kind](dtype)


def kind_of(array):
    """Which of ARRAYS an array is of."""
    library = type(array).__module__.split(".")[0]
    return {"jaxlib": "jax", "keras": "tensorflow"}.get(library, library)


class Model:
    """Parameters in the harness's order, with whether each is kept transposed."""

    def __init__(self, named, transposed, problem):
        names = names_of(problem)
        if len(named) != len(names):
            raise Mismatch(f"the model has {len(named)} parameters ({', '.join(name for name, _ in named)}), expected "
                           f"{len(names)}: {', '.join(names)}")
        self.parameters = [parameter for _, parameter in named]
        self.arrays = arrays_of(kind_of(self.parameters[0]), problem.dtype)
        if isinstance(self.arrays, TorchArrays):
            self.arrays.device = self.parameters[0].device.type
        self.shapes, self.transposed = problem.shapes, []
        for (own, parameter), name, shape in zip(named, names, problem.shapes):
            values = numpy_of(parameter)
            swapped = own in transposed or (values.shape != shape and values.shape == shape[::-1] and 1 not in shape)
            check_array(f"the model has {own} for {name}", values.T if swapped else values, shape, problem.dtype)
            self.transposed.append(swapped)

    def write_all(self, targets, arrays):
        for target, array, swapped in zip(targets, arrays, self.transposed):
            self.arrays.write(target, array.T if swapped else array)

    def read_all(self, arrays):
        return [numpy_of(array).T if swapped else numpy_of(array) for array, swapped in zip(arrays, self.transposed)]

    def write(self, values):
        self.write_all(self.parameters, values)
        if isinstance(self.arrays, TorchArrays):
            for parameter in self.parameters:
                parameter.grad = None  # as before a first step

    def read(self):
        return self.read_all(self.parameters)


def model_of(model, problem):
    """Of what a function of the file returned as its model."""
    if hasattr(model, "named_parameters"):
        import torch

        linear = {f"{name}.weight" if name else "weight" for name, module in model.named_modules()
                  if isinstance(module, torch.nn.Linear)}
        return Model(list(model.named_parameters()), linear, problem)
    if hasattr(model, "trainable_variables"):
        variables = model.trainable_variables
        return Model([(getattr(one, "path", one.name), one) for one in variables], (), problem)
    if isinstance(model, dict):
        return Model(list(model.items()), (), problem)
    if isinstance(model, (list, tuple)) and model:
        return Model([(f"parameter {index}", one) for index, one in enumerate(model)], (), problem)
    raise Mismatch(f"found a model of the type {type(model).__name__}, expected a torch.nn.Module, a keras.Model, or a "
                   "list of arrays that the step changes in place")


# Optimizers.
class PlainDescent:
    """No optimizer: the rate is the problem's, which a function has read once."""

    def __init__(self, problem):
        kind = problem.optimizer.kind
        if kind != "sgd" or problem.scheduled:
            what = f"the optimizer {kind}" if kind != "sgd" else "a schedule of the learning rate"
            raise Mismatch(f"returned no optimizer, expected one as the scenario has {what}")

    def set_rate(self, rate):
        pass

    def write(self, slots, step):
        pass

    def read(self):
        return []


class Slots(PlainDescent):
    """Of a loop that keeps them itself: [slot][parameter], and the number of updates so far."""

    def __init__(self, given, model, problem):
        self.model, self.count = model, None
        if isinstance(given, dict):
            given = dict(given)
            self.count, given = given.pop("step", None), list(given.values())
        self.slots = [list(slot) for slot in given]
        if len(self.slots) != problem.slots:
            raise Mismatch(f"returned {len(self.slots)} slots, expected {problem.slots} of {problem.optimizer.kind}")

    def write(self, slots, step):
        for own, arrays in zip(self.slots, slots):
            self.model.write_all(own, arrays)
        if self.count is not None:
            self.count[...] = step

    def read(self):
        return [self.model.read_all(slot) for slot in self.slots]


class TorchOptimizer:
    def __init__(self, optimizer, model, problem):
        self.optimizer, self.model, self.problem = optimizer, model, problem
        self.kind, settings = type(optimizer).__name__, problem.optimizer
        if self.kind not in SLOTS_OF_TORCH:
            raise Mismatch(f"found torch's {self.kind}, expected one of {', '.join(SLOTS_OF_TORCH)}")
        self.slots = SLOTS_OF_TORCH[self.kind][: problem.slots]
        known = {id(one) for group in optimizer.param_groups for one in group["params"]}
        if known != {id(one) for one in model.parameters}:
            count = len(model.parameters)
            raise Mismatch(f"found an optimizer of {len(known)} parameters that are not the model's {count}")
        self.check(self.of_scenario(settings))

    def of_scenario(self, settings):
        """The class of torch.optim and its settings that follow the scenario's rule."""
        betas = {"betas": (settings.beta1, settings.beta2), "eps": settings.epsilon}
        rules = {
            "sgd": ("SGD", {"momentum": 0}),
            "momentum": ("SGD", {"momentum": settings.momentum, "nesterov": False}),
            "nesterov": ("SGD", {"momentum": settings.momentum, "nesterov": True}),
            "adagrad": ("Adagrad", {"eps": settings.epsilon}),
            "rmsprop": ("RMSprop", {"alpha": settings.rho, "eps": settings.epsilon}),
            "adam": ("Adam", betas),
            "adamw": ("AdamW", betas),
            "nadam": ("NAdam", {**betas, "momentum_decay": settings.momentum_decay}),
            "radam": ("RAdam", betas),
        }
        if settings.kind == "muon":
            raise Mismatch("torch.optim.Muon computes its iteration in bfloat16, expected one in the scenario's dtype")
        if settings.kind not in rules:
            raise Mismatch(f"torch.optim has no {settings.kind}")
        name, expected = rules[settings.kind]
        return name, {"lr": self.problem.rate, "weight_decay": settings.weight_decay, **expected}

    def check(self, rule):
        name, expected = rule
        if self.kind != name:
            kind = self.problem.optimizer.kind
            raise Mismatch(f"found torch.optim.{self.kind}, expected {name} as the scenario has {kind}")
        for key, value in expected.items():
            found = self.optimizer.param_groups[0][key]
            if found != value:
                raise Mismatch(f"found torch.optim.{name} with {key}={found}, expected {value} as in the scenario")

    def set_rate(self, rate):
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def write(self, slots, step):
        torch = self.model.arrays.torch
        for index, parameter in enumerate(self.model.parameters):
            state = {}
            for name, arrays in zip(self.slots, slots):
                array = arrays[index].T if self.model.transposed[index] else arrays[index]
                state[name] = self.model.arrays.array(array.copy()).reshape(parameter.shape)
            if self.kind != "SGD":
                state["step"] = torch.tensor(float(step))
            if self.kind == "NAdam":
                state["mu_product"] = torch.tensor(self.problem.momentum_product(step), dtype=torch.float64)
            self.optimizer.state[parameter] = state

    def read(self):
        states = [self.optimizer.state[parameter] for parameter in self.model.parameters]
        return [self.model.read_all([state[name] for state in states]) for name in self.slots]


class KerasOptimizer:
    def __init__(self, optimizer, model, problem):
        import keras_optimizers

        self.rules, self.optimizer, self.problem = keras_optimizers, optimizer, problem
        settings, kind = problem.optimizer, type(optimizer).__name__
        expected = self.rules.NAMES.get(settings.kind)
        if not expected:
            raise Mismatch(f"Keras has no {settings.kind}")
        if kind != expected:
            raise Mismatch(f"found Keras's {kind}, expected {expected} as the scenario has {settings.kind}")
        rate = float(optimizer.learning_rate)
        if abs(rate - problem.rate) > 1e-6 * problem.rate:
            raise Mismatch(f"found Keras's {kind} with learning_rate={rate:g}, expected {problem.rate:g}")
        optimizer.build(model.parameters)

    def set_rate(self, rate):
        self.optimizer.learning_rate.assign(rate)

    def write(self, slots, step):
        self.rules.set_state(self.optimizer, self.problem, step, slots)

    def read(self):
        return self.rules.get_state(self.optimizer, self.problem)


def optimizer_of(optimizer, model, problem):
    """Of what a function of the file returned as its optimizer."""
    if optimizer is None:
        return PlainDescent(problem)
    if hasattr(optimizer, "param_groups"):
        return TorchOptimizer(optimizer, model, problem)
    if hasattr(optimizer, "apply_gradients"):
        return KerasOptimizer(optimizer, model, problem)
    if isinstance(optimizer, (list, tuple, dict)):
        return Slots(optimizer, model, problem)
    raise Mismatch(f"found an optimizer of the type {type(optimizer).__name__}, expected one of torch or Keras, or a "
                   "list of slots")
