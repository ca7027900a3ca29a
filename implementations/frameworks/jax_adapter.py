"""JAX as its documentation teaches it: pure functions of a list of parameters, jax.grad, jax.jit."""
import tempfile

import devices
import jax_ddp
import op_profile
from runner import Unsupported
from step_writer import UpdateWriter
from training import CATALOGUE, LAYER_NORM_EPSILON, PhasedTraining, Training, clock, record

NAME = "jax"
MODULES = ("jax", "numpy")
DISTRIBUTIONS = ("jax", "jaxlib", "numpy")
START_OPTIONS = ("device", "command_buffers")

# JAX has no page-locked memory of NumPy's arrays.
TRANSFER = {**devices.TRANSFER, "choices": ["resident", "pageable"],
            "description": "batches on a device: cut from data that lie there, or NumPy's, copied in each step"}
COMMAND_BUFFERS = {
    "key": "command_buffers", "type": "choice", "default": "default", "choices": ["default", "off", "while"],
    "description": "what XLA captures as CUDA graphs on a device: what it does by default, nothing, or also whole loops",
}
COMMAND_BUFFER_FLAGS = {"off": "--xla_gpu_enable_command_buffer=", "while": "--xla_gpu_enable_command_buffer=+WHILE"}


def start(threads, device="cpu", command_buffers="default"):
    """XLA's pools get as many threads as the process has processors when its client is made; with the flag
    --xla_cpu_multi_thread_eigen=false they go on computing."""
    global jax, jnp
    import os

    if command_buffers != "default":
        if device == "cpu":
            raise Unsupported(f"command_buffers={command_buffers}: XLA captures nothing on the processor")
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {COMMAND_BUFFER_FLAGS[command_buffers]}".strip()
    os.environ["JAX_PLATFORMS"] = "cpu" if device == "cpu" else f"{device},cpu"
    # Else its first worker takes three quarters of the memory of each device, and the next one finds none.
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    runtime = {"build": f"XLA flags {os.environ.get('XLA_FLAGS', 'none')}",
               "threads": f"{threads} in each of XLA's pools"}
    return runtime if device == "cpu" else {**runtime, "device": on_device(device)}


def on_device(device):
    """What the report says of it. Its products of f32 would be of TF32 by default."""
    jax.config.update(f"jax_{device}_visible_devices", "0")  # of those that CUDA shows
    try:
        found = jax.devices(device)
    except RuntimeError as error:
        raise Unsupported(f"JAX finds no {device.upper()} device: {' '.join(str(error).split())}") from error
    jax.config.update("jax_default_device", found[0])
    jax.config.update("jax_default_matmul_precision", "highest")
    return f"{found[0].device_kind}, products of f32 by f32"


stop = jax_ddp.stop


def huber_terms(error, delta):
    return jnp.where(error <= delta, error * error / 2, delta * (error - delta / 2))


def layer_norm(z, scale, shift):
    variance = jnp.var(z, axis=-1, keepdims=True)
    return (z - jnp.mean(z, axis=-1, keepdims=True)) * jax.lax.rsqrt(variance + LAYER_NORM_EPSILON) * scale + shift


