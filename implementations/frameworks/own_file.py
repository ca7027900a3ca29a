"""Starts the worker of a Python file that marks functions by gdbench.training or gdbench.step.

python3 own_file.py MINE.py PACKAGE: the file offers mine/FUNCTION for each of them. It is read without being run
until a cell is prepared, so that threads are limited before it imports anything. PACKAGE is the folder of the package
gdbench.

python3 own_file.py --describe SCRIPT.py PACKAGE: runs the script, whose gdbench.describe writes to the file that
GDBENCH_DESCRIPTION names.
"""
import ast
import importlib.util
import os
import runpy
import sys
from types import SimpleNamespace

import runner
from training import CATALOGUE, Training

KINDS = ("training", "step")
LIMITS = ("losses", "activations", "optimizers", "dtypes", "layers", "arrays")
LIBRARIES = ("torch", "jax", "tensorflow", "keras")  # which have arrays of their own
# Distributions whose modules have another name.
DISTRIBUTIONS = {"sklearn": "scikit-learn"}


class BadFile(Exception):
    """What is wrong with the file, with its place."""


class Source:
    """What a file says before it runs: its functions that are marked, and the modules that it imports."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path).removesuffix(".py")
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read(), path)
        self.packages, self.marks, self.modules, self.functions = set(), {}, [], {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.note_import(node)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.note_function(node)
        if not self.functions:
            raise BadFile(f"{path}: found no function under @gdbench.training or @gdbench.step, expected one at least")

    def note_import(self, node):
        if isinstance(node, ast.Import):
            names = [(alias.name.split(".")[0], alias.asname) for alias in node.names]
            self.packages.update(asname or name for name, asname in names if name == "gdbench")
        elif node.level == 0:
            names = [(node.module.split(".")[0], None)]
            if node.module == "gdbench":
                self.marks.update({alias.asname or alias.name: alias.name for alias in node.names})
        else:
            names = []
        for name, _ in names:
            if name != "gdbench" and name not in sys.stdlib_module_names and name not in self.modules:
                self.modules.append(name)

    def note_function(self, node):
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            kind = self.kind_of(call.func if call else decorator)
            if kind in KINDS:
                limits = {word.arg: self.literal(word) for word in call.keywords} if call else {}
                text = ast.get_docstring(node) or f"{node.name} of {os.path.basename(self.path)}"
                arguments = [argument.arg for argument in node.args.posonlyargs + node.args.args]
                function = SimpleNamespace(kind=kind, limits=limits, text=text.split("\n\n")[0], arguments=arguments)
                self.functions[node.name] = function

    def kind_of(self, node):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.packages:
            return node.attr
        return self.marks.get(node.id) if isinstance(node, ast.Name) else None

    def literal(self, word):
        place = f"{self.path}:{word.value.lineno}"
        if word.arg not in LIMITS:
            raise BadFile(f"{place}: found {word.arg}=, expected one of {', '.join(LIMITS)}")
        try:
            value = ast.literal_eval(word.value)
        except ValueError:
            raise BadFile(f"{place}: {word.arg}: found an expression, expected a value that is written out") from None
        known = CATALOGUE.get(word.arg)
        for name in value if known and isinstance(value, (list, tuple)) else ():
            if name not in known:
                raise BadFile(f"{place}: {word.arg}: found \"{name}\", expected one of {', '.join(known)}")
        return value

    def arrays(self, limits):
        """What the arrays of a pure function are."""
        if "arrays" in limits:
            return limits["arrays"]
        imported = [name for name in LIBRARIES if name in self.modules]
        return imported[0].replace("keras", "tensorflow") if imported else "numpy"


def load_package(folder):
    """What `import gdbench` is, in any environment."""
    place = os.path.join(folder, "gdbench")
    spec = importlib.util.spec_from_file_location(
        "gdbench", os.path.join(place, "__init__.py"), submodule_search_locations=[place])
    sys.modules["gdbench"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["gdbench"])


def run_file(source, package):
    """The file's module."""
    load_package(package)
    os.environ["GDBENCH_WORKER"] = "1"  # so that a script that runs gdbench itself learns where to put that
    spec = importlib.util.spec_from_file_location(source.name, source.path)
    module = importlib.util.module_from_spec(spec)
    # What it imports lies in its own folder before ours, which has a training.py and a runner.py, too.
    here = os.path.dirname(os.path.abspath(__file__))
    names = {name.removesuffix(".py") for name in os.listdir(here)}
    ours = {name: sys.modules.pop(name) for name in names & sys.modules.keys()}
    path = list(sys.path)
    sys.path[:] = [os.path.dirname(os.path.abspath(source.path)), *(folder for folder in path if folder != here)]
    sys.modules[source.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        for name in names & sys.modules.keys():
            del sys.modules[name]
        sys.modules.update(ours)
        sys.path[:] = path
    return module


def adapter_of(source, package):
    """What runner.serve takes, as a module NAME_adapter.py would be."""
    adapter = SimpleNamespace(NAME=source.name, OWN_FILE=source.path, WORKER="frameworks/own_file.py")
    modules = dict.fromkeys((*source.modules, "numpy"))  # which the worker needs in any case
    distributions = [DISTRIBUTIONS.get(name, name) for name in modules]
    adapter.DISTRIBUTIONS = [name for name in distributions if runner.version(name) != "?"]  # of imported modules

    def start(threads):
        import own_training

        own_training.limit_threads(threads, source.modules)
        adapter.module = run_file(source, package)
        return own_training.runtime(threads, source.modules)

    adapter.start = start
    adapter.MODES = {name: mode_of(source, adapter, name) for name in source.functions}
    return adapter


def mode_of(source, adapter, name):
    """A class of trainings by one function of the file; what it is based on is loaded with NumPy, when it is made."""
    function = source.functions[name]
    limits, is_loop = function.limits, function.kind == "training"

    class Mode(Training):
        TASKS = ("train",)
        DTYPES = tuple(limits.get("dtypes", ("f32", "f64")))
        ACTIVATIONS = tuple(limits.get("activations", CATALOGUE["activations"]))
        LOSSES = tuple(limits.get("losses", CATALOGUE["losses"]))
        OPTIMIZERS = tuple(limits.get("optimizers", CATALOGUE["optimizers"] if is_loop else ("sgd",)))
        CAPABILITIES = ("shuffle", "schedule") + (("weight_decay", "epsilon_place") if is_loop else ())
        MAX_LAYERS = limits.get("layers", 0)

        def __new__(cls, problem, data, options):
            import own_training

            made = own_training.Loop if is_loop else own_training.StepFunction
            return made(getattr(adapter.module, name), function, source, problem, data, options)

    Mode.__doc__ = function.text
    return Mode


def main():
    if sys.argv[1] == "--describe":
        script, package = sys.argv[2:]
        load_package(package)
        sys.argv = [script]
        runpy.run_path(script, run_name="__main__")
        return
    path, package = sys.argv[1:]
    try:
        source = Source(path)
    except SyntaxError as error:
        sys.exit(f"{path}:{error.lineno}: {error.msg}: {(error.text or '').strip()}")
    except (BadFile, OSError) as error:
        sys.exit(str(error))
    adapter = adapter_of(source, package)
    sys.path.append(os.path.dirname(os.path.abspath(path)))  # where python MINE.py looks, too
    missing = [module for module in ("numpy", *source.modules) if importlib.util.find_spec(module) is None]
    runner.serve(adapter, f"{sys.executable} has no {', '.join(missing)}" if missing else "")


if __name__ == "__main__":
    main()
