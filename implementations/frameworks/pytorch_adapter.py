"""PyTorch as its tutorials teach it: nn.Sequential, a loss module, torch.optim."""
import re

import devices
import op_profile
import pytorch_ddp
import pytorch_ops
import pytorch_optimizers
from runner import Unsupported, choice
from training import LAYER_NORM_EPSILON, PhasedTraining, clock

NAME = "pytorch"
MODULES = ("torch", "numpy")
DISTRIBUTIONS = ("torch", "numpy")
START_OPTIONS = ("device",)

CUDA_GRAPH = choice("cuda_graph", "off", "step", "whether a whole step is captured once, as a CUDA graph, and replayed")


def start(threads, device="cpu"):
    global torch, pytorch_device
    import torch

    import pytorch_device

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    build = build_of(torch.__config__.show())
    runtime = {"build": build, "threads": f"{torch.get_num_threads()} within an op, 1 between ops"}
    return runtime if device == "cpu" else {**runtime, "device": pytorch_device.describe()}


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


class Modules(devices.Clocked, PhasedTraining):
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
    OPTIMIZERS = tuple(pytorch_optimizers.SLOT_NAMES)
    PROFILER = "torch.profiler"
    OPTIONS = (devices.DEVICE, devices.TRANSFER)
    optimizer_settings = {}  # on a processor that is one parameter at a time, on a device foreach
    captured = False  # whether tensors keep their places

    @classmethod
    def load(cls):
        torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))])  # the first optimizer imports torch._dynamo

    def __init__(self, problem, data, options):
        device, self.transfer = devices.placement(options, problem)
        self.device = torch.device(device)
        self.device_clock = None if device == "cpu" else pytorch_device.Clock()
        super().__init__(problem, data, options)
        torch.set_flush_denormal(problem.flushes_denormals)
        self.dtype = torch.float32 if problem.dtype == "f4" else torch.float64
        self.placed = {"dtype": self.dtype, "device": self.device}
        if problem.task == "update":
            self.tensors = [torch.nn.Parameter(torch.empty(shape, **self.placed)) for shape in problem.shapes]
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
            self.scaler = torch.amp.GradScaler(device, growth_interval=problem.scale_growth_interval)
            self.updates = 0
            self.optimizer.register_step_post_hook(self.count_update)

    def loss_in_dtype(self, x, y):
        return self.loss_function(self.model(x), y)

    def loss_by_autocast(self, x, y):
        with torch.autocast(self.device.type, self.narrow):
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
        return pytorch_optimizers.reason_unsupported(problem["optimizer"])

    def array(self, values):
        return self.place(torch.from_numpy(values))

    def place(self, tensor):
        """Where batches are cut from it."""
        if self.transfer == "resident":
            return tensor.to(self.device)
        return tensor.pin_memory() if self.transfer == "pinned" else tensor

    def batches(self, count):
        batches = super().batches(count)
        if self.transfer == "resident":
            return batches
        return ((self.copied(x), self.copied(y)) for x, y in batches)

    def copied(self, tensor):
        """As DataLoader(pin_memory=True) has it, where memory is pinned."""
        if self.transfer == "pageable":
            return tensor.to(self.device)
        pinned = tensor if tensor.is_pinned() else tensor.pin_memory()
        return pinned.to(self.device, non_blocking=True)

    def make_model(self):
        modules = []
        for layer in self.problem.layers:
            modules.append(torch.nn.Linear(layer.inputs, layer.outputs, bias=layer.bias, **self.placed))
            if layer.normalization == "layer":
                modules.append(torch.nn.LayerNorm(layer.outputs, LAYER_NORM_EPSILON, **self.placed))
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
            self.ready = [(x, self.place(y.long())) for x, y in self.ready]
        else:
            self.y = self.place(self.y.long())

    def make_optimizer(self):
        return pytorch_optimizers.make(self.problem, self.tensors, self.optimizer_settings)

    def set_rate(self, rate):
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    # nn.Linear keeps its weights [outputs, inputs].
    def own(self, array):
        transposed = array.T if array.ndim == 2 and self.problem.task != "update" else array
        return torch.from_numpy(transposed.copy()).to(self.device)

    def harness(self, tensor):
        array = tensor.detach().cpu().numpy()
        return array.T if array.ndim == 2 and self.problem.task != "update" else array

    def set_state(self, parameters, slots):
        with torch.no_grad():
            for tensor, array in zip(self.tensors, parameters):
                tensor.copy_(self.own(array))
        for index, tensor in enumerate(self.tensors):
            state = {name: self.own(slot[index]) for name, slot in zip(self.slot_names, slots)}
            updates = self.step - self.skipped
            # Where torch.optim has them.
            settings = self.optimizer.defaults
            counts = self.device if settings.get("fused") or settings.get("capturable") else torch.device("cpu")
            if self.kind not in ("sgd", "momentum", "nesterov"):
                state["step"] = torch.tensor(float(updates), device=counts)
            if self.kind == "nadam":
                product = self.problem.momentum_product(updates)
                state["mu_product"] = torch.tensor(product, dtype=torch.float64, device=counts)
            self.set_slots(tensor, state)

    def set_slots(self, tensor, state):
        held = self.optimizer.state[tensor]
        if not self.captured or not held:
            self.optimizer.state[tensor] = state
            return
        for name, value in state.items():
            held[name].copy_(value)

    def get_state(self):
        slots = [
            [self.harness(self.optimizer.state[tensor][name]) for tensor in self.tensors]
            for name in self.slot_names
        ]
        return [self.harness(tensor) for tensor in self.tensors], slots

    @property
    def kind(self):
        return self.problem.optimizer.kind

    @property
    def slot_names(self):
        return pytorch_optimizers.SLOT_NAMES[self.kind]

    def loss(self):
        with torch.no_grad():
            x, target = (torch.from_numpy(array).to(self.device) for array in (self.data.x, self.data.target))
            return self.loss_of(x, target.long() if self.data.labels else target)

    def floor(self):
        tiny, weight = torch.ones(1, device=self.device), torch.ones(1, device=self.device, requires_grad=True)

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
    """Op by op, autograd, torch.optim one parameter at a time, on a device foreach"""

    TASKS = (*Modules.TASKS, "forward")
    OPTIONS = (*Modules.OPTIONS, CUDA_GRAPH)
    # Rules that count their updates on the device.
    CAPTURABLE = ("adam", "adamw", "nadam", "radam", "rmsprop")

    def __init__(self, problem, data, options):
        captures = options.get("cuda_graph", "off") == "step"
        if captures and (options["device"] == "cpu" or problem.task != "train"):
            raise Unsupported("cuda_graph=step: only steps of the task train are captured, with device=cuda")
        if captures and problem.optimizer.kind in self.CAPTURABLE:
            self.optimizer_settings = {**self.optimizer_settings, "capturable": True}
        super().__init__(problem, data, options)
        if problem.scales_loss:
            self.backward, self.update = self.backward_scaled, self.update_scaled
        if problem.task == "update":
            self.whole_step = lambda x, y: self.optimizer.step()
        elif problem.task == "gradients":
            self.forward, self.backward = self.forward_outputs, self.backward_by_column
        elif problem.micro_batches > 1:
            self.whole_step = self.step_in_parts
        if captures:
            self.captured = True
            self.whole_step = pytorch_device.CapturedStep(self, self.whole_step or self.one_step)

    def one_step(self, x, y):
        self.update(self.backward(self.forward(x, y)))

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
        columns = torch.eye(outputs.shape[1], dtype=outputs.dtype, device=self.device)
        for mask in columns:
            self.loss_function(outputs * mask, y * mask).backward(retain_graph=True)

    def batch_loss(self, x, y):
        return self.loss_of(x, y)

    def set_total(self, total):
        self.total = torch.tensor(total, **self.placed)

    def add_up(self, batches):
        with torch.no_grad():
            super().add_up(batches)

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

    TASKS = Modules.TASKS

    def make_optimizer(self):
        has_kernels = self.kind not in ("rmsprop", "nadam", "radam")
        self.optimizer_settings = {**self.optimizer_settings, "fused" if has_kernels else "foreach": True}
        try:
            return super().make_optimizer()
        except RuntimeError as error:
            raise Unsupported(f"torch.optim: {error}") from error


