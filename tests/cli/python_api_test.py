"""gdbench.run and gdbench.compare: functions of files and of cells, data as arrays, and what a Report answers."""

import linecache
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, environment

PACKAGE = pathlib.Path(PROGRAM).parents[1] / "lib/gdbench/python"
SCRIPT = """
import gdbench


@gdbench.step
def mine(w, x, y, rate):
    return w - rate * 2 / len(y) * (x.T @ (x @ w - y))

report = gdbench.compare(mine, "hand/naive", scenario="linreg-3x2", quick=True)
if __name__ == "__main__":
    print(report)
"""


def cell(source, names=None):
    """What a notebook has after a cell ran: its globals; the source is known by linecache, as IPython has it."""
    name = f"<ipython-input-{abs(hash(source))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names = {"__name__": "__main__", **(names or {})}
    exec(compile(source, name, "exec"), names)  # as a notebook does
    return names


class PythonApi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(PACKAGE))
        cls.cache = tempfile.TemporaryDirectory(prefix="gdbench-api-")
        cls.addClassCleanup(cls.cache.cleanup)
        os.environ.update(environment(variables={"GDBENCH_PROGRAM": PROGRAM, "XDG_CACHE_HOME": cls.cache.name}))
        import gdbench

        cls.gdbench = gdbench

    def test_compares_a_function_of_a_cell_with_what_it_uses(self):
        names = cell(
            "import gdbench\nimport numpy as np\nFACTOR = 2\n\ndef gradient(w, x, y):\n"
            "    return FACTOR / len(y) * np.matmul(x.T, x @ w - y)\n\n"
            "def mine(w, x, y, rate):\n    return w - rate * gradient(w, x, y)\n")
        report = self.gdbench.compare(names["mine"], "hand/naive", scenario="linreg-3x2", quick=True)
        states = {one["implementation"]: one["status"]["state"] for one in report.data["cells"]}
        self.assertEqual(states, {"mine/mine": "ok", "hand/naive": "ok"})
        self.assertEqual(report.data["run"]["baseline"], "mine/mine")
        verdict = report.verdict("hand/naive", "mine/mine")
        self.assertLess(verdict.ratio, 1)
        ratio = r"\S+x \[\S+, \S+\]"
        self.assertRegex(repr(verdict), rf"^linreg-3x2/hand/naive takes {ratio} as long as linreg-3x2/mine/mine: ")
        self.assertRegex(report._repr_html_(), r'^<iframe srcdoc="&lt;!DOCTYPE html')
        self.assertIn("mine/mine", repr(report))

    def test_takes_arrays_as_data(self):
        import numpy

        x = numpy.arange(40.0).reshape(20, 2) / 40
        report = self.gdbench.run("hand/naive", data=(x, x @ [1.0, 2.0]), quick=True,
                                  settings={"optimizer.learning_rate": [0.1, 0.2]})
        self.assertEqual([one["rows"] for one in report.data["scenarios"]], [20, 20])
        with self.assertRaisesRegex(ValueError, r"data: found x \[20, 2\] and y \[3\], expected x \[rows, features\]"):
            self.gdbench.run("hand/naive", data=(x, x[:3, 0]))

    def test_refuses_what_a_fresh_process_cannot_have(self):
        refused = {
            "table = [1]\ndef mine(w, x, y, rate):\n    return w + table[0]\n":
                "mine uses table, a list of the notebook, which a fresh process does not have; define it in",
            "def outer():\n  k = 1\n  def mine(w, x, y, rate):\n    return w + k\n  return mine\nmine = outer()\n":
                "mine uses k of the function around it; define it in a cell of its own",
            "class Model:\n    pass\ndef mine(problem):\n    return Model()\n":
                "mine uses the class Model of a cell; write both to a file",
        }
        for source, fault in refused.items():
            with self.subTest(source=source), self.assertRaisesRegex(self.gdbench.NotSelfContained, fault):
                self.gdbench.run(cell(source)["mine"], scenario="linreg-3x2")
        with self.assertRaisesRegex(self.gdbench.GdbenchError, '^gdbench: --impl: found "hand/egen"') as raised:
            self.gdbench.run("hand/egen")  # as the command does
        self.assertEqual(raised.exception.status, 2)

    def test_a_script_that_runs_itself_is_told(self):
        path = pathlib.Path(self.cache.name) / "script.py"
        path.write_text(SCRIPT, encoding="utf-8")
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertEqual(done.returncode, 0, done.stderr)
        said = " ".join(done.stdout.split())
        self.assertRegex(said, r"crashed: script/mine.* GdbenchError: called while a worker loads the file; put the")
