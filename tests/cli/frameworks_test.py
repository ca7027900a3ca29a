"""Real frameworks behind the protocol: those that are there are verified like any other implementation, the others say
what to install. NumPy and SciPy come from the distribution, JAX from scripts/frameworks."""

import importlib
import itertools
import json
import math
import os
import re
import subprocess
import sys
import types
import unittest
from unittest import mock

from program import CATALOGUE, FRAMEWORKS, SOURCE, ProgramTest

ENVIRONMENTS = SOURCE / "build" / "frameworks"
ADAPTERS = SOURCE / "implementations" / "frameworks"
ALL = sorted(file.name.removesuffix("_adapter.py") for file in ADAPTERS.glob("*_adapter.py"))
MODEL = {"kind": "multilayer_perceptron"}


def importable(*modules):
    command = ["/usr/bin/python3", "-c", "import " + ", ".join(modules)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def network(activation, loss, outputs, **keys):
    layers = [{"width": 7, "activation": activation}, {"width": outputs, "activation": "identity", "bias": False}]
    kind = "blobs" if loss == "softmax_cross_entropy" else "teacher"
    return {
        "name": "net", "model": {**MODEL, "layers": layers}, "loss": loss,
        "data": {"source": "synthetic", "kind": kind, "rows": 50, "features": 5, "outputs": outputs, "seed": 3},
        "batch": {"rows": 16, "shuffle": True, "seed": 2}, "optimizer": {"kind": "sgd", "learning_rate": 0.05}, **keys,
    }


class Frameworks(ProgramTest):
    def verify(self, *arguments, status=0):
        """{cell: row} of a verification."""
        output, _ = self.call("verify", *arguments, status=status)
        return [line.strip() for line in output.splitlines() if "/" in line]

    def assert_all_ok(self, rows, count):
        self.assertEqual([row for row in rows if " ok " not in row], [])
        self.assertEqual(len(rows), count)


class NotInstalled(Frameworks):
    variables = {"GDBENCH_FRAMEWORKS": "/nowhere"}

    def test_rows_say_what_to_install(self):
        rows = self.verify("frameworks", "--scenario", "linreg-3x2", "--impl", "jax/*", "--impl", "keras/*", status=4)
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertRegex(row, r"^(jax|keras)/\S+ +unsupported +not installed: scripts/frameworks (jax|keras)$")

    def test_they_are_listed(self):
        output, _ = self.call("list", "implementations")
        for name in ALL:
            self.assertIn(f"\n{name}/", "\n" + output)
        self.assertIn("(not installed: scripts/frameworks pytorch)", output)

    def test_nobody_meets_them_unasked(self):
        output, _ = self.call("run", "--dry-run")
        self.assertNotIn("jax/", output)
        _, errors = self.call("run", "--impl", "jax/no-such-mode", "--dry-run", status=2)
        self.assertIn("jax/jit", errors)

    def test_a_broken_environment_costs_its_rows_only(self):
        binaries = self.folder / "environments" / "jax" / "bin"
        binaries.mkdir(parents=True)
        python = binaries / "python"
        python.write_text("#!/bin/sh\necho the interpreter is broken >&2\nexit 3\n", encoding="utf-8")
        python.chmod(0o755)
        self.variables = {"GDBENCH_FRAMEWORKS": str(binaries.parent.parent)}
        output, _ = self.call("list", "implementations")
        self.assertIn("the interpreter is broken", output)
        self.assertIn("hand/naive", output)


class ChosenInterpreter(Frameworks):
    """--python and GDBENCH_PYTHON."""

    SELECTION = ("frameworks", "--scenario", "linreg-3x2", "--impl", "numpy/vectorised")

    def setUp(self):
        super().setUp()
        environment = self.folder / "environments" / "numpy"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        self.python = environment / "bin" / "python"  # which has nothing

    def test_it_is_asked_in_the_place_of_environments(self):
        (row,) = self.verify(*self.SELECTION, "--python", str(self.python), status=4)
        self.assertTrue(row.endswith(f"unsupported  {self.python} has no numpy"), row)
        (relative,) = self.verify(*self.SELECTION, "--python=environments/numpy/bin/python", status=4)
        self.assertEqual(relative, row)
        self.variables = {"GDBENCH_PYTHON": str(self.python)}
        self.assertEqual(self.verify(*self.SELECTION, status=4), [row])
        if importable("numpy"):
            self.assert_all_ok(self.verify(*self.SELECTION, "--python", "/usr/bin/python3"), 1)

    def test_a_folder_of_environments_that_is_named_wins(self):
        self.variables = {"GDBENCH_FRAMEWORKS": str(self.folder / "environments"), "GDBENCH_PYTHON": "/usr/bin/python3"}
        (row,) = self.verify(*self.SELECTION, status=4)
        self.assertTrue(row.endswith(f"{self.python} has no numpy"), row)

    def test_what_is_no_interpreter_is_said(self):
        for path in ("/nowhere/python", "no-such-python", "", "environments"):
            _, errors = self.call("run", "--python", path, status=2)
            self.assertEqual(errors, f'gdbench: --python: found "{path}", expected a Python interpreter\n')


@unittest.skipUnless(importable("numpy", "scipy"), "there is no python3-numpy or no python3-scipy")
class Distribution(Frameworks):
    """NumPy and SciPy of the distribution, where no environment is made."""

    variables = {"GDBENCH_FRAMEWORKS": "/nowhere"}
    IMPLEMENTATIONS = ("--impl", "numpy/*", "--impl", "scipy/*")

    def test_seed_scenarios(self):
        rows = self.verify("frameworks", "--scenario", "linreg-3x2", "--scenario", "mlp-10-50-1", *self.IMPLEMENTATIONS)
        self.assert_all_ok(rows, 2 * 4)

    def test_every_optimizer(self):
        output, _ = self.call("verify", "conformance", *self.IMPLEMENTATIONS[2:], "--impl", "numpy/inplace", "--impl",
                              "numpy/vectorised", "--set", "batch=64", "--set", "batch.micro_batches=1", "--brief")
        # SciPy's axpy serves three of the optimizers; neither has bfloat16, one of three dtypes.
        count = len(CATALOGUE["optimizers"])
        without = 4 * (count - 3) + 6 * count
        self.assertIn(f"{18 * count} cells: {18 * count - without} ok, {without} unsupported", output)

    def test_activations_and_losses(self):
        activations = sorted(CATALOGUE["activations"].keys() - {"gelu"})  # NumPy has no erf
        for activation, loss in zip(activations, itertools.cycle(CATALOGUE["losses"])):
            outputs = 4 if CATALOGUE["losses"][loss]["takes_labels"] else 2
            self.write_json("net.json", network(activation, loss, outputs, dtype="f64"))
            rows = self.verify("--scenario", "./net.json", *self.IMPLEMENTATIONS)
            self.assert_all_ok(rows, 4)

    def test_decay_and_schedule(self):
        optimizer = {"kind": "momentum", "learning_rate": 0.05, "weight_decay": 0.1}
        optimizer["schedule"] = {"kind": "cosine", "steps": 20, "final_rate": 0.001}
        for decoupled in (False, True):
            optimizer["decoupled_weight_decay"] = decoupled
            self.write_json("net.json", network("relu", "mse", 1, optimizer=optimizer))
            self.assert_all_ok(self.verify("--scenario", "./net.json", *self.IMPLEMENTATIONS), 4)

    def test_the_update_alone(self):
        rows = self.verify("updates", "--scenario", "update-601", *self.IMPLEMENTATIONS)
        # numpy/loop has no such task; scipy/blas has no adam.
        self.assertEqual(sum(" ok " in row for row in rows), 8)
        self.assertEqual(sum("has no task update" in row or "has no optimizer adam" in row for row in rows),
                         len(rows) - 8)

    def test_a_run_tells_imports_phases_and_calls(self):
        self.call("run", "frameworks", "--scenario", "linreg-300x10", "--impl", "numpy/vectorised", "--impl", "hand/naive",
                  "--launches", "3", "--out", "r.json")
        (cell,) = (cell for cell in self.cells_of(self.read_json("r.json"))
                   if cell["implementation"] == "numpy/vectorised")
        self.assertEqual(cell["status"]["state"], "ok")
        self.assertGreater(cell["launches"][0]["import_seconds"], 0)
        self.assertLess(cell["launches"][0]["import_seconds"], cell["launches"][0]["prepare_seconds"])
        self.assertGreater(cell["launches"][0]["imported_resident_bytes"], 1e6)
        self.assertIn("threads", cell["runtime"])
        # x @ w; - y; * factor; X' @ d; rate *; w -.
        self.assertEqual(cell["profile"]["dispatches_per_step"], 6)
        self.assertGreater(cell["profile"]["floor"][0]["time_ns"], 0)
        phases = {record["phase"] for record in cell["profile"]["records"]}
        self.assertEqual(phases, {"data", "forward", "backward", "update"})
        # Times that leave no doubt, however loaded the machine was: causes are named for differences alone.
        report = self.read_json("r.json")
        for cell in report["cells"]:
            for sample in cell["samples"]:
                sample["real_ns"] = 9000 if cell["implementation"] == "numpy/vectorised" else 900
                sample["cpu_ns"] = sample["real_ns"]
        self.write_json("certain.json", report)
        output, _ = self.call("explain", "certain.json", "--a", "numpy/vectorised", "--b", "hand/naive")
        self.assertIn("numpy/vectorised makes 6 calls into its framework per step", output)

    def test_the_emptiest_step(self):
        self.call("run", "floor", "--impl", "numpy/vectorised", "--quick", "--out", "r.json")
        (cell,) = self.cells_of(self.read_json("r.json"))
        self.assertEqual(cell["status"]["state"], "ok")
        self.assertEqual(len(cell["samples"]), 7)


@unittest.skipUnless((ENVIRONMENTS / "jax" / "requirements.txt").exists(), "not installed: scripts/frameworks jax")
class Jax(Frameworks):
    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}

    def test_seed_scenarios(self):
        rows = self.verify("frameworks", "--scenario", "linreg-3x2", "--scenario", "mlp-784-128-10", "--impl", "jax/*")
        self.assert_all_ok(rows, 2 * 4)

    def test_every_optimizer(self):
        for kind in CATALOGUE["optimizers"]:
            optimizer = {"kind": kind, "learning_rate": 0.01, "weight_decay": 0.01}
            self.write_json("net.json", network("tanh", "softmax_cross_entropy", 3, optimizer=optimizer, dtype="f64"))
            self.assert_all_ok(self.verify("--scenario", "./net.json", "--impl", "jax/jit"), 1)

    def test_mixed_precision(self):
        self.assert_all_ok(self.verify("--scenario", "mlp-784-128-10", "--set", "dtype=bf16", "--impl", "jax/jit"), 1)


