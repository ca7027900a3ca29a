"""Starts the worker of a framework in the environment that scripts/frameworks made for it, in the distribution's Python
where that has all it needs, or says what is missing. Where GDBENCH_PYTHON names the interpreter, it runs in that one.

python3 start.py NAME ENVIRONMENTS [COMMAND]: NAME is an adapter's, ENVIRONMENTS the folder of environments, which
GDBENCH_FRAMEWORKS overrides, also where GDBENCH_PYTHON is set, and COMMAND what installs the framework there.
"""
import importlib
import importlib.util
import os
import sys

import runner


def main():
    name, chosen = sys.argv[1], bool(os.environ.get("GDBENCH_PYTHON"))
    environments = os.environ.get("GDBENCH_FRAMEWORKS", os.devnull if chosen else sys.argv[2])
    folder = os.path.dirname(os.path.abspath(__file__))
    environment = os.path.join(environments, name)
    python = os.path.join(environment, "bin", "python")
    # An interpreter that runs in its environment already has nothing to look for.
    if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(environment):
        os.execv(python, [python, os.path.join(folder, "start.py"), name, environments, *sys.argv[3:]])
    adapter = importlib.import_module(f"{name}_adapter")
    missing = [module for module in adapter.MODULES if importlib.util.find_spec(module) is None]
    reason = f"{sys.executable} has no {', '.join(missing)}"
    if len(sys.argv) > 3 and not chosen:
        reason = f"not installed: {sys.argv[3]}"
    runner.serve(adapter, reason if missing else "")


if __name__ == "__main__":
    main()
