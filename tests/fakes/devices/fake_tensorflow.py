"""TensorFlow's processor in the place of the first of two CUDA devices, which take all memory that they are let."""
import tensorflow as tf


def replace(fault):
    found = [] if fault == "absent" else [tf.config.PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in (0, 1)]
    visible, growing = set(found), set()

    def get_memory_info(_):
        if visible != growing:
            raise ValueError("Memory growth cannot differ between GPU devices")
        return {"peak": 2**20}

    tf.config.list_physical_devices = lambda *_: found
    tf.config.set_visible_devices = lambda devices, _: visible.intersection_update(devices)
    tf.config.experimental.set_memory_growth = lambda device, _: growing.add(device)
    tf.config.experimental.get_device_details = lambda device: {"device_name": f"processor {found.index(device)}"}
    tf.config.experimental.get_memory_info = get_memory_info
    if fault == "full":
        tf.constant = out_of_memory


def out_of_memory(*_arguments, **_settings):
    raise tf.errors.ResourceExhaustedError(None, None, "failed to allocate memory")
