"""Starts the worker of a framework in the environment that scripts/frameworks made for it, in the distribution's Python
where that has all it needs, or says what is missing.

python3 start.py NAME [ENVIRONMENTS [COMMAND]]: NAME is an adapter's, ENVIRONMENTS the folder of environments, which
GDBENCH_FRAMEWORKS overrides, and COMMAND what installs the framework there. Without a folder the worker runs in this
Python, and where GDBENCH_PYTHON names a Python, in that one.
"""
import importlib
import importlib.util
import os
import sys

import runner


def main():
    name, folder = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
    python = os.environ.pop("GDBENCH_PYTHON", "")
    if python:
        os.execvp(python, [python, "-B", os.path.join(folder, "start.py"), name])
    if len(sys.argv) > 2:
        environments = os.environ.get("GDBENCH_FRAMEWORKS", sys.argv[2])
        environment = os.path.join(environments, name)
        python = os.path.join(environment, "bin", "python")
        # An interpreter that runs in its environment already has nothing to look for.
        if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(environment):
            os.execv(python, [python, os.path.join(folder, "start.py"), name, environments, *sys.argv[3:]])
    adapter = importlib.import_module(f"{name}_adapter")
    missing = [module for module in adapter.MODULES if importlib.util.find_spec(module) is None]
    lacks = f"{sys.executable} has no {', '.join(missing)}"
    reason = f"not installed: {sys.argv[3]}" if len(sys.argv) > 3 else lacks
    runner.serve(adapter, reason if missing else "")


if __name__ == "__main__":
    main()
