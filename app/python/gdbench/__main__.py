"""Runs the program with the arguments of this process: `gdbench`, where pip installed it, and `python -m gdbench`."""
import os
import pathlib
import sys


def program():
    """The path of the program: in this package, where it is a wheel's, or of the build or installation around it."""
    package = pathlib.Path(__file__).resolve().parent
    return next(path for path in (package / "bin/gdbench", package.parents[3] / "bin/gdbench") if path.exists())


def main():
    """Becomes the program. Implementations in Python run in this interpreter unless GDBENCH_PYTHON names another."""
    os.environ.setdefault("GDBENCH_PYTHON", sys.executable)
    os.execv(program(), ["gdbench", *sys.argv[1:]])


if __name__ == "__main__":
    main()
