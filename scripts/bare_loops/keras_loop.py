"""Keras: compile, then fit on a tf.data pipeline, as its guides write it."""
import os
import time

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", KERAS_BACKEND="tensorflow")
import keras
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
LEAD = 5  # steps


def train(layers, loss, pipeline, rate):
    model = keras.Sequential(layers)
    model.compile(optimizer=keras.optimizers.SGD(rate), loss=loss)

    def time_of(steps):
        start = time.process_time_ns()
        model.fit(pipeline, steps_per_epoch=steps, verbose=0)
        return time.process_time_ns() - start

    def steps(n):
        """What n steps add to a call of fit."""
        return max(time_of(LEAD + n) - time_of(LEAD), 1)

    return steps


def batches(x, y):
    return tf.data.Dataset.from_tensors((tf.constant(x), tf.constant(y))).repeat()


def linear(x, y, rate):
    layers = [keras.Input((x.shape[1],)), keras.layers.Dense(1, use_bias=False)]
    return train(layers, keras.losses.MeanSquaredError(), batches(x, y), rate)


def network(x, y, order, batch, widths, rate):
    layers = [keras.Input((widths[0],)), keras.layers.Dense(widths[1], "relu"), keras.layers.Dense(widths[2])]
    if batch == len(x):
        return train(layers, keras.losses.MeanSquaredError(), batches(x, y), rate)
    x, y = tf.constant(x), tf.constant(y)
    rows = tf.data.Dataset.from_tensor_slices(tf.constant(order)).batch(batch).repeat()
    pipeline = rows.map(lambda chosen: (tf.gather(x, chosen), tf.gather(y, chosen))).prefetch(tf.data.AUTOTUNE)
    return train(layers, keras.losses.SparseCategoricalCrossentropy(from_logits=True), pipeline, rate)
