"""Modes that may train on a device: their options, what these exclude, and its clock."""
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


class Clock:
    """A device's own time of a block: from before its first work until it has done the last. A framework's has event(),
    synchronize(), milliseconds() from self.first to self.last, and most_bytes() so far."""

    def __init__(self):
        self.first, self.last = self.event(), self.event()
        self.runs = False

    def begin(self):
        self.first.record()
        self.runs = True

    def wait(self):
        """Until the device has done everything."""
        if self.runs:
            self.last.record()
        self.synchronize()

    def answer(self):
        """What the answer to the block that ended says of the device."""
        self.runs = False
        return {"device_ns": 1e6 * self.milliseconds(), "device_bytes": self.most_bytes()}


class Clocked:
    """Mixed into a training with a device_clock, which is None on the processor."""

    def begin(self):
        if self.device_clock:
            self.device_clock.begin()

    def wait(self):
        if self.device_clock:
            self.device_clock.wait()

    def end_phase(self, result):
        self.wait()

    def of_device(self):
        return self.device_clock.answer() if self.device_clock else {}
