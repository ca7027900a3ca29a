"""What the adapters of TensorFlow and Keras share: start-up, arrays, layers and losses of TensorFlow's ops, floors."""
import os
import tempfile

import op_profile
import tensorflow_ops
from runner import Unsupported
from training import ENTRYWISE, Training, clock

temporary = None  # the directory for files that last as long as the process


def start(threads, device="cpu"):
    """Limits TensorFlow to `threads` by its own settings; its helpers (tf.data, callbacks) have their own threads."""
    global tf, async_wait, temporary
    # AutoGraph writes a source file for each function that it converts.
    temporary = tempfile.TemporaryDirectory(prefix="gdbench-tensorflow-")
    tempfile.tempdir = temporary.name
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", KERAS_BACKEND="tensorflow")
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import tensorflow as tf
    from tensorflow.python.eager.context import async_wait
    from tensorflow.python.util import _pywrap_util_port as port

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    switches = {"oneDNN": port.IsMklEnabled(), "XLA": port.IsBuiltWithXLA()}
    build = [f"TensorFlow {tf.version.VERSION} ({tf.version.GIT_VERSION}, {tf.version.COMPILER_VERSION})"]
    build += [f"{name} {'on' if on else 'off'}" for name, on in switches.items()]
    runtime = {"build": ", ".join(build), "threads": f"{threads} within an op, {threads} between ops"}
    return runtime if device == "cpu" else {**runtime, "device": on_device()}


def on_device():
    """What the report says of it. Its products of f32 would be of TF32 by default, and all of its memory would be
    taken."""
    found = tf.config.list_physical_devices("GPU")
    if not found:
        raise Unsupported("TensorFlow finds no CUDA device")
    tf.config.experimental.enable_tensor_float_32_execution(False)
    tf.config.set_visible_devices(found[:1], "GPU")
    tf.config.experimental.set_memory_growth(found[0], True)
    details = tf.config.experimental.get_device_details(found[0])
    return f"{details.get('device_name', 'a GPU')}, products of f32 by f32"


def stop():
    if temporary:
        temporary.cleanup()


