"""tinygrad on the processor: nn.optim and a TinyJit of the whole step, as its documentation teaches it."""
import os
import shutil

from training import Training

NAME = "tinygrad"
MODULES = ("tinygrad", "numpy")
DISTRIBUTIONS = ("tinygrad", "numpy")


def start(threads):
    """Its kernels are compiled by clang."""
    global tinygrad, Tensor, helpers
    os.environ.update(DEV="CPU", NUM_CPU_THREADS=str(threads), PARALLEL="0")  # compiled by this process
    import tinygrad
    from tinygrad import Tensor, helpers

    helpers.TRAINING.value = 1
    renderer = type(tinygrad.Device["CPU"].renderer).__name__
    return {"build": f"{renderer}, clang at run time, no BLAS", "threads": f"{threads} by NUM_CPU_THREADS"}


def huber(outputs, y, delta):
    error = (outputs - y).abs()
    return (error <= delta).where(error * error / 2, delta * (error - delta / 2)).mean()


class Jit(Training):
    """A TinyJit of loss, backward and the step of nn.optim.SGD"""

    ACTIVATIONS = {
        "identity": lambda z: z,
        "relu": lambda z: z.relu(),
        "tanh": lambda z: z.tanh(),
        "sigmoid": lambda z: z.sigmoid(),
        "leaky_relu": lambda z: z.leaky_relu(0.01),
        "silu": lambda z: z.silu(),
        "gelu_tanh": lambda z: z.gelu(),
        "softplus": lambda z: z.softplus(),
    }
    LOSSES = {
        "huber": huber,
        "mse": lambda outputs, y: (outputs - y).square().mean(),
        "half_mse": lambda outputs, y: (outputs - y).square().mean() / 2,
        "binary_cross_entropy": lambda outputs, y: outputs.binary_crossentropy_logits(y),
        "softmax_cross_entropy": lambda outputs, y: outputs.sparse_categorical_crossentropy(y),
    }
    OPTIMIZERS = ("sgd", "momentum", "nesterov", "adam", "adamw")
    CAPABILITIES = ("shuffle", "schedule", "weight_decay")

    @classmethod
    def reason_unsupported(cls, problem):
        settings = problem["optimizer"]
        if not shutil.which(os.environ.get("CC", "clang")):
            return "tinygrad compiles with clang, which is not installed: apt-get install clang"
        if settings["kind"] in ("adam", "adamw"):
            return "tinygrad's Adam keeps the powers of its betas in 32 bits, of which 1 is taken"
        if settings["weight_decay"] and settings["decoupled_weight_decay"]:
            return "tinygrad's SGD has no decoupled weight decay"
        if settings["kind"] != "sgd" and not settings["momentum"]:
            return "tinygrad's SGD has no velocity where the momentum is 0"
        return ""

    def __init__(self, problem, data, options):
        # Of constants, of the learning rate and of slots.
        helpers.DEFAULT_FLOAT.value = os.environ["OPTIM_DTYPE"] = problem.dtype.name
        super().__init__(problem, data, options)
        if problem.task == "floor":
            return
        self.tensors = [Tensor(array).realize().is_param_(True) for array in problem.zeros()[0]]
        settings = problem.optimizer
        self.optimizer = tinygrad.nn.optim.SGD(
            self.tensors,
            lr=problem.rate,
            momentum=0.0 if settings.kind == "sgd" else settings.momentum,
            nesterov=settings.kind == "nesterov",
            weight_decay=settings.weight_decay,
        )
        # One for each shape of a batch; the first two calls record, so three of each are made ahead.
        self.jitted = {len(x): tinygrad.TinyJit(self.step_of) for x, _ in self.batches(problem.steps_per_epoch)}
        for _ in range(3):
            self.compile_steps()

    def array(self, values):
        return values if self.data.order is not None else Tensor(values).realize()

    def take(self, array, indices):
        return Tensor(array[indices]).realize()

    def wait(self):
        tinygrad.Device["CPU"].synchronize()

    def set_rate(self, rate):
        self.optimizer.lr.assign(Tensor([rate])).realize()

    def step_of(self, x, y):
        self.optimizer.zero_grad()
        self.loss_of(self.tensors, x, y).backward()
        self.optimizer.step()

    def steps(self, batches):
        jitted = self.jitted
        for x, y in batches:
            jitted[len(x)](x, y)

    def set_state(self, parameters, slots):
        if self.problem.task == "floor":
            return
        for tensors, arrays in zip((self.tensors, self.optimizer.b), (parameters, *slots)):
            for tensor, array in zip(tensors, arrays):
                tensor.assign(Tensor(array.copy())).realize()

    def get_state(self):
        if self.problem.task == "floor":
            return [], []
        return [tensor.numpy() for tensor in self.tensors + self.optimizer.b], []

    def loss(self):
        return self.loss_of(self.tensors, Tensor(self.data.x), Tensor(self.data.target)).item()

    def floor(self):
        tiny, jitted = Tensor([1.0]).realize(), tinygrad.TinyJit(lambda tensor: (-tensor).realize())
        for _ in range(3):
            jitted(tiny)

        def negative():
            jitted(tiny)
            self.wait()

        return {"TinyJit of one negative": negative}

    def count_dispatches(self):
        return 1


MODES = {"jit": Jit}
