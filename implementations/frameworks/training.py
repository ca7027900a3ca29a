"""What trainings of all frameworks share: batches in the harness's order, the clock, phases. Nothing here needs a
framework, so that a worker can be asked what it offers in milliseconds."""
import itertools
import json
import math
import os
import time

# What harness/abi/catalogue.h knows of dtypes, activations, losses and optimizers.
with open(os.path.join(os.path.dirname(__file__), "catalogue.json"), encoding="utf-8") as file:
    CATALOGUE = json.load(file)
# Optimizers that move every entry of a parameter by itself, where gradients are taken and losses evaluated alike.
ENTRYWISE = tuple(kind for kind, row in CATALOGUE["optimizers"].items() if kind != "muon" and not row["averages"])

LAYER_NORM_EPSILON = 1e-5  # GDBENCH_LAYER_NORM_EPSILON of plugin.h


def clock():
    return time.perf_counter_ns()


def processor_ns():
    """Processor time of all threads so far, without what this reading takes. What a thread on another processor uses,
    Linux books at its ticks, milliseconds apart, which is too late for a block, or when it is asked for that thread."""
    own = time.thread_time_ns()
    for thread in os.listdir("/proc/self/task"):
        try:
            time.clock_gettime_ns(~int(thread) << 3 | 6)  # as pthread_getcpuclockid makes them
        except OSError:
            pass  # it has ended
    return time.process_time_ns() - (time.thread_time_ns() - own)


def nanoseconds_per_call(function, least_ns=2_000_000):
    """Nanoseconds of one call of a function without arguments: the least of five rounds of at least `least_ns`."""
    calls = 1
    while True:
        best = None
        for _ in range(5):
            start = clock()
            for _ in itertools.repeat(None, calls):
                function()
            elapsed = clock() - start
            best = elapsed if best is None else min(best, elapsed)
        if best >= least_ns:
            return best / calls
        calls = max(2 * calls, int(calls * least_ns / max(best, 1) * 1.2))