class EpsilonPlaces(Frameworks):
    """Where each framework adds epsilon, one that its place shows; a scenario may leave it to each."""

    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}
    PLACES = {"adagrad": "inside", "rmsprop": "inside", "adam": "hat", "adamw": "hat"}
    # {implementation: the optimizers that it has with epsilon elsewhere than outside the root}
    TAKEN = {
        "numpy/vectorised": PLACES, "numpy/inplace": PLACES, "jax/jit": PLACES, "tensorflow/assign": PLACES,
        "tensorflow/function-assign": PLACES, "tensorflow/function": PLACES, "tensorflow/session": {"rmsprop", "adam"},
        "keras/fit": PLACES, "sklearn/mlp": {"adam"}, "pytorch/eager": {}, "loop/plain": PLACES,
    }

    def installed(self, implementation):
        framework = implementation.split("/", maxsplit=1)[0]
        return framework == "loop" or (ENVIRONMENTS / framework / "requirements.txt").exists()

    def rows_of(self, place, kind, dtype, implementations, status=None):
        optimizer = {"kind": kind, "learning_rate": 0.01, "weight_decay": 0, "epsilon": 1e-3, "epsilon_place": place}
        network_of_mlp = network("tanh", "mse", 2, optimizer=optimizer, dtype=dtype)
        network_of_mlp["model"]["layers"][1]["bias"] = True
        self.write_json("net.json", network_of_mlp)
        selected = [word for implementation in implementations for word in ("--impl", implementation)]
        return self.verify("--scenario", "./net.json", *selected, status=status)

    def test_each_place_is_the_reference_s(self):
        for kind, place in self.PLACES.items():
            taking = [name for name, kinds in self.TAKEN.items() if kind in kinds and self.installed(name)]
            for dtype in ("f32", "f64"):
                with self.subTest(kind=kind, dtype=dtype):
                    self.assert_all_ok(self.rows_of(place, kind, dtype, taking, status=0), len(taking))

    def test_who_refuses_names_the_place_that_it_takes(self):
        if self.installed("pytorch/eager"):
            (row,) = self.rows_of("hat", "adam", "f32", ["pytorch/eager"], status=4)
            self.assertIn("pytorch/eager has adam with optimizer.epsilon_place=outside alone, not hat", row)
        if self.installed("keras/fit"):
            (row,) = self.rows_of("outside", "rmsprop", "f32", ["keras/fit"], status=4)
            self.assertIn("keras/fit has rmsprop with optimizer.epsilon_place=inside alone, not outside", row)

    @unittest.skipUnless((ENVIRONMENTS / "sklearn" / "requirements.txt").exists(),
                         "not installed: scripts/frameworks sklearn")
    def test_a_dry_run_says_what_only_the_adapter_knows(self):
        output, _ = self.call("run", "--dry-run", "--scenario", "linreg-300x10", "--impl", "sklearn/mlp")
        self.assertIn("/sklearn/mlp  unsupported: the layers of scikit-learn's networks have biases", output)

    def test_each_may_have_its_own(self):
        names = [name for name in ("pytorch/eager", "keras/fit", "loop/plain") if self.installed(name)]
        self.assert_all_ok(self.rows_of("own", "adam", "f32", names, status=0), len(names))
        if "keras/fit" in names:
            self.call("run", "--scenario", "./net.json", "--impl", "keras/fit", "--impl", "loop/plain", "--quick",
                      "--out", "r.json")
            options = {cell["implementation"]: cell["options"] for cell in self.cells_of(self.read_json("r.json"))}
            self.assertEqual(options, {"keras/fit": {"epsilon_place": "hat"}, "loop/plain": {}})


