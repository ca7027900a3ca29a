"""gdbench from Python: marks for a training of your own (training, step), and its commands as functions."""
from gdbench.declarations import step, training

__all__ = ["step", "training"]