class TensorFlowTraining(Training):
    """Base of all modes."""

    ACTIVATIONS = {
        "identity": lambda z: z,
        "relu": lambda z: tf.nn.relu(z),
        "tanh": lambda z: tf.tanh(z),
        "sigmoid": lambda z: tf.sigmoid(z),
        "leaky_relu": lambda z: tf.nn.leaky_relu(z, alpha=0.01),
        "silu": lambda z: tf.nn.silu(z),
        "gelu": lambda z: tf.nn.gelu(z, approximate=False),
        "gelu_tanh": lambda z: tf.nn.gelu(z, approximate=True),
        "softplus": lambda z: tf.nn.softplus(z),
    }
    LOSSES = {
        "huber": lambda outputs, target, delta: tf.reduce_mean(tf.keras.losses.huber(target, outputs, delta)),
        "mse": lambda outputs, target: tf.reduce_mean(tf.square(outputs - target)),
        "half_mse": lambda outputs, target: tf.reduce_mean(tf.square(outputs - target)) / 2,
        "binary_cross_entropy": lambda outputs, target: tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=outputs)
        ),
        "softmax_cross_entropy": lambda outputs, target: tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=outputs)
        ),
    }
    OPTIMIZERS = ENTRYWISE  # step_writer.py has them all
    DTYPES = ("f32", "f64", "bf16")
    CAPABILITIES = ("shuffle", "schedule", "weight_decay", "rounds_results")
    PROFILER = "tf.profiler"
    device = "cpu"
    # Of floor(): the mode's own emptiest step.
    emptiest = "tf.negative of one number"

    def array(self, values):
        return tf.constant(values)

    def take(self, array, indices):
        return tf.gather(array, indices)

    def wait(self):
        # On a processor ops are done when they return, unless that was switched off.
        async_wait()
        if self.device != "cpu":
            tf.test.experimental.sync_devices()

    def of_device(self):
        if self.device == "cpu":
            return {}
        return {"device_bytes": tf.config.experimental.get_memory_info("GPU:0")["peak"]}

    def end_phase(self, result):
        if self.device != "cpu":
            self.wait()

    def outputs(self, x, parameters):
        """The last layer's outputs, before a softmax; x [rows, features], parameters w0 b0 w1 b1 ..."""
        if self.problem.mixed:
            x, parameters = tf.cast(x, tf.bfloat16), [tf.cast(parameter, tf.bfloat16) for parameter in parameters]
        parameters = iter(parameters)
        for layer in self.problem.layers:
            x = tf.matmul(x, next(parameters))
            if layer.bias:
                x = x + next(parameters)
            x = self.ACTIVATIONS[layer.activation](x)
        return tf.cast(x, self.problem.dtype) if self.problem.mixed else x

    def mean_loss(self, outputs, target):
        """The loss of plugin.h as a scalar; target [rows, outputs], or class labels [rows]."""
        return self.LOSSES[self.problem.loss](outputs, target, *self.problem.loss_constants)

    def trace_ops(self, count):
        profiler = tf.profiler.experimental
        options = profiler.ProfilerOptions(host_tracer_level=2, python_tracer_level=0, device_tracer_level=0)
        with tempfile.TemporaryDirectory() as folder:
            real_ns = self.run_between(lambda: profiler.start(folder, options), profiler.stop, count)
            trace = op_profile.trace_in(folder)
        return real_ns, op_profile.totals_of(tensorflow_ops.self_times(trace))

    def run_between(self, before, after, count):
        """Nanoseconds of `count` steps between two calls."""
        before()
        start = clock()
        self.run(count)
        real_ns = clock() - start
        after()
        return real_ns

    def floor(self):
        functions = self.emptiest_calls()
        last = functions.pop(self.emptiest)
        return {**functions, self.emptiest: last}

    def emptiest_calls(self):
        tiny, weight = tf.constant(1.0), tf.Variable(1.0)
        graph = tf.function(lambda value: value)
        xla = tf.function(lambda value: value, jit_compile=True)

        def tape():
            with tf.GradientTape() as recorded:
                product = weight * tiny
            recorded.gradient(product, weight)

        return {
            "tf.negative of one number": lambda: tf.negative(tiny),
            "forward and backward of one product": tape,
            "tf.function without an op": lambda: graph(tiny),
            "tf.function(jit_compile=True) without an op": lambda: xla(tiny),
        }

    def count_dispatches(self):
        """Ops that Python hands to the executor in a step: those of two steps less those of one."""
        return self.count_ops(2) - self.count_ops(1)

    def count_ops(self, steps):
        """As TensorFlow reports them to a callback."""
        from tensorflow.python.framework import op_callbacks

        counted = []

        def count(op_type, inputs, attributes, outputs, op_name=None, graph=None):
            counted.append(op_type)

        op_callbacks.add_op_callback(count)
        try:
            self.run(steps)
        finally:
            op_callbacks.remove_op_callback(count)
        return len(counted)


class PipelinedTraining(TensorFlowTraining):
    """Base of the modes whose batches tf.data makes, as its guide teaches: from_tensor_slices, batch, map, prefetch."""

    def place_data(self):
        if self.data.target is not None:
            self.x, self.y = tf.constant(self.data.x), tf.constant(self.data.target)
            self.order = None if self.data.order is None else tf.constant(self.data.order.astype("int64"))

    def batches_from(self, first):
        """Batches (x, y) without end in the harness's order from step `first` on, which may be below 0. A pipeline is
        made anew where a training begins, so that no batches are made here to be skipped."""
        problem, x, y, order, slices = self.problem, self.x, self.y, self.order, tf.data.Dataset.from_tensor_slices
        if order is None and problem.batch_rows >= problem.rows:
            return tf.data.Dataset.from_tensors((x, y)).repeat()
        epoch, step = divmod(first, problem.steps_per_epoch)
        begun = step * problem.batch_rows
        if order is None:
            rest = self.batched(slices((x[begun:], y[begun:])))
            return rest.concatenate(self.batched(slices((x, y))).repeat()).apply(self.prefetched)
        # Each epoch makes its own batches: its last one may be smaller.
        epochs = slices(order).repeat().skip((epoch + 1) % len(order))
        rest = self.batched(slices(order[epoch % len(order)][begun:]))
        indices = rest.concatenate(epochs.flat_map(lambda rows: self.batched(slices(rows))))
        return indices.map(lambda rows: (tf.gather(x, rows), tf.gather(y, rows))).apply(self.prefetched)

    def batched(self, rows):
        return rows.batch(self.problem.batch_rows, drop_remainder=self.problem.drops_last_batch)

    @staticmethod
    def prefetched(batches):
        return batches.prefetch(tf.data.AUTOTUNE)
