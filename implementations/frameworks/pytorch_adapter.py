"""PyTorch as its tutorials teach it: nn.Sequential, a loss module, torch.optim."""
import re

import op_profile
import pytorch_ddp
import pytorch_ops
from training import CATALOGUE, LAYER_NORM_EPSILON, PhasedTraining, clock

NAME = "pytorch"
MODULES = ("torch", "numpy")
DISTRIBUTIONS = ("torch", "numpy")


def start(threads):
    global torch
    import torch

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    build = build_of(torch.__config__.show())
    return {"build": build, "threads": f"{torch.get_num_threads()} within an op, 1 between ops"}


def build_of(configuration):
    """What decides the speed: its libraries and instructions, and how products of bfloat16 are computed here."""
    parts = {
        "BLAS": r"BLAS_INFO=(\w+)",
        "MKL": r"Math Kernel Library Version ([\d.]+)",
        "oneDNN": r"MKL-DNN (v[\d.]+)",
        "instructions": r"CPU capability usage: (\w+)",
    }
    found = {name: re.search(pattern, configuration) for name, pattern in parts.items()}
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as information:
        flags = set(information.read().split())
    native = next((flag for flag in ("amx_bf16", "avx512_bf16", "bf16") if flag in flags), "")
    products = f"by {native}" if native else "emulated: this processor has no instructions for them"
    libraries = [f"{name} {match[1]}" for name, match in found.items() if match]
    return ", ".join([*libraries, f"products of bf16 {products}"])


