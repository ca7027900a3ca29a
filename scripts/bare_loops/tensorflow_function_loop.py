"""TensorFlow with the step in one tf.function: the eager loop, compiled."""
import tensorflow_loop

tensorflow_loop.compiled = True
linear, network = tensorflow_loop.linear, tensorflow_loop.network