class Pure(Training):
    """Base of all modes: the step as a pure function of its state."""

    TASKS = ("train", "update", "floor")
    ACTIVATIONS = {
        "identity": lambda z: z,
        "relu": lambda z: jax.nn.relu(z),
        "tanh": lambda z: jnp.tanh(z),
        "sigmoid": lambda z: jax.nn.sigmoid(z),
        "leaky_relu": lambda z: jax.nn.leaky_relu(z),
        "silu": lambda z: jax.nn.silu(z),
        "gelu": lambda z: jax.nn.gelu(z, approximate=False),
        "gelu_tanh": lambda z: jax.nn.gelu(z, approximate=True),
        "softplus": lambda z: jax.nn.softplus(z),
    }
    LOSSES = {
        "huber": lambda outputs, y, delta: jnp.mean(huber_terms(jnp.abs(outputs - y), delta)),
        "mse": lambda outputs, y: jnp.mean((outputs - y) ** 2),
        "half_mse": lambda outputs, y: jnp.mean((outputs - y) ** 2) / 2,
        "binary_cross_entropy": lambda outputs, y: jnp.mean(jax.nn.softplus(outputs) - outputs * y),
        "softmax_cross_entropy": lambda outputs, y: -jnp.mean(
            jnp.take_along_axis(jax.nn.log_softmax(outputs), y[:, None], axis=1)
        ),
    }
    OPTIMIZERS = tuple(CATALOGUE["optimizers"])  # step_writer.py has them all
    PROFILER = "jax.profiler"
    DTYPES = ("f32", "f64", "bf16")
    CAPABILITIES = ("shuffle", "schedule", "weight_decay", "rounds_results", "epsilon_place", "normalizations")
    OPTIONS = (devices.DEVICE, TRANSFER, COMMAND_BUFFERS)

    def __init__(self, problem, data, options):
        self.device, self.transfer = devices.placement(options, problem)
        super().__init__(problem, data, options)
        self.traced = 0
        self.gradient = jax.grad(self.loss_of)
        functions = {name: getattr(jnp, name) for name in ("maximum", "sign", "sqrt")}
        self.update_of = UpdateWriter(problem).compile(functions)
        self.layers = [
            (layer.bias, layer.normalization == "layer", self.ACTIVATIONS[layer.activation]) for layer in problem.layers
        ]

    def array(self, values):
        """Batches that are cut anew at each step are cut by NumPy, as JAX's tutorials do, and handed to the step, unless
        all data lie on a device."""
        cut_by_numpy = self.data.order is not None if self.device == "cpu" else self.transfer == "pageable"
        return values if self.problem.task != "update" and cut_by_numpy else jnp.asarray(values)

    def wait(self):
        jax.block_until_ready((self.state, self.total))

    def of_device(self):
        used = None if self.device == "cpu" else jax.devices(self.device)[0].memory_stats()
        return {"device_bytes": used["peak_bytes_in_use"]} if used else {}

    def end_phase(self, result):
        if self.device != "cpu":
            jax.block_until_ready((result, self.state))

    def set_state(self, parameters, slots):
        # One flat list, as short as can be: a compiled step's call takes microseconds for each array and each nesting.
        # Steps are counted only for the rules that read them.
        arrays = [jnp.array(array) for group in (parameters, *slots) for array in group]
        counted = [self.step] if self.problem.corrects_moments else []
        if self.problem.optimizer.kind == "nadam":
            counted.append(self.problem.momentum_product(self.step))
        self.state = arrays + [self.counter(value) for value in counted]

    def counter(self, value):
        return jnp.float64(value)

    def get_state(self):
        return self.parts_of(self.state)[0], []

    def parts_of(self, state):
        """Parameters with slots, and what is counted: steps, and nadam's product of momenta, if any."""
        count = len(self.problem.shapes) * (1 + self.problem.slots)
        return state[:count], state[count:]

    def parameters_of(self, state):
        return state[: len(self.problem.shapes)]

    def outputs(self, parameters, x):
        if self.problem.mixed:
            x, parameters = jnp.asarray(x, jnp.bfloat16), [parameter.astype(jnp.bfloat16) for parameter in parameters]
        parameters = iter(parameters)
        for bias, normalizes, activation in self.layers:
            z = x @ next(parameters)
            z = z + next(parameters) if bias else z
            x = activation(layer_norm(z, next(parameters), next(parameters)) if normalizes else z)
        return x.astype(self.problem.dtype) if self.problem.mixed else x

    def loss_of(self, parameters, x, y):
        return self.LOSSES[self.problem.loss](self.outputs(parameters, x), y, *self.problem.loss_constants)

    def batch_loss(self, x, y):
        return self.loss_of(self.parameters_of(self.state), x, y)

    def set_total(self, total):
        self.total = jnp.asarray(total, self.problem.dtype)

    def gradients_of(self, parameters, x, y):
        return self.given if self.problem.task == "update" else self.gradient(parameters, x, y)

    def updated(self, state, gradients, rate):
        tensors, counted = self.parts_of(state)
        if counted:
            step, *products = counted
            counted = [step + 1, *(product * self.problem.momentum_of(step + 1) for product in products)]
        return self.update_of(tensors, gradients, rate, **self.corrections(counted)) + counted

    def corrections(self, counted):
        """Computed in 64 bits: 1 - beta2 of the first steps would keep three digits in 32."""
        numbers = self.problem.corrections(*counted) if counted else {}
        return {name: number.astype(self.problem.dtype) for name, number in numbers.items()}

    def step_of(self, state, x, y, rate):
        self.traced += 1
        return self.updated(state, self.gradients_of(self.parameters_of(state), x, y), rate)

    def loss(self):
        parameters = self.parameters_of(self.at_average(self.parts_of(self.state)[0]))
        return self.loss_of(parameters, jnp.asarray(self.data.x), jnp.asarray(self.data.target))

    def trace_ops(self, count):
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        with tempfile.TemporaryDirectory() as folder:
            jax.profiler.start_trace(folder, profiler_options=options)
            start = clock()
            self.run(count)
            real_ns = clock() - start
            jax.profiler.stop_trace()
            trace = jax.profiler.ProfileData.from_serialized_xspace(op_profile.trace_in(folder))
        threads = [
            [
                op_profile.Event(op_profile.of_instruction(event.name), event.start_ns, event.duration_ns)
                for event in line.events
                if any(name == "hlo_op" for name, _ in event.stats)
            ]
            for plane in trace.planes
            for line in plane.lines
        ]
        return real_ns, op_profile.totals_of(time for thread in threads for time in op_profile.self_times(thread))

    def floor(self):
        tiny = jnp.ones(1, self.problem.dtype)
        return {"jnp.negative of one number": lambda: jnp.negative(tiny).block_until_ready()}


