"""Runs the program with the arguments of this process: `gdbench`, where pip installed it, and `python -m gdbench`."""
import os
import sys

from gdbench import program


def main():
    """Becomes the program. Implementations in Python run in this interpreter unless GDBENCH_PYTHON names another."""
    os.environ.setdefault("GDBENCH_PYTHON", sys.executable)
    os.execv(program.path(), ["gdbench", *sys.argv[1:]])


if __name__ == "__main__":
    main()