class Modules(PhasedTraining):
    """Base of all modes: modules, a loss function, an optimizer."""

    TASKS = ("train", "update", "gradients", "floor")
    DTYPES = ("f32", "f64", "bf16", "f16")
    CAPABILITIES = ("shuffle", "weight_decay", "schedule", "micro_batches", "rounds_results", "normalizations",
                    "flush_denormals")
    # Of torch.nn, with what they are made with.
    MODULES = {
        "relu": ("ReLU", {}),
        "tanh": ("Tanh", {}),
        "sigmoid": ("Sigmoid", {}),
        "leaky_relu": ("LeakyReLU", {}),
        "silu": ("SiLU", {}),
        "gelu": ("GELU", {}),
        "gelu_tanh": ("GELU", {"approximate": "tanh"}),
        "softplus": ("Softplus", {"threshold": 40}),  # beyond 20, that of torch, float64 shows what is left out
    }
    ACTIVATIONS = ("identity", *MODULES)
    LOSSES = ("mse", "half_mse", "softmax_cross_entropy", "binary_cross_entropy", "huber")
    SLOT_NAMES = {
        "sgd": (),
        "momentum": ("momentum_buffer",),
        "nesterov": ("momentum_buffer",),
        "adagrad": ("sum",),
        "rmsprop": ("square_avg",),
        "adam": ("exp_avg", "exp_avg_sq"),
        "adamw": ("exp_avg", "exp_avg_sq"),
        "nadam": ("exp_avg", "exp_avg_sq"),
        "radam": ("exp_avg", "exp_avg_sq"),
    }
    OPTIMIZERS = tuple(SLOT_NAMES)
    PROFILER = "torch.profiler"
    optimizer_settings = {}  # on a processor that is one parameter at a time

    @classmethod
    def load(cls):
        torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))])  # the first optimizer imports torch._dynamo

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        torch.set_flush_denormal(problem.flushes_denormals)
        self.dtype = torch.float32 if problem.dtype == "f4" else torch.float64
        if problem.task == "update":
            self.tensors = [torch.nn.Parameter(torch.empty(shape, dtype=self.dtype)) for shape in problem.shapes]
            for parameter, gradient in zip(self.tensors, self.given):
                parameter.grad = gradient
        else:
            self.model = self.make_model()
            self.tensors = list(self.model.parameters())
            self.loss_function = self.make_loss()
        self.optimizer = self.make_optimizer()
        self.skipped = 0
        self.loss_of = self.loss_by_autocast if problem.mixed else self.loss_in_dtype
        self.narrow = {"bf16": torch.bfloat16, "f16": torch.float16}.get(problem.mixed)
        if problem.scales_loss:
            self.scaler = torch.amp.GradScaler("cpu", growth_interval=problem.scale_growth_interval)
            self.updates = 0
            self.optimizer.register_step_post_hook(self.count_update)

    def loss_in_dtype(self, x, y):
        return self.loss_function(self.model(x), y)

    def loss_by_autocast(self, x, y):
        with torch.autocast("cpu", self.narrow):
            return self.loss_function(self.model(x), y)

    def count_update(self, *_):
        self.updates += 1

    def set_loss_scaling(self, scale, updates, skipped):
        state = {"scale": scale, "_growth_tracker": int(updates)}
        self.scaler.load_state_dict({**self.scaler.state_dict(), **state})
        self.skipped, self.updates = int(skipped), self.step - int(skipped)

    def get_loss_scaling(self):
        state = self.scaler.state_dict()
        return state["scale"], state["_growth_tracker"], self.step - self.updates

    @classmethod
    def reason_unsupported(cls, problem):
        optimizer = problem["optimizer"]
        always = CATALOGUE["optimizers"][optimizer["kind"]]["always_decoupled"]
        offered = always or optimizer["kind"] in ("nadam", "radam")
        if optimizer["kind"] == "nesterov" and optimizer["momentum"] == 0:
            return "torch.optim.SGD has no Nesterov momentum of 0"
        decoupled = optimizer["weight_decay"] and optimizer["decoupled_weight_decay"] and not offered
        return f"torch.optim has no decoupled weight decay for {optimizer['kind']}" if decoupled else ""

    def array(self, values):
        return torch.from_numpy(values)

    def make_model(self):
        modules = []
        for layer in self.problem.layers:
            modules.append(torch.nn.Linear(layer.inputs, layer.outputs, bias=layer.bias, dtype=self.dtype))
            if layer.normalization == "layer":
                modules.append(torch.nn.LayerNorm(layer.outputs, LAYER_NORM_EPSILON, dtype=self.dtype))
            if layer.activation != "identity":
                name, settings = self.MODULES[layer.activation]
                modules.append(getattr(torch.nn, name)(**settings))
        return torch.nn.Sequential(*modules)

    def make_loss(self):
        if self.problem.loss == "softmax_cross_entropy":
            cross_entropy = torch.nn.CrossEntropyLoss()
            # The harness's labels are 32-bit, PyTorch wants 64: converted once.
            self.convert_labels()
            return cross_entropy
        mean = torch.nn.MSELoss()
        return {
            "mse": mean,
            "half_mse": lambda outputs, targets: mean(outputs, targets) / 2,
            "binary_cross_entropy": torch.nn.BCEWithLogitsLoss(),
            "huber": torch.nn.HuberLoss(delta=self.problem.huber_delta),
        }[self.problem.loss]

    def convert_labels(self):
        if self.data.order is None:
            self.ready = [(x, y.long()) for x, y in self.ready]
        else:
            self.y = self.y.long()

    def make_optimizer(self):
        settings, optim = self.problem.optimizer, torch.optim
        shared = {"lr": self.problem.rate, "weight_decay": settings.weight_decay, **self.optimizer_settings}
        betas = {"betas": (settings.beta1, settings.beta2), "eps": settings.epsilon}
        make = {
            "sgd": lambda: optim.SGD(self.tensors, **shared),
            "momentum": lambda: optim.SGD(self.tensors, momentum=settings.momentum, **shared),
            "nesterov": lambda: optim.SGD(self.tensors, momentum=settings.momentum, nesterov=True, **shared),
            "adagrad": lambda: optim.Adagrad(self.tensors, eps=settings.epsilon, **shared),
            "rmsprop": lambda: optim.RMSprop(self.tensors, alpha=settings.rho, eps=settings.epsilon, **shared),
            "adam": lambda: optim.Adam(self.tensors, **betas, **shared),
            "adamw": lambda: optim.AdamW(self.tensors, **betas, **shared),
            "nadam": lambda: optim.NAdam(
                self.tensors,
                **betas,
                **shared,
                momentum_decay=settings.momentum_decay,
                decoupled_weight_decay=self.problem.decoupled,
            ),
            "radam": lambda: optim.RAdam(
                self.tensors, **betas, **shared, decoupled_weight_decay=self.problem.decoupled
            ),
        }
        return make[settings.kind]()

    def set_rate(self, rate):
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    # nn.Linear keeps its weights [outputs, inputs].
    def own(self, array):
        transposed = array.T if array.ndim == 2 and self.problem.task != "update" else array
        return torch.from_numpy(transposed.copy())

    def harness(self, tensor):
        array = tensor.detach().numpy()
        return array.T if array.ndim == 2 and self.problem.task != "update" else array

    def set_state(self, parameters, slots):
        with torch.no_grad():
            for tensor, array in zip(self.tensors, parameters):
                tensor.copy_(self.own(array))
        for index, tensor in enumerate(self.tensors):
            state = {name: self.own(slot[index]) for name, slot in zip(self.SLOT_NAMES[self.kind], slots)}
            updates = self.step - self.skipped
            if self.kind not in ("sgd", "momentum", "nesterov"):
                state["step"] = torch.tensor(float(updates))
            if self.kind == "nadam":
                state["mu_product"] = torch.tensor(self.problem.momentum_product(updates), dtype=torch.float64)
            self.optimizer.state[tensor] = state

    def get_state(self):
        slots = [
            [self.harness(self.optimizer.state[tensor][name]) for tensor in self.tensors]
            for name in self.SLOT_NAMES[self.kind]
        ]
        return [self.harness(tensor) for tensor in self.tensors], slots

    @property
    def kind(self):
        return self.problem.optimizer.kind

    def loss(self):
        with torch.no_grad():
            target = torch.from_numpy(self.data.target)
            target = target.long() if self.data.labels else target
            return self.loss_of(torch.from_numpy(self.data.x), target)

    def floor(self):
        tiny, weight = torch.ones(1), torch.ones(1, requires_grad=True)

        def tape():
            (weight * tiny).backward()
            weight.grad = None

        return {"torch.neg of one number": lambda: torch.neg(tiny), "forward and backward of one product": tape}

    def trace_ops(self, count):
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU]) as profiled:
            start = clock()
            self.run(count)
            real_ns = clock() - start
        times = pytorch_ops.self_times(profiled.events(), max(1, len(self.problem.layers)))
        return real_ns, op_profile.totals_of(times)

    def count_dispatches(self):
        from torch.utils._python_dispatch import TorchDispatchMode

        counted = []

        class Counting(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                counted.append(function)
                return function(*args, **(kwargs or {}))

        with Counting():
            self.steps(self.batches(1))
        self.step += 1
        return len(counted)


class Eager(Modules):
    """Op by op, autograd, torch.optim one parameter at a time"""

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.scales_loss:
            self.backward, self.update = self.backward_scaled, self.update_scaled
        if problem.task == "update":
            self.whole_step = lambda x, y: self.optimizer.step()
        elif problem.task == "gradients":
            self.forward, self.backward = self.forward_outputs, self.backward_by_column
        elif problem.micro_batches > 1:
            self.whole_step = self.step_in_parts

    def forward(self, x, y):
        self.optimizer.zero_grad()
        return self.loss_of(x, y)

    def backward(self, loss):
        loss.backward()

    def update(self, _):
        self.optimizer.step()

    def backward_scaled(self, loss):
        self.scaler.scale(loss).backward()

    def update_scaled(self, _):
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def forward_outputs(self, x, y):
        self.optimizer.zero_grad()
        return self.model(x), y

    def backward_by_column(self, recorded):
        """A gradient per output from one recording; .grad adds them up (GDBENCH_TASK_GRADIENTS of plugin.h)."""
        outputs, y = recorded
        columns = torch.eye(outputs.shape[1], dtype=outputs.dtype)
        for mask in columns:
            self.loss_function(outputs * mask, y * mask).backward(retain_graph=True)

    def step_in_parts(self, x, y):
        self.optimizer.zero_grad()
        for part_x, part_y in zip(self.micro_batches_of(x), self.micro_batches_of(y)):
            self.backward(self.loss_of(part_x, part_y) * (len(part_x) / len(x)))
        self.update(None)

    def micro_batches_of(self, array):
        """The first rows mod k parts have a row more; empty ones are left out."""
        return [part for part in torch.tensor_split(array, self.problem.micro_batches) if len(part)]


class Fused(Eager):
    """As eager, with the optimizer's fused kernels, or foreach where it has none"""

    def make_optimizer(self):
        self.optimizer_settings = {"foreach": True} if self.kind in ("rmsprop", "nadam", "radam") else {"fused": True}
        return super().make_optimizer()


class Foreach(Eager):
    """As eager, with foreach=True: an optimizer's operation is one call for all parameters"""

    optimizer_settings = {"foreach": True}


class Loader(Eager):
    """As eager; batches by a DataLoader of a TensorDataset in this process, which takes and stacks row by row"""

    TASKS = ("train",)

    def place_data(self):
        data = self.data
        self.x, self.y = self.array(data.x), self.array(data.target)
        epochs = [range(self.problem.rows)] if data.order is None else data.order
        # Of each epoch the rows of each batch, as a BatchSampler has them.
        self.epochs = [[list(map(int, rows[a : a + n])) for a, n in self.problem.epoch] for rows in epochs]
        self.left = []  # batches of the epoch that was begun

    def convert_labels(self):
        self.y = self.y.long()

    def __iter__(self):
        return iter(self.left)

    def __len__(self):
        return len(self.left)

    def batches(self, count):
        rows = torch.utils.data.TensorDataset(self.x, self.y)
        loader = torch.utils.data.DataLoader(rows, batch_sampler=self)
        step = self.step
        while count > 0:
            epoch, first = divmod(step, self.problem.steps_per_epoch)
            self.left = self.epochs[epoch % len(self.epochs)][first : first + count]
            step, count = step + len(self.left), count - len(self.left)
            yield from loader


class CompiledModel(Eager):
    """torch.compile of the model; loss and optimizer as in eager"""

    TASKS = ("train", "floor")

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.task == "train":
            self.compile_steps()

    def make_model(self):
        return torch.compile(super().make_model())

    def traces(self):
        from torch._dynamo.utils import counters

        return counters["stats"]["unique_graphs"]

    def floor(self):
        tiny = torch.ones(1)
        compiled = torch.compile(torch.neg)
        return {**super().floor(), "compiled negative of one number": lambda: compiled(tiny)}

    def count_dispatches(self):
        """Not counted: what counts would be compiled too"""


class CompiledStep(CompiledModel):
    """torch.compile of one function for the whole step: model, loss, backward and torch.optim's update"""

    CAPABILITIES = ("shuffle", "weight_decay", "rounds_results", "normalizations")

    def __init__(self, problem, data, options):
        self.whole_step = torch.compile(self.step_of)
        super().__init__(problem, data, options)

    def make_model(self):
        return Eager.make_model(self)

    def step_of(self, x, y):
        self.update(self.backward(self.forward(x, y)))


class Ddp(pytorch_ddp.DataParallel, Eager):
    """DistributedDataParallel of several processes, by gloo; the rest as in eager"""


MODES = {"eager": Eager, "fused": Fused, "foreach": Foreach, "dataloader": Loader,
         "compile-model": CompiledModel, "compile-step": CompiledStep, "ddp": Ddp}
