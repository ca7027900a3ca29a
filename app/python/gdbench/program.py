"""The gdbench program as functions call it."""
import os
import shutil
import subprocess
import sys


class GdbenchError(Exception):
    """What the program said on stderr, and its exit status as `status`."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def path():
    """Of the program: GDBENCH_PROGRAM, that of the wheel or the build that this package belongs to, or that on PATH."""
    package = os.path.dirname(os.path.abspath(__file__))
    built = os.path.normpath(os.path.join(package, "../../../../bin/gdbench"))
    for candidate in (os.environ.get("GDBENCH_PROGRAM"), os.path.join(package, "bin", "gdbench"), built):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("gdbench")
    if not found:
        raise GdbenchError("found no program gdbench, expected it in the package, on PATH or in GDBENCH_PROGRAM", 2)
    return found


def call(arguments, statuses=(0,)):
    """Runs it to its end and returns what it printed. Raises GdbenchError for any other exit status."""
    if os.environ.get("GDBENCH_WORKER"):
        raise GdbenchError("called while a worker loads the file; put the call below if __name__ == '__main__':", 2)
    environment = {"GDBENCH_PYTHON": sys.executable, **os.environ}
    done = subprocess.run([path(), *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in statuses:
        raise GdbenchError(done.stderr.strip() or f"exit status {done.returncode}", done.returncode)
    return done.stdout
