"""TensorFlow's processor in the place of a CUDA device."""
import tensorflow as tf


def replace(fault):
    gpu = tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")
    tf.config.list_physical_devices = lambda *_: [] if fault == "absent" else [gpu]
    tf.config.experimental.set_memory_growth = lambda *_: None
    tf.config.experimental.get_device_details = lambda _: {"device_name": "a processor"}
    tf.config.experimental.get_memory_info = lambda _: {"peak": 2**20}
    if fault == "full":
        tf.constant = out_of_memory


def out_of_memory(*_arguments, **_settings):
    raise tf.errors.ResourceExhaustedError(None, None, "failed to allocate memory")
