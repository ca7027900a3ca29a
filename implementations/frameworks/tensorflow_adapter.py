"""TensorFlow as its guides teach it: variables, GradientTape, tf.function; and the graph and Session of version 1."""
import functools
import itertools

import devices
import tensorflow_ops
import tensorflow_runtime
from runner import choice
from tensorflow_multiworker import MultiWorker
from tensorflow_runtime import PipelinedTraining, TensorFlowTraining
from tensorflow_session import Session
from tensorflow_updates import ByAssignment, ByOptimizer
from training import PhasedTraining

NAME = "tensorflow"
MODULES = ("tensorflow",)
DISTRIBUTIONS = ("tensorflow", "keras", "numpy")
START_OPTIONS = ("device",)


def start(threads, device="cpu"):
    global tf
    runtime = tensorflow_runtime.start(threads, device)
    import tensorflow as tf

    return runtime


stop = tensorflow_runtime.stop


class Variables(TensorFlowTraining):
    """Base of the modes whose parameters are variables."""

    TASKS = ("train", "update", "floor")
    OPTIONS = (devices.DEVICE,)
    compiled = False

    def __init__(self, problem, data, options):
        self.device, _ = devices.placement(options, problem)
        super().__init__(problem, data, options)
        self.tensors = [tf.Variable(tf.zeros(shape, problem.dtype)) for shape in problem.shapes]
        self.prepare_update()

    def set_state(self, parameters, slots):
        for tensor, array in zip(self.tensors, parameters):
            tensor.assign(array)
        self.set_slots(slots)

    def get_state(self):
        return [tensor.numpy() for tensor in self.tensors], self.get_slots()

    def loss_of(self, x, y):
        return self.mean_loss(self.outputs(x, self.tensors), y)

    def batch_loss(self, x, y):
        return self.loss_of(x, y)

    def set_total(self, total):
        self.total = tf.constant(total, self.problem.dtype)

    def loss(self):
        return self.loss_of(tf.constant(self.data.x), tf.constant(self.data.target))


