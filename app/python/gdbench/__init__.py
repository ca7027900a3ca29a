"""gdbench from Python: marks for a training of your own (training, step), and its commands as functions."""
from gdbench.cells import NotSelfContained
from gdbench.declarations import step, training
from gdbench.description import describe
from gdbench.program import GdbenchError
from gdbench.report import Report, Verdict
from gdbench.run import compare, run

__all__ = ["GdbenchError", "NotSelfContained", "Report", "Verdict", "compare", "describe", "run", "step", "training"]
