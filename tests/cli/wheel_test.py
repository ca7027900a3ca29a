"""The wheel of scripts/wheel, in a virtual environment that has nothing else, without a network or a compiler."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program import SOURCE

WHEELS = sorted((SOURCE / "build/wheel").glob("gdbench-*.whl"), key=lambda path: path.stat().st_mtime)
MOST_BYTES = 60e6
# Beside what kernels were compiled for, what Linux calls the features that a processor needs to run them.
ARCHITECTURES = (("x86-64-v4", {"avx512f", "avx512vl", "avx512bw"}), ("x86-64-v3", {"avx2", "fma"}), ("x86-64", set()))
CONTENTS = (
    "include/gdbench/plugin.h", "lib/gdbench/frameworks/catalogue.json", "lib/gdbench/frameworks/own_file.py",
    "lib/gdbench/numpy.adapter.json", "lib/gdbench/preload/libgdbench_allocations.so",
    "share/gdbench/scenarios/linreg-3x2.json",
)


def best_architecture():
    flags = set(re.search(r"^flags\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    return next(name for name, needed in ARCHITECTURES if needed <= flags)


@unittest.skipUnless(WHEELS, "there is no wheel in build/wheel; scripts/wheel makes one")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="gdbench-wheel-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.environment = cls.folder / "environment"
        if subprocess.run(["/usr/bin/python3", "-m", "venv", cls.environment], check=False).returncode != 0:
            raise unittest.SkipTest("/usr/bin/python3 makes no virtual environments; scripts/setup --tests")
        cls.python = cls.environment / "bin/python"
        pip = [cls.python, "-m", "pip", "install", "--quiet", "--no-index", WHEELS[-1]]
        subprocess.run(pip, check=True)
        (cls.package,) = cls.environment.glob("lib/python3*/site-packages/gdbench")

    def call(self, *command, status=0, **variables):
        """Runs it where the environment's programs are the only ones that are found."""
        known = {"PATH": str(self.environment / "bin"), "HOME": str(self.folder), **variables}
        done = subprocess.run(command, cwd=self.folder, env=known, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_it_is_small_and_whole(self):
        self.assertLess(WHEELS[-1].stat().st_size, MOST_BYTES)
        for name in CONTENTS:
            self.assertTrue((self.package / name).is_file(), name)
        for path in self.package.rglob("*"):
            if path.is_file():
                self.assertNotIn(bytes(SOURCE / "build"), path.read_bytes(), path)

    def test_the_program_is_found_and_keeps_its_status(self):
        version = self.call("gdbench", "--version")
        self.assertRegex(version, r"^gdbench \d")
        self.assertEqual(self.call("python", "-m", "gdbench", "--version"), version)
        self.assertIn("--no-such-option", self.call("gdbench", "run", "--no-such-option", status=2))
        self.call("python", "-c", "import gdbench; gdbench.training, gdbench.step")

    def test_a_quick_run_of_each_scenario(self):
        output = self.call("gdbench", "run", "--quick", "--out", "r.json")
        self.assertIn("time per step", output)
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        builds = {cell["implementation"]: cell["build"] for cell in report["cells"]}
        self.assertEqual({cell["status"]["state"] for cell in report["cells"]} - {"ok", "unsupported"}, set())
        best = f"-march={best_architecture()} "
        for implementation in ("loop/plain", "hand/naive", "hand/eigen", "hand/onednn"):
            self.assertIn(best, builds[implementation])
        # What it runs is generated as it runs.
        self.assertIn("-march=x86-64 ", builds["graph/jit"])
        self.assertTrue(any(f"{self.python} has none of" in note for note in report["notes"]), report["notes"])

    def test_frameworks_run_in_the_python_that_is_named(self):
        listed = self.call("gdbench", "list", "implementations")
        self.assertIn(f"({self.python} has no numpy)", listed)
        if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], stderr=subprocess.DEVNULL,
                          check=False).returncode:
            self.skipTest("there is no python3-numpy")
        selection = ("verify", "--scenario", "linreg-3x2", "--impl", "numpy/vectorised")
        for output in (
            self.call("gdbench", *selection, "--python", "/usr/bin/python3"),
            self.call("gdbench", *selection, GDBENCH_PYTHON="/usr/bin/python3"),
        ):
            self.assertRegex(output, r"numpy/vectorised .*\bok\b")