class Ranks(Frameworks):
    """Several processes of a framework; the last batch of an epoch has two rows, so one of three ranks has none."""

    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}

    def test_they_are_right(self):
        optimizer = {"kind": "momentum", "learning_rate": 0.01}
        self.write_json("net.json", network("tanh", "softmax_cross_entropy", 3, optimizer=optimizer, dtype="f64"))
        ranks = ("--set", "impl.ranks=1", "--set", "impl.ranks=3")
        for implementation in ("pytorch/ddp", "jax/ddp", "tensorflow/multiworker"):
            name = implementation.split("/", maxsplit=1)[0]
            with self.subTest(implementation=implementation):
                if not (ENVIRONMENTS / name / "requirements.txt").exists():
                    self.skipTest(f"not installed: scripts/frameworks {name}")
                self.assert_all_ok(self.verify("--scenario", "./net.json", "--impl", implementation, *ranks), 2)


TORCH_CPP = FRAMEWORKS.parent / "kernels" / "libgdbench_kernels_torch_cpp.so"
TORCH_CPP_MISSING = "not installed: scripts/frameworks torch-cpp"


@unittest.skipIf(TORCH_CPP.exists(), "it is installed")
class TorchCppNotInstalled(Frameworks):
    def test_rows_say_what_to_install(self):
        rows = self.verify("--scenario", "linreg-3x2", "--impl", "torch-cpp/*", status=4)
        self.assertEqual([row.split(None, 2) for row in rows],
                         [[f"torch-cpp/{mode}", "unsupported", TORCH_CPP_MISSING] for mode in ("eager", "fused")])


