"""Python environments as an axis: --env NAME=PATH, what it measures and says, and the status for git bisect run."""

import pathlib
import re
import shutil
import subprocess
import tempfile

import sentence_checker
from program import PROGRAM, ProgramTest, options
from report_figures import Report

PYTHON = "/usr/bin/python3"  # which has NumPy where the tests' packages are installed
LINEAR = ("--scenario", "linreg-300x2")

MINE = """
import fakelib
import gdbench


@gdbench.step
def step(w, x, y, rate):
    fakelib.work()
    return w - rate * 2 / len(y) * (x.T @ (x @ w - y))
"""
FAST = "def work():\n    pass\n"
SLOW = "import time\n\n\ndef work():\n    time.sleep(0.0002)\n"  # twenty steps
METADATA = "Metadata-Version: 2.1\nName: fakelib\nVersion: {}\n"


def make_environment(folder, version="", library=""):
    """A virtual environment, with a version of fakelib where there is one."""
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", "--system-site-packages", folder], check=True)
    [packages] = pathlib.Path(folder).glob("lib/python*/site-packages")
    if version:
        (packages / "fakelib.py").write_text(library, encoding="utf-8")
        (packages / f"fakelib-{version}.dist-info").mkdir()
        (packages / f"fakelib-{version}.dist-info/METADATA").write_text(METADATA.format(version), encoding="utf-8")