class Eager(PhasedTraining, Pure):
    """Op by op, without jit; grad transforms the loss anew at each step"""

    TASKS = (*Pure.TASKS, "forward")

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.task == "update":
            self.whole_step = lambda x, y: self.update(self.given)

    # What is counted are Python's numbers.
    def counter(self, value):
        return float(value)

    def corrections(self, counted):
        return self.problem.corrections(*counted) if counted else {}

    def forward(self, x, y):
        parameters = self.parameters_of(self.state)
        value, self.pull_back = jax.vjp(lambda parameters: self.loss_of(parameters, x, y), parameters)
        return value

    def backward(self, value):
        return self.pull_back(jnp.ones_like(value))[0]

    def update(self, gradients):
        self.state = self.updated(self.state, gradients, self.rate)

    def floor(self):
        one = jnp.ones((), self.problem.dtype)
        tape = jax.grad(lambda weight: weight * one)
        return {**super().floor(), "grad of one product": lambda: tape(one).block_until_ready()}

    def count_dispatches(self):
        """Primitives of the step as it is traced; what jit encloses counts as one."""
        (batch,) = self.batches(1)
        tensors, counted = self.parts_of(self.state)
        step = jax.make_jaxpr(lambda tensors, x, y: self.step_of(tensors + counted, x, y, self.rate))
        return len(step(tensors, *batch).jaxpr.eqns)


