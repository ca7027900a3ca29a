"""What the adapters of TensorFlow and Keras share: start-up, arrays, layers and losses as TensorFlow's own ops, floors."""
import os

from training import Training


def start(threads):
    """Limits TensorFlow to `threads` by its own settings. Its helpers (tf.data, callbacks) run where they like."""
    global tf, async_wait
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", KERAS_BACKEND="tensorflow")
    import tensorflow as tf
    from tensorflow.python.eager.context import async_wait
    from tensorflow.python.util import _pywrap_util_port as port

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    switches = {
        "oneDNN": port.IsMklEnabled() and os.environ.get("TF_ENABLE_ONEDNN_OPTS", "1") != "0",
        "XLA": port.IsBuiltWithXLA(),
    }
    build = [f"TensorFlow {tf.version.VERSION} ({tf.version.GIT_VERSION}, {tf.version.COMPILER_VERSION})"]
    build += [f"{name} {'on' if on else 'off'}" for name, on in switches.items()]
    return {"build": ", ".join(build), "threads": f"{threads} within an op, {threads} between ops"}


class TensorFlowTraining(Training):
    """Base of all modes."""

    def array(self, values):
        return tf.constant(values)

    def take(self, array, indices):
        return tf.gather(array, indices)

    def wait(self):
        # On a processor ops are done when they return, unless somebody switched that off.
        async_wait()

    def outputs(self, x, parameters):
        """The last layer's outputs, before a softmax; x [rows, features], parameters w0 b0 w1 b1 ..."""
        activations = {"identity": None, "relu": tf.nn.relu, "tanh": tf.tanh, "sigmoid": tf.sigmoid}
        parameters = iter(parameters)
        for layer in self.problem.layers:
            x = tf.matmul(x, next(parameters))
            if layer.bias:
                x = x + next(parameters)
            if activations[layer.activation]:
                x = activations[layer.activation](x)
        return x

    def mean_loss(self, outputs, target):
        """The loss of plugin.h as a scalar; target [rows, outputs], or class labels [rows]."""
        if self.problem.loss == "softmax_cross_entropy":
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=outputs))
        mean = tf.reduce_mean(tf.square(outputs - target))
        return mean if self.problem.loss == "mse" else mean / 2

    def floor(self):
        tiny, weight = tf.constant(1.0), tf.Variable(1.0)

        def tape():
            with tf.GradientTape() as recorded:
                product = weight * tiny
            recorded.gradient(product, weight)

        graph = tf.function(lambda value: value)
        xla = tf.function(lambda value: value, jit_compile=True)
        return {
            "tf.function without an op": lambda: graph(tiny),
            "tf.function(jit_compile=True) without an op": lambda: xla(tiny),
            "tf.negative of one number": lambda: tf.negative(tiny),
            "forward and backward of one product": tape,
        }

    def emptiest_step(self, name):
        """floor() with this entry last: the step of the task floor."""
        functions = TensorFlowTraining.floor(self)
        return {**{key: functions[key] for key in functions if key != name}, name: functions[name]}

    def count_ops(self):
        """Ops of one step that Python hands to the executor, as TensorFlow reports them to a callback."""
        from tensorflow.python.framework import op_callbacks

        counted = []

        def count(op_type, inputs, attributes, outputs, op_name=None, graph=None):
            counted.append(op_type)

        op_callbacks.add_op_callback(count)
        try:
            self.run(1)
        finally:
            op_callbacks.remove_op_callback(count)
        return len(counted)