class Environments(ProgramTest):
    variables = {"GDBENCH_PYTHON": PYTHON}

    @classmethod
    def setUpClass(cls):
        cls.venvs = pathlib.Path(tempfile.mkdtemp(prefix="gdbench-venvs-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.venvs, ignore_errors=True)
        make_environment(cls.venvs / "fast", "1.0", FAST)
        make_environment(cls.venvs / "slow", "2.0", SLOW)
        make_environment(cls.venvs / "bare")

    def setUp(self):
        super().setUp()
        self.write("mine.py", MINE)

    def env(self, **folders):
        return options("--env", (f"{name}={self.venvs / folder}" for name, folder in folders.items()))

    def run_mine(self, *arguments, status=0, impl="./mine.py", **folders):
        return self.call("run", "--impl", impl, *LINEAR, *self.env(**folders), *arguments, "--out", "x.json",
                         "--overwrite", status=status)


class Measured(Environments):
    def test_a_slower_library_is_found_and_told(self):
        _, errors = self.run_mine("--launches", "3", "--bisect", status=1, old="fast", new="slow")
        self.assertRegex(errors,
                         r"(?m)^bisect: bad \(exit status 1\): mine/step takes .* in old \(fakelib 1\.0\): slower$")
        cells, document = self.cells_by_name(), self.read_json("x.json")
        self.assertEqual(list(cells), ["mine/step@old", "mine/step@new"])
        self.assertEqual(document["run"]["baseline"], "mine/step@old")
        old, new = cells.values()
        self.assertEqual(new["summary"]["ratio"]["comparison"]["verdict"], "slower")
        self.assertRegex(old["build"], r"^CPython \S+, fakelib 1\.0, numpy \S+$")
        self.assertRegex(new["build"], r"^CPython \S+, fakelib 2\.0, numpy \S+$")
        python = self.venvs / "slow/bin/python"
        self.assertEqual(new["repeat"], f"gdbench run --scenario linreg-300x2 --impl ./mine.py:step --env new={python}")
        self.check_what_is_said(document)

    def check_what_is_said(self, document):
        report = Report(document)
        proof = sentence_checker.Proof(report)
        output, _ = self.call("report", "x.json")
        told = r"mine/step takes \S+ \[\S+ \S+\] as long in new \(fakelib 2\.0\) as in old \(fakelib 1\.0\): slower\."
        self.assertRegex(" ".join(output.split()), told)
        self.assertRegex(output, r"(?m)^CPython \S+, fakelib 1\.0, numpy \S+, fakelib 2\.0$")
        texts = {option: self.call("report", "x.json", option, "-")[0] for option in ("--document", "--csv", "--html")}
        self.assertEqual(proof.check_document(sentence_checker.read_parts(texts["--document"])), [])
        self.assertEqual(sentence_checker.check_csv(report, texts["--csv"]), [])
        texts["details"], _ = self.call("report", "x.json", "--details")
        self.assertRegex(texts["details"], r"Build of mine/step@new: CPython \S+ fakelib 2\.0")
        texts["compare"], _ = self.call("compare", "x.json", "x.json", status=None)
        texts["history"], _ = self.call("history", "x.json", status=None)
        for text in texts.values():
            self.assertIn("mine/step@new", text)
        explained, _ = self.call("explain", "x.json", "--a", "mine/step@new", "--b", "mine/step@old")
        self.assertRegex(" ".join(explained.split()), r"The environment alone: new instead of old\.")

    def test_an_environment_beside_itself_is_no_other(self):
        output, errors = self.run_mine("--launches", "3", "--bisect", status=None, a="slow", b="slow")
        verdict = self.cells_by_name()["mine/step@b"]["summary"]["ratio"]["comparison"]["verdict"]
        self.assertIn(verdict, ("equivalent", "inconclusive"))
        self.assertRegex(" ".join(output.split()), rf"mine/step takes \S+ \[\S+ \S+\] as long in b as in a: {verdict}")
        self.assertRegex(errors, r"(?m)^bisect: (good \(exit status 0\): nothing is slower$|skip \(exit status 125\))")

    def test_what_decides_nothing_is_skipped(self):
        others = ("--impl", "hand/naive", "--baseline", "mine/step")  # a baseline is that of the first environment
        _, errors = self.run_mine("--quick", "--bisect", *others, status=125, old="fast", new="slow")
        self.assertRegex(errors, r"(?m)^bisect: skip \(exit status 125\): mine/step takes .*within one process")
        self.assertEqual(self.read_json("x.json")["run"]["baseline"], "mine/step@old")
        output, errors = self.run_mine("--quick", "--bisect", status=125, old="fast", new="bare")
        lacks = f"{self.venvs / 'bare/bin/python'} has no fakelib"
        self.assertRegex(errors, rf"(?m)^bisect: skip \(exit status 125\): \S+/step@new is unsupported: {lacks}$")
        self.assertEqual(self.cells_by_name()["mine/step@new"]["status"], {"state": "unsupported", "reason": lacks})
        self.assertNotIn("mine/step takes", output)
        build = str(pathlib.Path(PROGRAM).parents[1])
        for arguments, chosen, said in (
            ((), {"new": "fast"}, "gdbench: --bisect: found nothing to compare, expected --against, or --env twice$"),
            ((), {"old": "fast", "new": "nowhere"}, "gdbench: --env new: found no "),
            (("--against", build), {"impl": "hand/naive"},
             r"bisect: skip \(exit status 125\): linreg-300x2/hand/naive is inconclusive \("),
        ):
            _, errors = self.run_mine("--quick", "--bisect", *arguments, status=125, **chosen)
            self.assertRegex(errors, f"(?m)^{said}")

    def test_a_report_is_a_side_of_a_bisection(self):
        self.run_mine("--quick", lib="fast")
        self.write_json("base.json", self.launched_again(self.read_json("x.json"), {"mine/step@lib": 5000}))
        _, errors = self.run_mine("--launches", "8", "--against", "base.json", "--bisect", status=1, lib="slow")
        self.assertRegex(errors, r"(?m)^bisect: bad \(exit status 1\): linreg-300x2/mine/step@lib is regressed$")


class Chosen(Environments):
    def rows(self, *arguments, **folders):
        output, _ = self.call("run", *LINEAR, *self.env(**folders), *arguments, "--dry-run")
        return re.findall(r"(?m)^linreg-300x2/(\S+)$", output)

    def test_globs_choose_environments(self):
        both = {"old": "fast", "new": "slow"}
        for chosen, rows in {
            ("--impl", "numpy/inplace@new"): ["numpy/inplace@new"],
            ("--impl", "numpy/inp*", "--exclude", "*@old"): ["numpy/inplace@new"],
            ("--impl", "numpy/*,hand/naive", "--impl", "./mine.py", "--exclude", "numpy/loop"): [
                *(f"{one}@{name}" for one in ("mine/step", "numpy/inplace", "numpy/vectorised") for name in both),
                "hand/naive",
            ],
            ("--impl", "./mine.py:step@new"): ["mine/step@new"],
        }.items():
            with self.subTest(chosen=chosen):
                self.assertEqual(sorted(self.rows(*chosen, **both)), sorted(rows))
        self.assertEqual(self.rows("--impl", "numpy/inplace"), ["numpy/inplace"])

    def test_a_framework_starts_in_the_environment(self):
        output, _ = self.call("verify", "--impl", "numpy/inplace,jax/jit", *LINEAR, *self.env(a="bare/bin/python"))
        self.assertRegex(output, r"(?m)^\s*numpy/inplace@a\s+ok")
        self.assertRegex(output, rf"(?m)^\s*jax/jit@a\s+unsupported\s+{self.venvs}/bare/bin/python has no .*jax")

    def test_other_commands_take_environments(self):
        one, both = self.env(a="fast"), self.env(a="fast", b="bare")
        self.assertIn("loss", self.call("train", "linreg-300x2", "--impl", "./mine.py", "--steps", "5", *one)[0])
        _, errors = self.call("train", "linreg-300x2", "--impl", "numpy/inplace", *both, status=2)
        self.assertIn("expected one of numpy/inplace@a, numpy/inplace@b", errors)
        output, _ = self.call("profile", "linreg-300x2", "--impl", "numpy/inplace@b", *both)
        self.assertIn("numpy/inplace@b", output)
        output, _ = self.call("crossover", "linreg-300x2", "--a", "numpy/inplace@a", "--b", "numpy/inplace@b", "--axis",
                              "steps", "--launches", "1", *both, status=None)
        self.assertRegex(output, r"(?m)^  numpy/inplace@a .*\n  numpy/inplace@b ")


class Wrong(Environments):
    def test_mistakes_are_one_line(self):
        fast = self.venvs / "fast"
        self.write("no_python", "")
        name = r"expected NAME=PATH with a NAME of letters, digits, '\.', '_' and '-', not of digits alone"
        for given, fault in {
            (f"x={self.venvs}",): rf"--env x: found no {self.venvs}/bin/python, expected the folder of a Python env",
            ("x=/nowhere",): r"--env x: found no /nowhere, expected the folder of a Python environment, or a Python",
            ("x=no_python",): r"--env x: cannot execute .*|--env x: .*/no_python does not start: .*",
            ("x=/bin/false",): r"--env x: /bin/false does not start: exit status 1",
            (f"x={fast}", f"x={fast}"): r"--env x: found twice, expected a name of its own for each environment",
            (f"2={fast}",): rf'--env: found "2=.*", {name}', ("x=",): rf'--env: found "x=", {name}',
        }.items():
            with self.subTest(given=given):
                chosen = ("--impl", "numpy/inplace", *options("--env", given))
                output, errors = self.call("run", *LINEAR, *chosen, status=2)
                self.assertEqual(output, "")
                self.assertRegex(errors, rf"^gdbench: (?:{fault})[^\n]*\n$")
        for command in (("verify", *LINEAR), ("train", "linreg-300x2")):
            self.expect_error([*command, "--impl", "numpy/inplace", "--env", "x=/nowhere"], "--env x: found no ")
        lame = self.folder / self.write("lame", '#!/bin/sh\n[ "$1" = -c ] || exit 1\n')
        lame.chmod(0o755)
        _, errors = self.call("run", "--impl", "numpy/inplace", *self.env(old="fast"), "--env", f"new={lame}", status=2)
        self.assertRegex(errors, r"^gdbench: --env new: numpy\.adapter\.json: could not be asked: [^\n]*\n$")
        for option in ("--build", "--against"):
            _, errors = self.run_mine(option, str(self.folder), status=2, old="fast")
            self.assertEqual(errors, "gdbench: --env: found another build in --build or --against, expected this one "
                                     "alone\n")