class Foreach(Eager):
    """As eager, with foreach=True: an optimizer's operation is one call for all parameters"""

    TASKS = Modules.TASKS
    OPTIONS = Modules.OPTIONS

    optimizer_settings = {"foreach": True}


class Loader(Eager):
    """As eager; batches by a DataLoader of a TensorDataset in this process, which takes and stacks row by row"""

    TASKS = ("train",)
    OPTIONS = ()

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

    TASKS = ("train", "floor", "forward")
    OPTIONS = Modules.OPTIONS

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.task != "floor":
            self.compile_steps()

    def make_model(self):
        return torch.compile(super().make_model())

    def traces(self):
        from torch._dynamo.utils import counters

        return counters["stats"]["unique_graphs"]

    def floor(self):
        tiny = torch.ones(1, device=self.device)
        compiled = torch.compile(torch.neg)
        return {**super().floor(), "compiled negative of one number": lambda: compiled(tiny)}

    def count_dispatches(self):
        """Not counted: what counts would be compiled too"""


class CompiledStep(CompiledModel):
    """torch.compile of one function for the whole step: model, loss, backward and torch.optim's update"""

    TASKS = ("train", "floor")
    CAPABILITIES = ("shuffle", "weight_decay", "rounds_results", "normalizations")

    def __init__(self, problem, data, options):
        self.whole_step = torch.compile(self.step_of)
        super().__init__(problem, data, options)

    def make_model(self):
        return Eager.make_model(self)

    step_of = Eager.one_step


class Ddp(pytorch_ddp.DataParallel, Eager):
    """DistributedDataParallel of several processes, by gloo; the rest as in eager"""

    OPTIONS = ()


MODES = {"eager": Eager, "fused": Fused, "foreach": Foreach, "dataloader": Loader,
         "compile-model": CompiledModel, "compile-step": CompiledStep, "ddp": Ddp}
