"""PyTensor: a graph of expressions, its symbolic gradient, shared variables; compiled by Numba, as is its default."""
from step_writer import SymbolicWriter
from training import ENTRYWISE, Training

NAME = "pytensor"
MODULES = ("pytensor", "scipy", "numpy")
DISTRIBUTIONS = ("pytensor", "numba", "scipy", "numpy")


def start(threads):
    global pytensor, pt
    import pytensor
    import pytensor.tensor as pt

    import scipy

    linker = type(pytensor.compile.mode.get_default_mode().linker).__name__
    blas = scipy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    build = f"{linker}, fastmath {pytensor.config.numba__fastmath}, SciPy's BLAS {blas['name']} {blas['version']}"
    return {"build": build, "threads": f"{threads} by the BLAS's environment variables"}


def huber(outputs, y, delta):
    error = pt.abs(outputs - y)
    return pt.switch(error <= delta, error**2 / 2, delta * (error - delta / 2)).mean()


class Function(Training):
    """One pytensor.function for a step, which updates shared variables"""

    TASKS = ("train", "update", "floor")
    ACTIVATIONS = {
        "identity": lambda z: z,
        "relu": lambda z: pt.maximum(z, 0),
        "tanh": lambda z: pt.tanh(z),
        "sigmoid": lambda z: pt.sigmoid(z),
        "leaky_relu": lambda z: pt.maximum(z, 0.01 * z),
        "silu": lambda z: z * pt.sigmoid(z),
        "softplus": lambda z: pt.softplus(z),
        "gelu": lambda z: z * (1 + pt.erf(z / 2**0.5)) / 2,
        "gelu_tanh": lambda z: 0.5 * z * (1 + pt.tanh((2 / 3.141592653589793) ** 0.5 * (z + 0.044715 * z**3))),
    }
    LOSSES = {
        "huber": huber,
        "mse": lambda outputs, y: ((outputs - y) ** 2).mean(),
        "half_mse": lambda outputs, y: ((outputs - y) ** 2).mean() / 2,
        "binary_cross_entropy": lambda outputs, y: (pt.softplus(outputs) - outputs * y).mean(),
        "softmax_cross_entropy": lambda outputs, y: -pt.special.log_softmax(outputs, axis=1)[
            pt.arange(y.shape[0]), y
        ].mean(),
    }
    OPTIMIZERS = ENTRYWISE  # step_writer.py has them all
    CAPABILITIES = ("shuffle", "schedule", "weight_decay", "epsilon_place")

    def __init__(self, problem, data, options):
        # Of constants: others would make what they meet as wide as they are.
        with pytensor.config.change_flags(floatX=problem.dtype.name):
            super().__init__(problem, data, options)
            self.tensors = [pytensor.shared(array) for group in problem.zeros() for array in group]
            if problem.task != "floor":
                self.make_function()
                self.compile_steps()

    def make_function(self):
        problem = self.problem
        x, y = pt.matrix("x"), pt.ivector("y") if self.data.labels else pt.matrix("y")
        rate = pt.scalar("rate") if problem.scheduled else problem.rate
        numbers = {name: pt.scalar(name) for name in problem.corrections(1)}
        names = {"sqrt": pt.sqrt, "sign": pt.sign, "gradient": self.gradient}
        if problem.task == "update":
            names["given"] = [pytensor.shared(array) for array in self.given]
        step = SymbolicWriter(problem).compile({**names, **numbers})
        updated = step([(x, y)], self.tensors, 0, rate)
        inputs = [] if problem.task == "update" else [x, y]
        inputs += ([rate] if problem.scheduled else []) + list(numbers.values())
        updates = list(zip(self.tensors, updated))
        self.function = pytensor.function(inputs, [], updates=updates, allow_input_downcast=True)
        if problem.task == "train":
            self.loss_function = pytensor.function([x, y], self.loss_of(self.tensors, x, y))

    def gradient(self, parameters, x, y):
        return pytensor.grad(self.loss_of(parameters, x, y), parameters)

    def set_state(self, parameters, slots):
        for tensor, array in zip(self.tensors, [*parameters, *(array for slot in slots for array in slot)]):
            tensor.set_value(array)

    def get_state(self):
        return [tensor.get_value(borrow=True) for tensor in self.tensors], []

    def steps(self, batches):
        function, problem, step = self.function, self.problem, self.step
        rate = [self.rate] if problem.scheduled else []
        if problem.task == "update":
            batches = (() for _ in batches)
        if not problem.corrects_moments:
            for batch in batches:
                function(*batch, *rate)
            return
        for batch in batches:
            step += 1
            function(*batch, *rate, *problem.corrections(step).values())

    def loss(self):
        return self.loss_function(self.data.x, self.data.target)

    def traces(self):
        return 0  # everything is compiled in prepare

    def floor(self):
        return {"function without an expression": pytensor.function([], [])}

    def count_dispatches(self):
        return 1


MODES = {"function": Function}
