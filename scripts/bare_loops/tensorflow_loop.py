"""TensorFlow, eager: GradientTape and a tf.keras optimizer, as its guides write it."""
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import tensorflow as tf
from batches import batches, repeated

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
compiled = False


def train(outputs, variables, loss, data, rate):
    optimizer = tf.keras.optimizers.SGD(learning_rate=rate)
    optimizer.build(variables)

    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(outputs(x), y)
        optimizer.apply_gradients(zip(tape.gradient(value, variables), variables))

    return repeated(tf.function(step) if compiled else step, data)


def mean_square(outputs, y):
    return tf.reduce_mean(tf.square(outputs - y))


def cross_entropy(outputs, y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=outputs))


def linear(x, y, rate):
    w = tf.Variable(tf.zeros((x.shape[1], 1)))
    x, y = tf.constant(x), tf.constant(y)
    return train(lambda x: tf.matmul(x, w), [w], mean_square, batches(x, y, [0]), rate)


def network(x, y, order, batch, widths, rate):
    w0, w1 = (tf.Variable(tf.random.normal(shape, stddev=0.1)) for shape in zip(widths, widths[1:]))
    b0, b1 = (tf.Variable(tf.zeros(width)) for width in widths[1:])
    rows = [tf.constant(order[i : i + batch]) for i in range(0, len(x), batch)]
    x, y = tf.constant(x), tf.constant(y)
    loss = cross_entropy if y.ndim == 1 else mean_square

    def outputs(x):
        return tf.matmul(tf.nn.relu(tf.matmul(x, w0) + b0), w1) + b1

    return train(outputs, [w0, b0, w1, b1], loss, batches(x, y, rows, tf.gather), rate)
