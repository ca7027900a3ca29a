"""Keras as its guides teach it: compile, then fit on a tf.data pipeline."""
import math
import time
from types import SimpleNamespace

import keras_optimizers
import tensorflow_runtime
from tensorflow_runtime import PipelinedTraining
from training import clock, processor_ns, record

NAME = "keras"
MODULES = ("keras", "tensorflow")
DISTRIBUTIONS = ("keras", "tensorflow", "numpy")


def start(threads):
    global keras, tf
    runtime = tensorflow_runtime.start(threads)
    import keras
    import tensorflow as tf

    return runtime


stop = tensorflow_runtime.stop


class Fit(PipelinedTraining):
    """compile and fit on a tf.data pipeline; timed from after a few batches to the result of the last"""

    # A call of fit takes tens of milliseconds before its first batch and after its last; profile() shows them. One call
    # trains any number of steps (steps_per_epoch), so that no end of an epoch lies between them.
    TASKS = ("train", "floor")
    # What a layer takes. Keras's own leaky_relu has a slope of 0.2.
    ACTIVATIONS = {
        "identity": "linear",
        "relu": "relu",
        "tanh": "tanh",
        "sigmoid": "sigmoid",
        "leaky_relu": lambda z: keras.activations.leaky_relu(z, negative_slope=0.01),
        "silu": "silu",
        "gelu": "gelu",
        "gelu_tanh": lambda z: keras.activations.gelu(z, approximate=True),
        "softplus": "softplus",
    }
    EPSILON_PLACES = keras_optimizers.EPSILON_PLACES
    # Steps of a call of fit before the clock: ten, or fewer that take LEAD_NS, and two at least.
    LEAD, LEAD_NS = 10, 100e6
    run_eagerly = False
    jit_compile = False
    steps_per_execution = 1

    @classmethod
    def reason_unsupported(cls, problem):
        return keras_optimizers.reason_unsupported(problem)

    def __init__(self, problem, data, options):
        # Of parameters, learning rate and losses.
        keras.config.set_floatx(problem.dtype.name)
        super().__init__(problem, data, options)
        self.lead = self.LEAD
        if problem.task == "floor":
            self.model, self.pipeline = self.make_empty()
            self.fit(1)
        else:
            self.model, self.pipeline = self.make_model(), self.batches_from
            # Traced for each shape of a batch; a state is set before anything is timed.
            self.step = problem.steps_per_epoch - 1
            count = min(2, problem.steps_per_epoch)
            readings = self.fit(count)
            step_ns = (readings.end - readings.start) / count
            self.lead = max(2, min(self.LEAD, math.ceil(self.LEAD_NS / step_ns)))

    def make_model(self):
        policy = "mixed_bfloat16" if self.problem.mixed else self.problem.dtype.name
        layers = [keras.Input((self.problem.layers[0].inputs,))]
        for layer in self.problem.layers:
            activation = self.ACTIVATIONS[layer.activation]
            layers.append(keras.layers.Dense(layer.outputs, activation, layer.bias, dtype=policy))
        model = self.model_class()(layers)
        rate = self.schedule() if self.problem.scheduled else self.problem.rate
        self.optimizer = keras_optimizers.make(self.problem.optimizer, rate)
        self.loss_function = self.make_loss()
        model.compile(optimizer=self.optimizer, loss=self.loss_function, **self.settings())
        self.optimizer.build(model.trainable_variables)
        return model

    def settings(self):
        return {"run_eagerly": self.run_eagerly, "jit_compile": self.jit_compile,
                "steps_per_execution": self.steps_per_execution}

    def model_class(self):
        """keras.Sequential that counts how often its step is traced; eager ones are not."""
        training = self
        self.traced = 0

        class Sequential(keras.Sequential):
            def train_step(self, data):
                training.traced += 1
                return super().train_step(data)

        return keras.Sequential if self.run_eagerly else Sequential

    def schedule(self):
        rates = tf.constant(self.problem.optimizer.learning_rates, self.problem.dtype)

        class Table(keras.optimizers.schedules.LearningRateSchedule):
            def __call__(self, step):
                return tf.gather(rates, tf.minimum(tf.cast(step, tf.int32), len(rates) - 1))

        return Table()

    def make_loss(self):
        mean = keras.losses.MeanSquaredError()
        return {
            "mse": mean,
            "half_mse": lambda targets, outputs: mean(targets, outputs) / 2,
            "huber": keras.losses.Huber(delta=self.problem.huber_delta),
            "binary_cross_entropy": keras.losses.BinaryCrossentropy(from_logits=True),
            "softmax_cross_entropy": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        }[self.problem.loss]

    def make_empty(self):
        """A model whose step returns its input as the loss, and batches of one number: fit wants some result."""

        class Empty(keras.Model):
            def train_step(self, data):
                return {"loss": data[0]}

        model = Empty()
        model.compile(**self.settings())
        return model, lambda first: tf.data.Dataset.from_tensors(tf.constant([1.0])).repeat()

    # Running.
    def fit(self, count, before=lambda: None, after=lambda: None):
        """One call of fit with `count` steps from self.step on, between two calls; its clock readings. The first steps
        of a call start threads and take up to twice the later ones: self.lead steps go before the clock and are
        undone."""
        lead, by_execution = self.lead, self.steps_per_execution > 1
        counted = 0 if by_execution else lead  # steps of the lead that fit counts
        variables = [*self.model.variables, *getattr(self.model.optimizer, "variables", [])]
        saved = [variable.numpy() for variable in variables]

        class Readings(keras.callbacks.Callback):
            # fit calls back from a thread of its own, as it does where no callback listens to batches.
            async_safe = True

            def begin(self):
                for variable, value in zip(variables, saved):
                    variable.assign(value)
                before()
                self.start_cpu, self.start = processor_ns(), time.monotonic_ns()

            def on_train_batch_begin(self, batch, logs=None):
                if batch == lead and not by_execution:
                    self.begin()

            def on_train_batch_end(self, batch, logs=None):
                # The logs are numbers by now: the step is done.
                if batch >= counted + count - 1:
                    self.end, self.end_cpu = time.monotonic_ns(), processor_ns()
                    after()

        readings, pipeline = Readings(), self.pipeline(self.step - lead)
        if by_execution:
            self.lead_in(pipeline.take(lead), readings.begin)
            pipeline = pipeline.take(lead + count)  # else the last execution would make all of its steps
        self.model.fit(pipeline, steps_per_epoch=counted + count, verbose=0, callbacks=[readings])
        self.step += count
        return readings

    def lead_in(self, batches, begin):
        """Has the next call of fit begin with an execution of these batches alone, as a whole one of large steps takes
        long, leave as many of its own out, and then call begin()."""
        options = tf.data.Options()
        options.autotune.enabled = False  # its thread may hold up an iterator's end for as long as that was there
        batches = batches.with_options(options)
        self.model.make_train_function()
        execute = self.model.train_function

        def execute_lead(iterator):
            self.model.train_function = execute
            for _ in range(self.lead):
                next(iterator)
            execute(iter(batches))
            begin()
            return execute(iterator)

        self.model.train_function = execute_lead

    def run(self, count):
        if count > 0:
            self.fit(count)
            self.wait()

    def timed(self, count):
        """Exactly `count` updates between two readings inside one call of fit, the last after the last step's result;
        what fit does before the first of them and after the last is not timed."""
        if count == 0:
            return super().timed(0)
        readings = self.fit(count)
        return {"start_ns": readings.start, "end_ns": readings.end, "cpu_ns": readings.end_cpu - readings.start_cpu}

    def run_between(self, before, after, count):
        readings = self.fit(count, before, after)
        return readings.end - readings.start

    def profile(self, count):
        start = clock()
        readings = self.fit(count)
        steps = readings.end - readings.start
        fit = clock() - start - steps
        return [record("start, lead and end of a fit call", "compile", 1, fit), record("step", "other", count, steps)]

    def measure_floor(self, count=200):
        floor = super().measure_floor()
        model, pipeline, step = self.model, self.pipeline, self.step
        self.model, self.pipeline = self.make_empty()
        self.fit(1)
        readings = self.fit(count)
        self.model, self.pipeline, self.step = model, pipeline, step
        return [*floor, {"op": "empty train_step of fit", "time_ns": (readings.end - readings.start) / count}]

    # State.
    def set_state(self, parameters, slots):
        if self.problem.task == "floor":
            return
        for variable, array in zip(self.model.trainable_variables, parameters):
            variable.assign(array)
        keras_optimizers.set_state(self.optimizer, self.problem, self.step, slots)

    def get_state(self):
        if self.problem.task == "floor":
            return [], []
        parameters = [variable.numpy() for variable in self.model.trainable_variables]
        return parameters, keras_optimizers.get_state(self.optimizer, self.problem)

    def loss(self):
        return self.loss_function(self.y, self.model(self.x))

    def traces(self):
        return None if self.run_eagerly or self.problem.task == "floor" else self.traced