class Training:
    """Base of all modes. A mode says what it can do, builds itself in __init__, and has set_state, get_state, loss and
    either steps(batches), which trains on (x, y) after (x, y), or run(steps). With the task forward in TASKS it has
    loss_of for batches, or add_up(batches)."""

    TASKS = ("train", "floor")
    # With "bf16" and "f16" by the framework's own rules, which are the capability "rounds_results". With "f16" a mode
    # also has set_loss_scaling(scale, updates, skipped), called before set_state, and get_loss_scaling.
    DTYPES = ("f32", "f64")
    ACTIVATIONS = ()
    LOSSES = ()
    OPTIMIZERS = ()
    CAPABILITIES = ("shuffle", "schedule")
    EPSILON_PLACES = {}  # {optimizer: its one place}, without the capability "epsilon_place"; of others "outside"
    OPTIONS = ()
    TAKES_RATES = False  # whether steps has the rates of a schedule by itself; else each step has set_rate first
    EXCHANGE = ""  # what ranks exchange gradients by, for the report
    PROFILER = ""  # the framework's own, if trace_ops is there

    def __init__(self, problem, data, options):
        self.problem, self.data, self.options = problem, data, options
        self.step, self.rate, self.parts = 0, problem.rate, None
        self.total = 0.0  # of the task forward
        if problem.task == "forward":
            self.steps = self.add_up
        self.place_data()

    @classmethod
    def reason_unsupported(cls, problem):
        """Why a problem (as in the request) cannot be trained; empty where it can. Asked before the import."""
        return ""

    @classmethod
    def load(cls):
        """Loads what the framework would load when the mode first uses it, such as with its first optimizer. Called
        once, after start and within the time of the import."""

    # What a framework may replace.
    def array(self, values):
        """The framework's array of a NumPy array, sharing its memory where it can."""
        return values

    def take(self, array, indices):
        return array[indices]

    def wait(self):
        """Until everything that was asked for is done."""

    def begin(self):
        """Called at a block's start, once its clock runs."""

    def of_device(self):
        """Of the block that ended, {"device_ns": ...} by the clock of the device that computed it, and {"device_bytes":
        ...}, the most of its memory so far; what is not known is left out."""
        return {}

    def end_phase(self, result):
        """Called at the end of each phase of a profiled step with what it returned, at which a device may still be."""

    def set_rate(self, rate):
        """The learning rate of the next step; called where a schedule changes it."""
        self.rate = rate

    def traces(self):
        """How often anything was traced or compiled so far; None where nothing ever is."""

    def floor(self):
        """{name: function}: the least the framework does, the mode's own emptiest step last."""
        return {}

    def count_dispatches(self):
        """Operations that a step hands to the framework one by one; None where that is not known."""

    def trace_ops(self, count):
        """Nanoseconds of `count` steps under PROFILER, and of these {(phase, op, layer): (calls, nanoseconds)}; the layer
        is None where it is not known."""

    def compile_steps(self):
        """A step for each shape of a batch, so that no timed block is the first to meet one; a state is set after it."""
        parameters, *slots = self.problem.zeros()
        self.step = self.problem.steps_per_epoch - 1
        self.set_state(parameters, slots)
        self.run(min(2, self.problem.steps_per_epoch))

    # Where arrays have NumPy's operators, and ACTIVATIONS and LOSSES are the framework's functions.
    def loss_of(self, parameters, x, y):
        """The loss of a batch; parameters w0 b0 w1 b1 ..., and what comes after them."""
        parameters = iter(parameters)
        for layer in self.problem.layers:
            x = x @ next(parameters)
            if layer.bias:
                x = x + next(parameters)
            x = self.ACTIVATIONS[layer.activation](x)
        return self.LOSSES[self.problem.loss](x, y, *self.problem.loss_constants)

    def loss(self):
        """Over all rows."""
        return self.loss_of(self.at_average(self.tensors), self.array(self.data.x), self.array(self.data.target))

    def at_average(self, tensors):
        """Of parameters and, where the optimizer averages, slots, the parameters that a loss is evaluated at."""
        if not self.problem.averages:
            return tensors
        share, count = 1 - 1 / self.problem.optimizer.momentum, len(self.problem.shapes)
        return [p + share * way for p, way in zip(tensors[:count], tensors[count:])]

    def batch_loss(self, x, y):
        return self.loss_of(self.tensors, x, y)

    def set_total(self, total):
        """The sum of losses so far, which has the problem's dtype."""
        self.total = total

    def get_total(self):
        return float(self.total)

    def add_up(self, batches):
        """Steps of the task forward: the losses of batches are added to the total."""
        total, batch_loss = self.total, self.batch_loss
        for x, y in batches:
            total = total + batch_loss(x, y)
        self.total = total

    # Batches.
    def least_rows(self, rows):
        """How many rows of a batch a rank takes at least; more than its own ones come from before, at the weight 0."""
        return 1

    def place_data(self):
        problem, data = self.problem, self.data
        spans = []
        for start, rows in problem.epoch:
            first, last = problem.own_rows(rows)
            spans.append((start + min(first, last - self.least_rows(rows)), start + last))
        if problem.task == "update":
            self.given, first = [], 0
            for shape in problem.shapes:
                count = math.prod(shape)
                self.given.append(self.array(data.x[0, first : first + count].reshape(shape)))
                first += count
        elif data.order is None:
            self.ready = [(self.array(data.x[a:b]), self.array(data.target[a:b])) for a, b in spans]
        else:
            self.x, self.y = self.array(data.x), self.array(data.target)
            order = data.order.astype("intp")
            self.indices = [self.array(epoch[a:b]) for epoch in order for a, b in spans]

    def batches(self, count):
        """The next `count` batches (x, y); nothing is prepared that a user would do at each step."""
        first = self.step
        if self.problem.task == "update":
            return itertools.repeat((None, None), count)
        if self.data.order is None:
            if len(self.ready) == 1:
                return itertools.repeat(self.ready[0], count)
            start = first % len(self.ready)
            return itertools.islice(itertools.cycle(self.ready), start, start + count)
        start = first % len(self.indices)
        chosen = itertools.islice(itertools.cycle(self.indices), start, start + count)
        x, y, take = self.x, self.y, self.take
        return ((take(x, rows), take(y, rows)) for rows in chosen)

    # Running.
    def meet(self):
        """Waits for the other ranks, before a block's clock starts."""

    def run(self, count):
        """Exactly `count` updates, and waits until they are done."""
        if self.problem.task == "floor":
            function = list(self.floor_parts().values())[-1]
            for _ in itertools.repeat(None, count):
                function()
        elif self.problem.scheduled and not self.TAKES_RATES:
            for batch in self.batches(count):
                self.set_rate(self.problem.rate_of(self.step))
                self.steps((batch,))
                self.step += 1
            count = 0
        elif count > 0:
            self.steps(self.batches(count))
        self.step += count
        self.wait()

    def timed(self, count):
        cpu, start = processor_ns(), time.monotonic_ns()
        self.begin()
        self.run(count)
        end = time.monotonic_ns()
        return {"start_ns": start, "end_ns": end, "cpu_ns": processor_ns() - cpu, **self.of_device()}

    def timed_by_step(self, count):
        cpu, stamps = processor_ns(), [time.monotonic_ns()]
        for _ in range(count):
            self.run(1)
            stamps.append(time.monotonic_ns())
        step_ns = [end - start for start, end in zip(stamps, stamps[1:])]
        return {"start_ns": stamps[0], "end_ns": stamps[-1], "cpu_ns": processor_ns() - cpu, "step_ns": step_ns}

    def floor_parts(self):
        """floor(), made and called once: what it compiles is compiled before anything is timed."""
        if self.parts is None:
            self.parts = self.floor()
            for function in self.parts.values():
                function()
        return self.parts

    def measure_floor(self):
        return [{"op": name, "time_ns": nanoseconds_per_call(function)} for name, function in self.floor_parts().items()]

    def profile(self, count):
        """Records of `count` steps; here only what making a batch takes, and the rest of a step."""
        if self.problem.task == "floor":
            start = clock()
            self.run(count)
            return [record("emptiest step", "other", count, clock() - start)]
        phase = self.problem.task if self.problem.task in ("update", "forward") else "other"
        times = dict.fromkeys(("data", "step"), 0)
        batches = iter(self.batches(count))
        for _ in range(count):
            start = clock()
            batch = next(batches)
            made = clock()
            if self.problem.scheduled:
                self.set_rate(self.problem.rate_of(self.step))
            self.steps((batch,))
            self.wait()
            times["data"] += made - start
            times["step"] += clock() - made
            self.step += 1
        return [record("batch", "data", count, times["data"]), record("step", phase, count, times["step"])]


