"""A function of a notebook's cell or of a script as a file that workers can load."""
import builtins
import inspect
import os
import textwrap
import types


class NotSelfContained(Exception):
    """A function that uses what a file of its own cannot have; the text names it and says what to do."""


def file_of(function, folder):
    """The word for --impl of a function: "FILE.py:NAME" of the file that defines it, or of one in `folder` with its
    source and that of what it uses: modules, functions and plain values of the cells around it."""
    name = function.__name__
    path = inspect.getsourcefile(function) or ""
    marked = hasattr(function, "gdbench")
    if marked and os.path.isfile(path) and function.__qualname__ == name and path.endswith(".py"):
        return f"{path}:{name}"
    lines, known = ["import gdbench"], set()
    _collect(function, lines, known)
    if not marked:
        kind = "training" if len(inspect.signature(function).parameters) == 1 else "step"
        lines[-1] = f"@gdbench.{kind}\n{lines[-1]}"
    file = os.path.join(folder, f"{name}.py")
    with open(file, "w", encoding="utf-8") as written:
        written.write("\n\n".join(lines) + "\n")
    return f"{file}:{name}"


def _collect(function, lines, known):
    """Appends the source of a function behind that of the globals that it uses."""
    known.add(function.__name__)
    function = inspect.unwrap(function)
    if function.__code__.co_freevars:
        names = ", ".join(function.__code__.co_freevars)
        raise NotSelfContained(
            f"{function.__name__} uses {names} of the function around it; define it in a cell of its own")
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except OSError:
        raise NotSelfContained(f"the source of {function.__name__} is not known; write it to a file") from None
    for name in sorted(_names(function.__code__)):
        if name in known or name not in function.__globals__ or hasattr(builtins, name):
            continue
        known.add(name)
        value = function.__globals__[name]
        if isinstance(value, types.ModuleType):
            lines.insert(1, f"import {value.__name__} as {name}")
        elif inspect.isfunction(inspect.unwrap(value)) and value.__module__ == function.__module__:
            _collect(value, lines, known)
        elif inspect.isclass(value) and value.__module__ == function.__module__:
            raise NotSelfContained(f"{function.__name__} uses the class {name} of a cell; write both to a file")
        elif getattr(value, "__module__", None) and hasattr(value, "__qualname__"):
            lines.insert(1, f"from {value.__module__} import {value.__qualname__} as {name}")
        elif isinstance(value, (int, float, str, bool, type(None), tuple)):
            lines.append(f"{name} = {value!r}")
        else:
            raise NotSelfContained(
                f"{function.__name__} uses {name}, a {type(value).__name__} of the notebook, which a fresh process does"
                " not have; define it in the function, or give data as data=(x, y)")
    lines.append(source)


def _names(code):
    """Names that a function and those in it look up, but for attributes of what they have."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