class FitEager(Fit):
    """fit with run_eagerly=True: op by op"""

    run_eagerly = True


class FitXla(Fit):
    """fit with jit_compile=True: the step compiled by XLA"""

    jit_compile = True


class FitSteps(Fit):
    """fit with steps_per_execution=32: so many steps in each call of a tf.function"""

    TASKS = ("train",)
    steps_per_execution = 32

    def count_dispatches(self):
        """A call is many steps"""


class TrainOnBatch(Fit):
    """train_on_batch for each batch of NumPy arrays, whose loss is a number each time"""

    TASKS = ("train",)

    def place_data(self):
        super().place_data()
        spans = [slice(first, first + rows) for first, rows in self.problem.epoch]
        order = self.data.order
        self.rows = spans if order is None else [epoch[span] for epoch in order.astype("intp") for span in spans]

    def fit(self, count, before=lambda: None, after=lambda: None):
        data, train = self.data, self.model.train_on_batch
        before()
        start_cpu, start = processor_ns(), time.monotonic_ns()
        for step in range(self.step, self.step + count):
            rows = self.rows[step % len(self.rows)]
            train(data.x[rows], data.target[rows])
        end, end_cpu = time.monotonic_ns(), processor_ns()
        after()
        self.step += count
        return SimpleNamespace(start=start, end=end, start_cpu=start_cpu, end_cpu=end_cpu)

    def profile(self, count):
        readings = self.fit(count)
        return [record("step", "other", count, readings.end - readings.start)]


class FitOwnShuffle(Fit):
    """fit on Dataset.shuffle, which makes an order of its own in each epoch"""

    CAPABILITIES = (*Fit.CAPABILITIES, "own_order")

    def batches_from(self, first):
        if self.order is None:  # a full batch, or rows that are to come as they lie
            return super().batches_from(first)
        rows = tf.data.Dataset.from_tensor_slices((self.x, self.y))
        rows = rows.shuffle(self.problem.rows, reshuffle_each_iteration=True, seed=1)
        return self.batched(rows).repeat().prefetch(tf.data.AUTOTUNE)


MODES = {"fit": Fit, "fit-eager": FitEager, "fit-xla": FitXla, "fit-steps": FitSteps,
         "train-on-batch": TrainOnBatch, "fit+own-shuffle": FitOwnShuffle}