class Recorded(PhasedTraining, Variables):
    """Base of the eager modes."""

    emptiest = "forward and backward of one product"

    def run_between(self, before, after, count):
        for phase in tensorflow_ops.PHASES:
            setattr(self, phase, tensorflow_ops.annotated(phase, getattr(self, phase)))
        real_ns = super().run_between(before, after, count)
        for phase in tensorflow_ops.PHASES:
            delattr(self, phase)
        return real_ns

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.task == "update":
            self.whole_step = lambda x, y: self.update(self.given)

    def forward(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss_of(x, y)
        return tape, loss

    def backward(self, recorded):
        tape, loss = recorded
        return tape.gradient(loss, self.tensors)

    def losses_by_column(self, x, y):
        """L_j of plugin.h for each column j: what it adds to the loss."""
        losses = tf.reduce_mean(tf.square(self.outputs(x, self.tensors) - y), axis=0) / y.shape[1]
        losses = losses if self.problem.loss == "mse" else losses / 2
        return tf.unstack(losses)


class Eager(ByOptimizer, Recorded):
    """GradientTape and a tf.keras optimizer, op by op; a gradient per output takes a new recording each"""

    TASKS = ("train", "update", "gradients", "floor", "forward")
    CAPABILITIES = ("shuffle", "weight_decay", "schedule", "micro_batches", "rounds_results")

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.task == "gradients":
            self.whole_step = self.step_by_column
        elif problem.micro_batches > 1:
            self.whole_step = self.step_in_parts

    def step_in_parts(self, x, y):
        k, rows = self.problem.micro_batches, len(x)
        # As plugin.h has it: the first parts have a row more, empty ones are left out.
        sizes = [rows // k + (part < rows % k) for part in range(min(k, rows))]
        gradients = []
        for size, part_x, part_y in zip(sizes, tf.split(x, sizes), tf.split(y, sizes)):
            with tf.GradientTape() as tape:
                loss = self.loss_of(part_x, part_y) * (size / rows)
            gradients.append(tape.gradient(loss, self.tensors))
        self.update([tf.add_n(parts) for parts in zip(*gradients)])

    def step_by_column(self, x, y):
        gradients = []
        for column in range(y.shape[1]):
            with tf.GradientTape() as tape:
                loss = self.losses_by_column(x, y)[column]
            gradients.append(tape.gradient(loss, self.tensors))
        self.update([tf.add_n(parts) for parts in zip(*gradients)])


class Assign(ByAssignment, Recorded):
    """GradientTape and variable.assign_sub, op by op"""

    CAPABILITIES = (*Recorded.CAPABILITIES, "epsilon_place")


class PersistentTape(ByOptimizer, Recorded):
    """One GradientTape(persistent=True), a gradient per output from it, a tf.keras optimizer"""

    TASKS = ("gradients",)

    def forward(self, x, y):
        with tf.GradientTape(persistent=True) as tape:
            losses = self.losses_by_column(x, y)
        return tape, losses

    def backward(self, recorded):
        tape, losses = recorded
        gradients = [tape.gradient(loss, self.tensors) for loss in losses]
        return [tf.add_n(parts) for parts in zip(*gradients)]


class Compiled(Variables):
    """Base of the modes with the whole step in one tf.function."""

    compiled = True
    jit_compile = False
    emptiest = "tf.function without an op"

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        self.set_total(0.0)
        step = self.sum_of if problem.task == "forward" else self.whole_step
        self.function = tf.function(step, jit_compile=self.jit_compile)
        if problem.task != "floor":
            self.compile_steps()

    def whole_step(self, x, y):
        if self.problem.task == "update":
            return self.update(self.given)
        with tf.GradientTape() as tape:
            loss = self.loss_of(x, y)
        return self.update(tape.gradient(loss, self.tensors))

    def steps(self, batches):
        function = self.function
        for x, y in batches:
            function(x, y)

    def sum_of(self, total, x, y):
        return total + self.loss_of(x, y)

    def add_up(self, batches):
        function, total = self.function, self.total
        for x, y in batches:
            total = function(total, x, y)
        self.total = total

    def traces(self):
        return self.function.experimental_get_tracing_count()


class Function(ByOptimizer, Compiled):
    """One tf.function for a step with a tf.keras optimizer"""

    TASKS = (*Variables.TASKS, "forward")


class FromDataset(PipelinedTraining, Function):
    """As function; batches by a tf.data.Dataset, timed from after its first few"""

    TASKS = ("train",)
    OPTIONS = (choice("prefetch", "on", "off", "whether batches are made ahead, by threads of tf.data"),)
    LEAD = 10  # batches before the clock: the first ones start threads and take several times as long as later ones
    pipeline = None

    def place_data(self):
        super().place_data()
        self.dataset_from = functools.lru_cache(4)(self.batches_from)

    def prefetched(self, batches):
        """Two ahead, and without autotuning, whose threads go on between timed blocks."""
        options = tf.data.Options()
        options.autotune.enabled = False
        return (batches.prefetch(2) if self.options["prefetch"] == "on" else batches).with_options(options)

    def meet(self):
        self.pipeline = iter(self.dataset_from(self.step - self.LEAD))
        for _ in range(self.LEAD):
            next(self.pipeline)

    def batches(self, count):
        if self.pipeline is None:
            self.meet()
        return itertools.islice(self.pipeline, count)

    def timed(self, count):
        block = super().timed(count)
        self.pipeline = None  # or it would go on making batches
        return block


class FunctionAssign(ByAssignment, Compiled):
    """One tf.function for a step with variable.assign_sub"""

    CAPABILITIES = (*Compiled.CAPABILITIES, "epsilon_place")


class Xla(Function):
    """tf.function(jit_compile=True) for a step with a tf.keras optimizer"""

    jit_compile = True
    emptiest = "tf.function(jit_compile=True) without an op"


class XlaAssign(FunctionAssign):
    """tf.function(jit_compile=True) for a step with variable.assign_sub"""

    jit_compile = True
    emptiest = "tf.function(jit_compile=True) without an op"


class FunctionOfRanks(MultiWorker, Function):
    """MultiWorkerMirroredStrategy of several processes; one tf.function for a step with a tf.keras optimizer"""

    OPTIONS = ()


MODES = {
    "eager": Eager,
    "assign": Assign,
    "persistent-tape": PersistentTape,
    "function": Function,
    "dataset": FromDataset,
    "function-assign": FunctionAssign,
    "xla": Xla,
    "xla-assign": XlaAssign,
    "session": Session,
    "multiworker": FunctionOfRanks,
}
