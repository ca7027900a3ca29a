"""What travels to a machine with a GPU, on the emulated device: it is packed, carried elsewhere, and run there."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import unittest

from framework_rows import ENVIRONMENTS, MISSING, is_installed
from program import PROGRAM, SOURCE, environment, processes_in, soon

BUILD = pathlib.Path(PROGRAM).parents[1]
# What a driver and a toolkit bring along. The checker runs the program, and finds something where FINDING names it.
NVIDIA_SMI = """#!/bin/sh
case "$*" in
  *--loop*) while :; do echo "2026/01/01 00:00:00.000, 1980 MHz"; sleep 0.2; done ;;
  *compute_mode*noheader*) echo Default ;;
  *) echo "an emulated device, 0.0, none, 16384 MiB" ;;
esac
"""
COMPUTE_SANITIZER = """#!/bin/sh
tool=$2
while [ "${1#--}" != "$1" ]; do case $1 in --error-exitcode | --target-processes | --tool) shift ;; esac; shift; done
"$@" || exit
if [ "$FINDING" = "$tool" ]; then errors=3; else errors=0; fi
echo "========= ERROR SUMMARY: $errors errors"
"""
ALWAYS = "device kernels ceilings first-timing conformance memcheck synccheck initcheck racecheck matrix".split()


def make_program(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


class GpuCheck(unittest.TestCase):
    """All of them share one package, and each has an empty working folder."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="gdbench-gpu-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        packed = cls.shared / "packed"
        cls.pack(BUILD, "--backend", "emulated_cuda", "--out", packed)
        cls.package = packed.rename(cls.shared / "carried")
        cls.tools = cls.shared / "tools"
        cls.tools.mkdir()
        make_program(cls.tools / "nvidia-smi", NVIDIA_SMI)
        make_program(cls.tools / "compute-sanitizer", COMPUTE_SANITIZER)

    @staticmethod
    def pack(*arguments, status=0):
        command = [SOURCE / "scripts" / "gpu-package", "--pack", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        return done.stderr

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="work-", dir=self.shared))
        self.out = self.folder / "results"

    def start(self, *arguments, script=None, tools=None, **variables):
        path = f"{tools or self.tools}:{os.environ['PATH']}"
        always = ("--backend", "emulated_cuda", "--glance", "--out", "results")
        return subprocess.Popen(
            [script or self.package / "gpu-check", *always, *arguments],
            cwd=self.folder, env={**environment(), "PATH": path, **variables}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )

    def call(self, *arguments, status=0, **options):
        """Returns stdout and stderr."""
        with self.start(*arguments, **options) as process:
            output, errors = process.communicate(timeout=240)
        logs = "" if status else "".join(log.read_text() for log in self.out.glob("*.log"))
        self.assertEqual(process.returncode, status, output + errors + logs)
        return output, errors

    def outcomes(self, output):
        """Of each step, in order."""
        return dict(re.findall(r"^(\S+) +\d+ s  \(at +\d+ s\)  (.*)$", output, re.M))

    def archived(self, path="results/results.tar.gz"):
        with tarfile.open(self.folder / path) as archive:
            files = [member for member in archive if member.isfile()]
            return {file.name.removeprefix("./"): archive.extractfile(file).read().decode() for file in files}

    def broken_package(self, **programs):
        """The package with other programs in place of its own."""
        broken = self.folder / "broken"
        (broken / "bin").mkdir(parents=True)
        shutil.copy(self.package / "gpu-check", broken)
        folders = (path for path in self.package.iterdir() if path.is_dir() and path.name != "bin")
        for path in (*folders, *(self.package / "bin").iterdir()):
            (broken / path.relative_to(self.package)).symlink_to(path)
        for name, text in programs.items():
            path = broken / "bin" / name.replace("_", "-")
            path.unlink()
            make_program(path, text)
        return broken / "gpu-check"

    def assert_frameworks_timed(self, name, module, row, *absent):
        """By a Python that has this module alone, whatever else is installed, and that is shown no library of CUDA."""
        if not is_installed(name):
            self.skipTest(MISSING + name)
        python, cublas = self.folder / "python", self.folder / "nvidia" / "cu13" / "lib" / "libcublasLt.so.13"
        cublas.parent.mkdir(parents=True)
        cublas.touch()
        make_program(python, '#!/bin/sh\ncase $LD_LIBRARY_PATH in *nvidia* | *cuda*) exit 9 ;; esac\n'
                             f'exec {ENVIRONMENTS / name / "bin" / "python"} "$@"\n')
        output, _ = self.call("--step", "frameworks", GDBENCH_PYTHON=str(python), PYTHONPATH=str(self.folder),
                              GDBENCH_FRAMEWORKS=str(ENVIRONMENTS))
        self.assertEqual(self.outcomes(output), {"device": "ok", "frameworks": "ok"})
        kept = self.archived()
        self.assertIn(f"{python} has {module}\n", kept["frameworks.log"])
        found = {cell["id"]: cell["status"] for cell in json.loads(kept["gpu-frameworks.json"])["cells"]}
        self.assertEqual(found[f"linreg-3x2/{row}"]["state"], "ok")
        self.assertRegex(found[f"linreg-3x2/{row}?device=cuda"]["reason"], "finds no CUDA device")
        for other in absent:
            self.assertRegex(found[f"linreg-3x2/{other}"]["reason"], " has no ")

    def test_frameworks_of_a_python_with_pytorch(self):
        self.assert_frameworks_timed("pytorch", "torch", "pytorch/eager", "jax/loop", "cupy/eager")

    def test_frameworks_of_a_python_with_jax(self):
        self.assert_frameworks_timed("jax", "jax", "jax/loop", "pytorch/eager", "cupy/eager")

    def test_a_package_that_was_not_carried_elsewhere(self):
        """It lies below a source tree, which has scenarios of the same names."""
        tree = self.folder / "tree"
        (tree / "scenarios").mkdir(parents=True)
        for scenario in (self.package / "scenarios").glob("*.json"):
            shutil.copy(scenario, tree / "scenarios")
        package = shutil.copytree(self.package, tree / "build" / "gpu-package", copy_function=os.link)
        output, _ = self.call("--step", "memcheck", script=package / "gpu-check")
        self.assertEqual(self.outcomes(output), {"device": "ok", "memcheck": "ok"})

    def test_a_whole_run(self):
        output, _ = self.call()
        found = self.outcomes(output)
        self.assertRegex(found.pop("frameworks"), r"^ok$|^skipped \(\S+ has no torch, jax, tensorflow or cupy\)$")
        self.assertEqual(found, {step: "ok" for step in ALWAYS})
        self.assertIn("all is well", output)
        kept = self.archived()
        files = {str(path.relative_to(self.out)) for path in self.out.rglob("*") if path.is_file()}
        self.assertEqual(set(kept), files - {"results.tar.gz"})
        for name in ("first.json", "gpu.json"):
            timed = {cell["implementation"] for cell in json.loads(kept[name])["cells"] if cell["samples"]}
            for implementation in ("tape/emulated_cuda", "graph/emulated_cuda+device-graph", "fused/emulated_cuda"):
                self.assertIn(implementation, timed)
        self.assertEqual(json.loads(kept["ceilings.json"])["device"], "an emulated device")
        self.assertGreater(kept["clocks.csv"].count("1980 MHz"), 3)
        # Products by TF32 were verified where they are TF32's.
        points = next(name for name in kept if name.startswith("conformance/gpu-points-scenario-mlp-784"))
        for name, words in {
            "first.txt": r"graph/emulated_cuda\+device-graph +\d.* [nu]s \*", "device.log": "compute mode: Default",
            "kernels.log": r"plugins_test: \[  PASSED  \] \d+ tests?\.", points: r"hand/emulated_cuda\+tf32 +ok",
            "conformance.log": r"impl fused/emulated_cuda .*: 2 cells: 1 ok, 1 unsupported",
            **dict.fromkeys(("memcheck.txt", "synccheck.txt", "initcheck.txt"), r"fused/emulated_cuda +ok"),
            "racecheck-fused-emulated_cuda-linreg-3x2.txt": r"loss .* after 2 steps",
        }.items():
            self.assertRegex(kept[name], words)

        # Once more, into the same folder: a run that was cut goes on, and one that is whole begins anew.
        report = json.loads((self.out / "gpu.json").read_text(encoding="utf-8"))
        report["run"]["status"] = "interrupted"
        (self.out / "gpu.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
        output, _ = self.call("--step", "matrix", "--step", "first-timing", "--step", "crossover")
        steps = ("device", "first-timing", "matrix", "crossover")
        self.assertEqual(self.outcomes(output), dict.fromkeys(steps, "ok"))
        kept = self.archived()
        self.assertIn("went on with", kept["matrix.log"])
        self.assertNotIn("went on with", kept["first-timing.log"])
        for axis in ("batch", "width"):
            self.assertIn("graph/emulated_cuda+device-graph", kept[f"crossover-{axis}.txt"])

    def test_what_fails_and_what_hangs_ends_nothing_but_itself(self):
        script = self.broken_package(gdbench_device_ceilings="#!/bin/sh\necho half an answer\nexec sleep 600\n")
        output, _ = self.call(
            "--step", "memcheck", "--step", "ceilings", "--step", "synccheck", "--archive", "back/one.tar.gz",
            status=1, script=script, FINDING="memcheck", GDBENCH_GPU_CHECK_LIMITS="ceilings=1 memcheck=100",
        )
        expected = {"device": "^ok$", "ceilings": r"^TIMED OUT after 1 s: .*/ceilings\.log$",
                    "memcheck": r"^FAILED: .*/memcheck\.log$", "synccheck": "^ok$"}
        found = self.outcomes(output)
        self.assertEqual(list(found), list(expected))
        for step, outcome in expected.items():
            self.assertRegex(found[step], outcome)
        self.assertIn("failed: ceilings memcheck", output)
        self.assertEqual([path.name for path in (self.folder / "back").iterdir()], ["one.tar.gz"])
        kept = self.archived("back/one.tar.gz")
        for name, words in {"ceilings.json": "half an answer", "memcheck.log": "3 errors", "steps.txt": "TIMED OUT",
                            "synccheck.txt": ""}.items():
            self.assertIn(words, kept[name])
        self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def test_who_is_stopped_leaves_what_there_is(self):
        script = self.broken_package(gdbench_device_ceilings="#!/bin/sh\necho begun\nexec sleep 600\n")
        for stop in (signal.SIGTERM, signal.SIGKILL):
            process = self.start("--step", "ceilings", script=script)
            self.addCleanup(process.kill)
            begun = self.out / "ceilings.json"
            self.assertTrue(soon(lambda: begun.exists() and "begun" in begun.read_text(encoding="utf-8"), 60))
            process.send_signal(stop)
            if stop == signal.SIGKILL:  # which no process can pass on; the steps that ended are there
                for other in processes_in(self.folder):
                    os.kill(other, signal.SIGKILL)
            process.communicate(timeout=30)
            self.assertNotEqual(process.returncode, 0)
            kept = self.archived()
            self.assertRegex(kept["steps.txt"], r"^device .* ok\n$")
            self.assertTrue(soon(lambda: processes_in(self.folder) == []))
            if stop == signal.SIGTERM:
                self.assertIn("begun", kept["ceilings.json"])
                shutil.rmtree(self.out)

    def test_a_test_that_is_not_there_is_no_test_that_passed(self):
        script = self.broken_package()
        tests = script.parent / "tests"
        tests.unlink()
        shutil.copytree(self.package / "tests", tests)
        make_program(tests / "plugins_test", '#!/bin/sh\necho "[  PASSED  ] 0 tests."\n')
        output, _ = self.call("--step", "kernels", status=1, script=script)
        self.assertTrue(self.outcomes(output)["kernels"].startswith("FAILED"))
        self.assertIn("plugins_test: no test on the backend emulated_cuda passed",
                      (self.out / "kernels.log").read_text())

    def test_without_a_device_or_a_toolkit(self):
        tools = self.folder / "tools"
        tools.mkdir()
        make_program(tools / "nvidia-smi", NVIDIA_SMI)
        if shutil.which("compute-sanitizer", path=os.environ["PATH"] + ":/usr/local/cuda/bin") is None:
            output, _ = self.call("--step", "racecheck", tools=tools)
            self.assertEqual(self.outcomes(output)["racecheck"], "skipped (compute-sanitizer is not on the PATH)")
        make_program(tools / "nvidia-smi", "#!/bin/sh\nexit 9\n")
        output, _ = self.call(tools=tools)
        self.assertEqual(list(self.outcomes(output)), ["device"])
        self.assertIn("there is no CUDA device here; nothing was run", output)

    def test_usage(self):
        for arguments, words in (
            (("--step", "nonsense"), "there is no step nonsense"), (("--step",), "--step needs a value"),
            (("--nonsense",), "there is no option --nonsense"),
            (("/nowhere",), "/nowhere: there is no bin/gdbench in it"),
        ):
            _, errors = self.call(*arguments, status=2)
            self.assertIn(words, errors)
            self.assertEqual(errors.count("\n"), 1)
        self.assertFalse(self.out.exists())
        self.assertIn("which build?", self.call(status=2, script=SOURCE / "scripts" / "gpu-check")[1])
        listed, _ = self.call("--list")
        steps = [line.split()[0] for line in listed.splitlines()]
        self.assertEqual(steps, [*ALWAYS, "frameworks", "wide", "crossover"])
        self.assertEqual(listed.count("only when asked for"), 2)
        for arguments, words in (
            ((self.folder,), "there is no bin/gdbench"), ((BUILD, "--backend", "nonsense"), "has no plugin nonsense"),
            ((BUILD, "--backend", "emulated_cuda", "--out", self.folder), "is there and no package"),
        ):
            self.assertIn(words, self.pack(*arguments, status=2))