@unittest.skipUnless(TORCH_CPP.exists(), TORCH_CPP_MISSING)
class TorchCpp(Frameworks):
    IMPLEMENTATIONS = ("--impl", "torch-cpp/*")

    def test_nobody_meets_it_unasked(self):
        self.assertNotIn("torch-cpp/", self.call("run", "--dry-run")[0])

    def test_every_optimizer(self):
        schedule = {"kind": "cosine", "steps": 20, "final_rate": 0.001}
        for kind in CATALOGUE["optimizers"].keys() - {"lion", "nadam"}:
            optimizer = {"kind": kind, "learning_rate": 0.01, "weight_decay": 0.01, "schedule": schedule}
            self.write_json("net.json", network("tanh", "softmax_cross_entropy", 3, optimizer=optimizer, dtype="f64"))
            self.assert_all_ok(self.verify("--scenario", "./net.json", *self.IMPLEMENTATIONS), 2)

    def test_what_it_does_not_have_is_a_reason(self):
        optimizer = {"kind": "adam", "learning_rate": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}
        self.write_json("net.json", network("relu", "mse", 1, optimizer=optimizer))
        for row in self.verify("--scenario", "./net.json", *self.IMPLEMENTATIONS, status=4):
            self.assertRegex(row, "unsupported +torch::optim has no decoupled weight decay for adam")

    def test_activations_and_losses(self):
        for activation, loss in zip(CATALOGUE["activations"], itertools.cycle(CATALOGUE["losses"])):
            outputs = 4 if CATALOGUE["losses"][loss]["takes_labels"] else 2
            self.write_json("net.json", network(activation, loss, outputs))
            self.assert_all_ok(self.verify("--scenario", "./net.json", *self.IMPLEMENTATIONS), 2)

    def test_the_other_tasks(self):
        for scenario in ("update-601", "mlp-64-64-8-gradients"):
            self.assert_all_ok(self.verify("--scenario", scenario, *self.IMPLEMENTATIONS), 2)
        self.call("run", "floor", *self.IMPLEMENTATIONS, "--quick", "--out", "r.json")
        states = [cell["status"]["state"] for cell in self.cells_of(self.read_json("r.json"))]
        self.assertEqual(states, ["ok", "ok"])

    def test_a_run_tells_phases(self):
        threads = str(min(2, len(os.sched_getaffinity(0))))
        self.call("run", "--scenario", "mlp-784-128-10", "--impl", "torch-cpp/eager", "--threads", threads, "--quick",
                  "--out", "r.json")
        (cell,) = self.cells_of(self.read_json("r.json"))
        phases = {record["phase"] for record in cell["profile"]["records"]}
        self.assertEqual(phases, {"data", "forward", "backward", "update"})
        self.assertIn("libtorch 2.", cell["build"])