class PhasedTraining(Training):
    """A mode whose step is update(backward(forward(x, y))), three calls that can be timed separately."""

    # A problem whose step does not fall into these calls has its own function of x and y here, and no phases.
    whole_step = None

    def steps(self, batches):
        if self.whole_step:
            for x, y in batches:
                self.whole_step(x, y)
            return
        forward, backward, update = self.forward, self.backward, self.update
        for x, y in batches:
            update(backward(forward(x, y)))

    def profile(self, count):
        if self.whole_step or self.problem.task in ("floor", "forward"):
            return super().profile(count)
        times = dict.fromkeys(("data", "forward", "backward", "update"), 0)
        batches = iter(self.batches(count))
        for _ in range(count):
            if self.problem.scheduled:
                self.set_rate(self.problem.rate_of(self.step))
            marks = [clock()]
            x, y = self.marked(next(batches), marks)
            recorded = self.marked(self.forward(x, y), marks)
            gradients = self.marked(self.backward(recorded), marks)
            self.marked(self.update(gradients), marks)
            for phase, start, end in zip(times, marks, marks[1:]):
                times[phase] += end - start
            self.step += 1
        return [record(phase, phase, count, time_ns) for phase, time_ns in times.items()]

    def marked(self, result, marks):
        self.end_phase(result)
        marks.append(clock())
        return result


class RankedTraining(Training):
    """Mixed into a mode one of whose processes is a rank: it has its rows of each batch. Where these are not as many as
    the other ranks', batches are (x, (y, weight)): what the loss of x and y counts in the batch's."""

    TASKS = ("train",)
    DTYPES = ("f32", "f64")
    CAPABILITIES = ("shuffle", "schedule", "weight_decay", "ranks")
    PATIENCE = 60  # seconds until a rank gives the others up

    def place_data(self):
        super().place_data()
        owned = [(self.problem.own_rows(rows), rows) for _, rows in self.problem.epoch]
        self.weights = [self.weight(last - first, rows) for (first, last), rows in owned]

    def weight(self, own, rows):
        """Of a part of `own` rows, in a batch of `rows`."""
        return own / rows

    def batches(self, count):
        batches = super().batches(count)
        if not self.problem.uneven:
            return batches
        first = self.step % len(self.weights)
        weights = itertools.islice(itertools.cycle(self.weights), first, first + count)
        return ((x, (y, weight)) for (x, y), weight in zip(batches, weights))


def record(op, phase, calls, time_ns):
    """Totals over the profiled steps."""
    return {"op": op, "phase": phase, "calls": calls, "time_ns": time_ns}
