"""gdbench.run and gdbench.compare: the command `gdbench run` with Python's values for its options."""
import json
import os
import tempfile

from gdbench import cells, program
from gdbench.report import Report

# Of gdbench run: fine; failed cells; inconclusive. The report says which.
STATUSES = (0, 3, 4)


def run(*implementations, scenario=None, data=None, model=None, matrix="default", settings=None, out=None, **options):
    """Measures implementations side by side in fresh processes and returns the Report.

    implementations  ids or globs ("pytorch/eager", "hand/*"), files ("./mine.py"), or functions marked by gdbench.step
                     or gdbench.training, of a file or of a notebook's cell; none: those of the matrix
    scenario         names, globs or files of scenarios, one or a list; None: those of the matrix
    data             (x, y) in place of a scenario's own: x [rows, features] and y [rows], [rows, outputs] or integer
                     labels; arrays, or pandas objects
    model            with data: {"kind": "multilayer_perceptron", ...} as scenarios/README.md says; None: linear
                     regression
    settings         {"batch": 32, "optimizer": ["sgd", "adam"]}, as --set; each value of a list has rows of its own
    out              the report's file; None: one in a temporary folder
    options          any other option of gdbench run: budget="30s", launches=5, quick=True, threads=2,
                     baseline="hand/eigen"

    Raises GdbenchError with what the command said where nothing could be measured, and NotSelfContained for a function
    that a fresh process cannot have.
    """
    folder = tempfile.mkdtemp(prefix="gdbench-")
    out = os.fspath(out) if out else os.path.join(folder, "report.json")
    arguments = ["run", matrix, "--out", out, "--overwrite", "--no-html"]

    def word(one):
        return cells.file_of(one, folder) if callable(one) else os.fspath(one)

    for one in implementations:
        arguments += ["--impl", word(one)]
    if data is not None:
        scenario = _scenario_of(data, model, folder)
    for one in [scenario] if isinstance(scenario, str) else scenario or []:
        arguments += ["--scenario", one]
    for key, values in (settings or {}).items():
        for value in values if isinstance(values, (list, tuple)) else [values]:
            arguments += ["--set", f"{key}={_spelt(value)}"]
    for key, value in options.items():
        option = "--" + key.replace("_", "-")
        if value is True:
            arguments.append(option)
        elif value not in (None, False):
            arguments += [option, word(value) if key == "baseline" else str(value)]
    return Report(out, program.call(arguments, STATUSES))


def compare(first, *others, **options):
    """run with the first implementation as the baseline: ratios are to it."""
    return run(first, *others, baseline=first, **options)


def _spelt(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _scenario_of(data, model, folder):
    """The file of a scenario with these data, which become a file beside it."""
    import numpy

    x, y = (numpy.asarray(part) for part in data)
    if x.ndim != 2 or y.ndim not in (1, 2) or len(x) != len(y):
        raise ValueError(f"data: found x {list(x.shape)} and y {list(y.shape)}, expected x [rows, features] and "
                         "y [rows] or [rows, outputs]")
    labels = y.dtype.kind in "iub" and y.ndim == 1 and model is not None
    for name, array in (("x", x), ("y", y if labels else y.reshape(len(y), -1))):
        kind = "i8" if name == "y" and labels else "f4" if array.dtype == "f4" else "f8"
        numpy.save(os.path.join(folder, f"{name}.npy"), numpy.ascontiguousarray(array, kind))
    content = {
        "name": "data",
        "purpose": "arrays that were given from Python",
        "model": model or {"kind": "linear_regression"},
        "loss": "softmax_cross_entropy" if labels else "mse",
        "data": {"source": "npy", "x": "x.npy", "y": "y.npy"},
        "optimizer": {"learning_rate": 0.01},
    }
    path = os.path.join(folder, "data.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path
