"""The options of modes that may train on a device, and what they exclude."""
from runner import Unsupported, choice

DEVICE = choice(
    "device", "cpu", "cuda", "where arrays lie and steps run: on the processor, or on the first CUDA device"
)
# "pinned" where a framework has such memory.
TRANSFER = {"key": "transfer", "type": "choice", "default": "resident", "choices": ["resident", "pageable", "pinned"],
            "description": "batches on a device: cut from data that lie there, or copied in each step from ordinary or "
                           "from page-locked memory"}


def placement(options, problem):
    """(device, transfer) of a mode's options. Throws Unsupported for what would change nothing or not be done."""
    device, transfer = options.get("device", "cpu"), options.get("transfer", "resident")
    if transfer != "resident" and (device == "cpu" or problem.task != "train"):
        raise Unsupported(f"transfer={transfer}: there are no batches to copy to a device")
    if device != "cpu" and problem.flushes_denormals:
        raise Unsupported(f"denormals=flush: only the processor's are flushed, not those of {device}")
    return device, transfer