class Jit(Pure):
    """One jitted function per step"""

    TASKS = (*Pure.TASKS, "forward")
    DONATED = ()

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        # A rate that never changes is a constant of the function.
        if problem.scheduled:
            compiled = self.jit(self.step_of)
            self.compiled = lambda state, x, y: compiled(state, x, y, self.rate)
        else:
            self.compiled = self.jit(lambda state, x, y: self.step_of(state, x, y, problem.rate))
        self.compiled_sum = self.jit(self.sum_of)
        if problem.task in ("train", "forward") and problem.has_smaller_batch:
            self.trace_last_batch()

    def jit(self, step):
        return jax.jit(step, donate_argnums=self.DONATED)

    def trace_last_batch(self):
        """The smaller last batch is a shape of its own, which a timed block may be the first to meet."""
        zeros = [jnp.zeros(shape, self.problem.dtype) for shape in self.problem.shapes]
        self.step = self.problem.steps_per_epoch - 1
        self.set_state(zeros, [zeros] * self.problem.slots)
        self.set_total(0.0)
        self.steps(self.batches(1))

    def steps(self, batches):
        step, state = self.compiled, self.state
        for x, y in batches:
            state = step(state, x, y)
        self.state = state

    def sum_of(self, total, parameters, x, y):
        self.traced += 1
        return total + self.loss_of(parameters, x, y)

    def add_up(self, batches):
        step, total, parameters = self.compiled_sum, self.total, self.state
        for x, y in batches:
            total = step(total, parameters, x, y)
        self.total = total

    def traces(self):
        return self.traced

    def floor(self):
        tiny = jnp.ones(1, self.problem.dtype)
        compiled = jax.jit(lambda array: -array)
        return {**super().floor(), "compiled negative of one number": lambda: compiled(tiny).block_until_ready()}

    def count_dispatches(self):
        return 1


class Donate(Jit):
    """One jitted function per step that may write over the state it was given (donate_argnums)"""

    TASKS = Pure.TASKS
    DONATED = (0,)


class Loop(Pure):
    """All steps of a block inside one jitted loop"""

    TASKS = ("train", "update")
    OPTIONS = (devices.DEVICE, COMMAND_BUFFERS)

    @classmethod
    def reason_unsupported(cls, problem):
        smaller = problem["rows"] % problem["batch_rows"] != 0 and not problem.get("drops_last_batch")
        return "a loop inside jit has one shape: the last batch is smaller" if smaller else ""

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        rates = jnp.asarray(problem.optimizer.learning_rates, problem.dtype)
        if problem.task == "train":
            self.x, self.y = jnp.asarray(data.x), jnp.asarray(data.target)
        order = None if data.order is None else jnp.asarray(data.order)

        def batch_of(step):
            if problem.task == "update" or problem.steps_per_epoch == 1 and order is None:
                return (self.x, self.y) if problem.task == "train" else (None, None)
            first = step % problem.steps_per_epoch * problem.batch_rows
            if order is None:
                return [jax.lax.dynamic_slice_in_dim(a, first, problem.batch_rows) for a in (self.x, self.y)]
            epoch = order[step // problem.steps_per_epoch % len(order)]
            rows = jax.lax.dynamic_slice_in_dim(epoch, first, problem.batch_rows)
            return self.x[rows], self.y[rows]

        def body(step, state):
            rate = rates[jnp.minimum(step, len(rates) - 1)] if problem.scheduled else problem.rate
            return self.step_of(state, *batch_of(step), rate)

        self.compiled = jax.jit(lambda state, first, last: jax.lax.fori_loop(first, last, body, state))

    def run(self, count):
        self.state = self.compiled(self.state, self.step, self.step + count)
        self.step += count
        self.wait()

    def traces(self):
        return self.traced

    def profile(self, count):
        start = clock()
        self.run(count)
        return [record("all steps", "other", 1, clock() - start)]


class Ddp(jax_ddp.DataParallel, Jit):
    """One jitted function per step of several processes, its batch divided among them; exchanged by gloo"""

    OPTIONS = ()


MODES = {"eager": Eager, "jit": Jit, "donate": Donate, "loop": Loop, "ddp": Ddp}