class Threads(unittest.TestCase):
    """All threads of a framework stay on as many processors as the cell has compute threads, after steps of a model
    that is worth sharing."""

    def threads_of(self, implementation, threads, pool="limited"):
        name = implementation.split("/", maxsplit=1)[0]
        environment = ENVIRONMENTS / name / "bin" / "python"
        modules = ("numpy", "scipy") if name == "scipy" else (name,)
        if not environment.exists() and not importable(*modules):
            self.skipTest(f"not installed: scripts/frameworks {name}")
        if len(os.sched_getaffinity(0)) < threads:
            self.skipTest(f"there are fewer than {threads} processors")
        python = str(environment) if environment.exists() else "/usr/bin/python3"
        command = [python, "-B", str(SOURCE / "tests" / "cli" / "framework_threads.py"), str(FRAMEWORKS),
                   implementation]
        result = subprocess.run([*command, str(threads), pool], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    # The threads of a process that has one compute thread, where they are known.
    OWN_THREADS = {
        **dict.fromkeys(("numpy/vectorised", "scipy/blas", "numba/loops", "sklearn/mlp", "autograd/tape"), 1),
        **{"pytensor/function": 1, "mlx/compile": 2, "tinygrad/jit": None, "pytorch/eager": 1},
        **dict.fromkeys(("tensorflow/function", "keras/fit", "jax/eager"), None),
    }

    def test_each_stays_where_it_may(self):
        for (implementation, own_threads), threads in itertools.product(self.OWN_THREADS.items(), (1, 2)):
            with self.subTest(implementation=implementation, threads=threads):
                found = self.threads_of(implementation, threads)
                for processors in found["processors_of_threads"]:
                    self.assertEqual(processors, found["cores"])
                self.assertEqual(found["answer"]["helper_threads"], 0)
                self.assertRegex(found["answer"]["runtime"]["threads"], rf"^{threads} .*; all on processor ")
                if own_threads and threads == 1:
                    self.assertEqual(len(found["processors_of_threads"]), own_threads)

    def test_unlimited_has_every_processor(self):
        found = self.threads_of("jax/jit", 1, "unlimited")
        every = sorted(os.sched_getaffinity(0))
        self.assertTrue(all(processors == every for processors in found["processors_of_threads"]))
        self.assertNotIn("helper_threads", found["answer"])
        self.assertRegex(found["answer"]["runtime"]["threads"], f"^{len(every)} in each of XLA's pools$")


class Runner(unittest.TestCase):
    """What runner.py makes of an adapter, without a framework."""

    def setUp(self):
        self.addCleanup(setattr, sys, "path", list(sys.path))
        sys.path.insert(0, str(FRAMEWORKS))
        self.runner = importlib.import_module("runner")

    def test_a_loss_that_is_no_number_is_null(self):
        for loss in (math.nan, math.inf, -math.inf):
            problem = types.SimpleNamespace(task="train")
            worker = self.runner.Worker(types.SimpleNamespace(), "")
            worker.training = types.SimpleNamespace(problem=problem, loss=lambda value=loss: value)
            answer = self.runner.answer_to(worker, {"request": "evaluate", "split": "train"})
            self.assertIs(json.loads(json.dumps(answer, allow_nan=False))["loss"], None)

    def test_another_number_that_is_none_is_named(self):
        records = [{"op": "a", "time_ns": math.nan}]
        worker = types.SimpleNamespace(folder="", profile=lambda _: {"real_ns": 1.0, "records": records})
        answer = self.runner.answer_to(worker, {"request": "profile"})
        message = "ValueError: /records/0/time_ns: found nan, expected a finite number"
        self.assertEqual(answer, {"ok": False, "error": {"kind": "failed", "message": message}})

    def test_what_pytorch_says_of_its_build_is_short(self):
        shown = "PyTorch built with:\n - Intel(R) MKL-DNN v3.1 (Git Hash b3)\n - CPU capability usage: AVX2\n BLAS_INFO=mkl"
        said = importlib.import_module("pytorch_adapter").build_of(shown)
        self.assertRegex(said, r"^BLAS mkl, oneDNN v3\.1, instructions AVX2, products of bf16 (by \w+|emulated: .*)$")

    def test_an_exception_comes_with_its_place(self):
        worker = types.SimpleNamespace(folder=os.path.dirname(os.path.abspath(__file__)), profile=lambda _: {}["calls"])
        answer = self.runner.answer_to(worker, {"request": "profile"})
        self.assertRegex(answer["error"]["message"], r"^KeyError: 'calls' \(frameworks_test\.py:\d+ in <lambda>\)$")

    def test_what_a_mode_loads_is_part_of_the_import(self):
        clock = [0]
        passes = lambda nanoseconds, value=None: (clock.__setitem__(0, clock[0] + nanoseconds), value)[1]
        training = types.SimpleNamespace(problem=types.SimpleNamespace(task="train"))
        mode = lambda *_: passes(100, training)
        mode.EXCHANGE, mode.reason_unsupported, mode.load = "", lambda problem: "", lambda: passes(5)
        adapter = types.SimpleNamespace(start=lambda threads: passes(3, {"build": "", "threads": ""}))
        worker = self.runner.Worker(adapter, "")
        worker.mode, worker.data, worker.memory = mode, None, None
        request = {
            "problem": {}, "options": {"heap": "returned", "gc": "off", "pool": "unlimited"},
            "threads": {"compute": 1, "compute_cores": []}, "state": None,
        }
        arrays = types.SimpleNamespace(Problem=lambda _: None, Data=lambda *_: None, Images=lambda *_: None)
        with mock.patch.dict(sys.modules, arrays=arrays), mock.patch.object(
            self.runner.time, "perf_counter_ns", lambda: clock[0]
        ):
            self.assertEqual(worker.prepare(request)["import_ns"], 8)

    @unittest.skipUnless(importable("numpy"), "there is no python3-numpy")
    def test_data_are_arrays_of_the_process_itself(self):
        program = """
import os, sys
sys.path.insert(0, sys.argv[1])
import numpy, arrays
memory = os.memfd_create("data")
os.write(memory, bytes(64) + numpy.arange(6, dtype="f4").tobytes().ljust(64, b"0"))
os.write(memory, numpy.arange(3, dtype="i4").tobytes())
request = {"dtype": "f32", "rows": 3, "outputs": 4, "features": 2, "x": {"offset": 64}, "labels": {"offset": 128}}
data = arrays.Data(request, memory)
os.pwrite(memory, bytes(140), 0)
print(data.x.tolist(), data.target.tolist(), data.order, data.x.flags.owndata, data.x.flags.writeable)
try:
    arrays.Data({**request, "rows": 4}, memory)
except EOFError as error:
    print(error)
"""
        command = ["/usr/bin/python3", "-B", "-c", program, FRAMEWORKS]
        lines = ["[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]] [0, 1, 2] None True True"]
        lines.append("the memory of the data ends in labels")
        self.assertEqual(subprocess.check_output(command, text=True).splitlines(), lines)


@unittest.skipUnless(importable("numpy"), "there is no python3-numpy")
class BareLoops(unittest.TestCase):
    """scripts/bench-bare-loops, as short as it can be."""

    ROW = re.compile(r"(\S+) +numpy/vectorised +([0-9.]+) +([0-9.]+) +([0-9.]+)" + 2 * r" +(\S+) \[(\S+), (\S+)\]")
    WORKLOADS = ("linreg-3x2", "mlp-10-50-1")

    def test_rows_and_how_many_are_within_a_tenth(self):
        command = [SOURCE / "scripts" / "bench-bare-loops", "--launches", "2", "--workloads", ",".join(self.WORKLOADS)]
        command += ["--build", FRAMEWORKS.parents[2], "--environments", "/nowhere", "numpy"]
        *lines, row_count, script_count = subprocess.check_output(command, text=True).splitlines()
        rows = [match for match in map(self.ROW.match, lines) if match]
        self.assertEqual([row[1] for row in rows], list(self.WORKLOADS))
        for first, name, line in ((5, "row", row_count), (8, "row as a script", script_count)):
            intervals = [[float(row[first + i]) for i in range(3)] for row in rows]
            for ratio, low, high in intervals:
                self.assertTrue(low <= ratio <= high, intervals)
            within = sum(low <= 1.1 and high >= 0.9 for _, low, high in intervals)
            self.assertEqual(line, f"{name}: {within} of 2 within 10% of the script")


class Install(ProgramTest):
    SCRIPT = str(SOURCE / "scripts" / "frameworks")

    def test_an_unknown_framework_is_one_line(self):
        result = subprocess.run([self.SCRIPT, "theano"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        expected = re.search("found 'theano', expected all or some of (.*)", result.stderr)[1].split()
        self.assertLessEqual({*ALL, "torch-cpp"}, set(expected))
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_every_framework_has_pinned_requirements(self):
        for name in set(ALL) - {"keras"}:  # it shares TensorFlow's
            file = ADAPTERS / "requirements" / f"{name}.txt"
            first, *pins = file.read_text(encoding="utf-8").splitlines()
            self.assertIn("To download:", first)
            for pin in pins:
                self.assertRegex(pin, r"^[\w.-]+==[\w.]+$")


if __name__ == "__main__":
    unittest.main()
