"""Keras as its guides teach it: compile, then fit on a tf.data pipeline."""
import time

import keras_optimizers
import tensorflow_runtime
from tensorflow_runtime import TensorFlowTraining
from training import clock, record

NAME = "keras"
MODULES = ("keras", "tensorflow")
DISTRIBUTIONS = ("keras", "tensorflow", "numpy")


def start(threads):
    global keras, tf
    runtime = tensorflow_runtime.start(threads)
    import keras
    import tensorflow as tf

    return runtime


class Fit(TensorFlowTraining):
    """compile and fit on a tf.data pipeline; the clock runs from fit's first batch to the result of its last"""

    # Every call of fit takes tens of milliseconds before its first batch; profile() shows them. One call trains any number
    # of steps (steps_per_epoch), so that no end of an epoch lies between them.
    TASKS = ("train", "floor")
    run_eagerly = False
    jit_compile = False

    @classmethod
    def reason_unsupported(cls, problem):
        return keras_optimizers.reason_unsupported(problem["optimizer"])

    def __init__(self, problem, data, options):
        # Of parameters, learning rate and losses.
        keras.config.set_floatx(problem.dtype.name)
        super().__init__(problem, data, options)
        if problem.task == "floor":
            self.model, self.pipeline = self.make_empty()
        else:
            self.model, self.pipeline = self.make_model(), self.batches_from
            # Traced for each shape of a batch; a state is set before anything is timed.
            self.step = problem.steps_per_epoch - 1
            self.fit(min(2, problem.steps_per_epoch))

    def place_data(self):
        if self.data.target is not None:
            self.x, self.y = tf.constant(self.data.x), tf.constant(self.data.target)

    def make_model(self):
        layers = [keras.Input((self.problem.layers[0].inputs,))]
        for layer in self.problem.layers:
            activation = "linear" if layer.activation == "identity" else layer.activation
            layers.append(keras.layers.Dense(layer.outputs, activation=activation, use_bias=layer.bias))
        model = self.model_class()(layers)
        rate = self.schedule() if self.problem.scheduled else self.problem.rate
        self.optimizer = keras_optimizers.make(self.problem.optimizer, rate)
        settings = {"run_eagerly": self.run_eagerly, "jit_compile": self.jit_compile}
        model.compile(optimizer=self.optimizer, loss=self.make_loss(), **settings)
        self.optimizer.build(model.trainable_variables)
        return model

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
        if self.problem.loss == "softmax_cross_entropy":
            return keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        mean = keras.losses.MeanSquaredError()
        return mean if self.problem.loss == "mse" else lambda targets, outputs: mean(targets, outputs) / 2

    def batches_from(self, first):
        """The tf.data pipeline from step `first` on, without end."""
        problem, x, y = self.problem, self.x, self.y
        epoch, skipped = divmod(first, problem.steps_per_epoch)
        if problem.batch_rows >= problem.rows and self.data.order is None:
            return tf.data.Dataset.from_tensors((x, y)).repeat()
        if self.data.order is None:
            dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(problem.batch_rows)
            return dataset.repeat().skip(skipped).prefetch(tf.data.AUTOTUNE)
        order = tf.roll(tf.constant(self.data.order.astype("i8")), -(epoch % len(self.data.order)), axis=0)
        dataset = tf.data.Dataset.from_tensor_slices(order).repeat()
        dataset = dataset.flat_map(lambda rows: tf.data.Dataset.from_tensor_slices(rows).batch(problem.batch_rows))
        dataset = dataset.skip(skipped).map(lambda rows: (tf.gather(x, rows), tf.gather(y, rows)))
        return dataset.prefetch(tf.data.AUTOTUNE)

    def make_empty(self):
        """A model whose step does nothing, and batches of one number."""

        class Empty(keras.Model):
            def train_step(self, data):
                return {}

        model = Empty()
        model.compile(run_eagerly=self.run_eagerly, jit_compile=self.jit_compile)
        return model, lambda first: tf.data.Dataset.from_tensors(tf.constant([1.0])).repeat()

    # Running.
    def fit(self, count):
        """One call of fit with `count` steps; its clock readings."""
        readings = self.readings(count)
        before = clock()
        dataset = self.pipeline(self.step)
        self.model.fit(dataset, steps_per_epoch=count, verbose=0, callbacks=[readings])
        readings.before = readings.start - before
        self.step += count
        return readings

    def readings(self, count):
        class Readings(keras.callbacks.Callback):
            # fit calls back from a thread of its own, as it does where nobody listens to batches.
            async_safe = True

            def on_train_batch_begin(self, batch, logs=None):
                if batch == 0:
                    self.start, self.start_cpu = time.monotonic_ns(), time.process_time_ns()

            def on_train_batch_end(self, batch, logs=None):
                # The logs are numbers by now: the step is done.
                if batch == count - 1:
                    self.end_cpu, self.end = time.process_time_ns(), time.monotonic_ns()

        return Readings()

    def run(self, count):
        if count > 0:
            self.fit(count)
            self.wait()

    def timed(self, count):
        """Exactly `count` updates between two readings inside one call of fit, the last after the last step's result;
        what fit does before its first batch and after its last is not timed."""
        if count == 0:
            return super().timed(0)
        readings = self.fit(count)
        return {"start_ns": readings.start, "end_ns": readings.end, "cpu_ns": readings.end_cpu - readings.start_cpu}

    def profile(self, count):
        readings = self.fit(count)
        steps = record("step", "other", count, readings.end - readings.start)
        return [record("start of a fit call", "compile", 1, readings.before), steps]

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
        return tf.reduce_mean(self.model.loss(self.y, self.model(self.x)))

    def traces(self):
        return None if self.run_eagerly or self.problem.task == "floor" else self.traced


class FitEager(Fit):
    """fit with run_eagerly=True: op by op"""

    run_eagerly = True

    def count_dispatches(self):
        return self.count_ops()


class FitXla(Fit):
    """fit with jit_compile=True: the step compiled by XLA"""

    jit_compile = True


class FitOwnShuffle(Fit):
    """fit on Dataset.shuffle, which makes an order of its own in each epoch"""

    CAPABILITIES = (*Fit.CAPABILITIES, "own_order")

    def batches_from(self, _first):
        if self.problem.batch_rows >= self.problem.rows:
            return super().batches_from(0)
        dataset = tf.data.Dataset.from_tensor_slices((self.x, self.y))
        dataset = dataset.shuffle(self.problem.rows, reshuffle_each_iteration=True, seed=1)
        return dataset.batch(self.problem.batch_rows).repeat().prefetch(tf.data.AUTOTUNE)


MODES = {"fit": Fit, "fit-eager": FitEager, "fit-xla": FitXla, "fit+own-shuffle": FitOwnShuffle}
