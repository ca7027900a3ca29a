"""Real frameworks behind the protocol: those that are there are verified like any other implementation, the others say
what to install. NumPy and SciPy come from the distribution, JAX from scripts/frameworks."""

import itertools
import re
import subprocess
import sys
import unittest

from framework_rows import ENVIRONMENTS, MISSING, Frameworks, importable, is_installed, network
from program import CATALOGUE, SOURCE, ProgramTest

ADAPTERS = SOURCE / "implementations" / "frameworks"
ALL = sorted(file.name.removesuffix("_adapter.py") for file in ADAPTERS.glob("*_adapter.py"))


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
        chosen = ("--impl", "numpy/inplace", "--impl", "numpy/vectorised", "--scenario", "mlp-10-50-1")
        output, _ = self.call("verify", "conformance", *self.IMPLEMENTATIONS[2:], *chosen, "--set", "batch=64", "--set",
                              "batch.micro_batches=1", "--brief")
        # SciPy's axpy serves three of the optimizers; neither has bfloat16, one of three dtypes.
        count = len(CATALOGUE["optimizers"])
        without = 2 * (count - 3) + 3 * count
        self.assertIn(f"{9 * count} cells: {9 * count - without} ok, {without} unsupported", output)

    def test_activations_and_losses(self):
        activations = sorted(CATALOGUE["activations"].keys() - {"gelu"})  # NumPy has no erf
        self.assert_nets_ok(4, self.IMPLEMENTATIONS, activations, dtype="f64")

    def test_decay_and_schedule(self):
        optimizer = {"kind": "momentum", "learning_rate": 0.05, "weight_decay": 0.1}
        optimizer["schedule"] = {"kind": "cosine", "steps": 20, "final_rate": 0.001}
        for decoupled in (False, True):
            optimizer["decoupled_weight_decay"] = decoupled
            self.assert_net_ok(4, self.IMPLEMENTATIONS, "relu", "mse", 1, optimizer=optimizer)

    def test_nadam_without_a_first_moment(self):
        optimizer = {"kind": "nadam", "learning_rate": 0.01, "beta1": 0}
        self.assert_net_ok(1, ("--impl", "numpy/inplace"), "relu", "mse", 1, optimizer=optimizer)

    def test_the_update_alone(self):
        rows = self.verify("updates", "--scenario", "update-601", *self.IMPLEMENTATIONS)
        # numpy/loop has no such task; scipy/blas has no adam.
        self.assertEqual(sum(" ok " in row for row in rows), 8)
        self.assertEqual(sum("has no task update" in row or "has no optimizer adam" in row for row in rows),
                         len(rows) - 8)

    def test_a_run_tells_imports_phases_and_calls(self):
        self.call("run", "frameworks", "--scenario", "linreg-300x10", "--impl", "numpy/vectorised",
                  "--impl", "hand/naive", "--launches", "1", "--out", "r.json")
        report = self.read_json("r.json")
        (cell,) = (cell for cell in self.cells_of(report) if cell["implementation"] == "numpy/vectorised")
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
        self.write_json("certain.json", self.launched_again(report, {"numpy/vectorised": 9000, "hand/naive": 900}))
        output, _ = self.call("explain", "certain.json", "--a", "numpy/vectorised", "--b", "hand/naive")
        self.assertIn("numpy/vectorised makes 6 calls into its framework per step", output)

    def test_the_emptiest_step(self):
        self.call("run", "floor", "--impl", "numpy/vectorised", "--quick", "--out", "r.json")
        (cell,) = self.cells_of(self.read_json("r.json"))
        self.assertEqual(cell["status"]["state"], "ok")
        self.assertEqual(len(cell["samples"]), 7)


@unittest.skipUnless(is_installed("jax"), MISSING + "jax")
class Jax(Frameworks):
    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}

    def test_seed_scenarios(self):
        self.assert_all_ok(self.verify("frameworks", "--scenario", "mlp-784-128-10", "--impl", "jax/*"), 4)

    def test_every_optimizer(self):
        settings = ["dtype=f64", "optimizer.learning_rate=0.01", "optimizer.weight_decay=0.01"]
        settings += [f"optimizer.kind={kind}" for kind in CATALOGUE["optimizers"]]
        rows = self.verify("--scenario", "linreg-300x10", "--impl", "jax/jit",
                           *(word for setting in settings for word in ("--set", setting)))
        self.assert_all_ok(rows, len(CATALOGUE["optimizers"]))

    def test_mixed_precision(self):
        self.assert_all_ok(self.verify("--scenario", "mlp-10-50-1", "--set", "dtype=bf16", "--impl", "jax/jit"), 1)


class EpsilonPlaces(Frameworks):
    """Where each framework adds epsilon, one that its place shows; a scenario may leave it to each."""

    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}
    PLACES = {"adagrad": "inside", "rmsprop": "inside", "adam": "hat", "adamw": "hat"}
    # {implementation: the optimizers that it has with epsilon elsewhere than outside the root}
    TAKEN = {
        **dict.fromkeys(("numpy/vectorised", "numpy/inplace", "keras/fit"), PLACES),
        **dict.fromkeys(("tensorflow/assign", "tensorflow/function-assign", "tensorflow/function"), PLACES),
        **dict.fromkeys(("mlx/eager", "pytensor/function", "loop/plain"), PLACES),
        "jax/jit": {"rmsprop", "adam"},  # one of each place: NumPy takes the same writer of rules
        "tensorflow/session": {"rmsprop", "adam"}, "sklearn/mlp": {"adam"}, "pytorch/eager": {},
    }

    def installed(self, implementation):
        framework = implementation.split("/", maxsplit=1)[0]
        return framework == "loop" or is_installed(framework) or framework == "numpy" and importable("numpy")

    def rows_of(self, place, kind, dtype, implementations, status=None):
        optimizer = {"kind": kind, "learning_rate": 0.01, "weight_decay": 0, "epsilon": 1e-3, "epsilon_place": place}
        network_of_mlp = network("tanh", "mse", 2, optimizer=optimizer, dtype=dtype)
        network_of_mlp["model"]["layers"][1]["bias"] = True
        self.write_json("net.json", network_of_mlp)
        selected = [word for implementation in implementations for word in ("--impl", implementation)]
        return self.verify("--scenario", "./net.json", *selected, status=status)

    def test_each_place_is_the_reference_s(self):
        for (kind, place), dtype in zip(self.PLACES.items(), itertools.cycle(("f32", "f64"))):
            taking = [name for name, kinds in self.TAKEN.items() if kind in kinds and self.installed(name)]
            with self.subTest(kind=kind, dtype=dtype):
                self.assert_all_ok(self.rows_of(place, kind, dtype, taking, status=0), len(taking))

    def test_who_refuses_names_the_place_that_it_takes(self):
        if self.installed("pytorch/eager"):
            (row,) = self.rows_of("hat", "adam", "f32", ["pytorch/eager"], status=4)
            self.assertIn("pytorch/eager has adam with optimizer.epsilon_place=outside alone, not hat", row)
        if self.installed("keras/fit"):
            (row,) = self.rows_of("outside", "rmsprop", "f32", ["keras/fit"], status=4)
            self.assertIn("keras/fit has rmsprop with optimizer.epsilon_place=inside alone, not outside", row)

    @unittest.skipUnless(is_installed("sklearn"), MISSING + "sklearn")
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


class Normalization(Frameworks):
    """Layers that are normalised, by who has them."""

    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}

    def test_it_is_right_or_refused(self):
        normalized = network("tanh", "softmax_cross_entropy", 3, dtype="f64")
        for layer in normalized["model"]["layers"]:
            layer["normalization"] = "layer"
        self.write_json("net.json", normalized)
        modes = {"pytorch": ("eager", "fused"), "jax": ("jit",)}  # all modes of JAX differentiate one function
        names = [f"{name}/{mode}" for name in modes if is_installed(name) for mode in modes[name]]
        names += ["hand/naive", "hand/eigen", "tape/eigen", "tape/eigen+replay", "graph/eigen", "graph/jit"]
        selected = [word for name in names for word in ("--impl", name)]
        self.assert_all_ok(self.verify("--scenario", "./net.json", *selected), len(names))
        (row,) = self.verify("--scenario", "./net.json", "--impl", "loop/plain", status=4)
        self.assertIn("unsupported  loop/plain does not normalise layers", row)


class Loops(Frameworks):
    """Ways to go through the data; the last batch of an epoch is smaller, and 32 steps are not a block."""

    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}
    NAMES = ("pytorch/foreach", "pytorch/dataloader", "tensorflow/dataset", "keras/fit-steps", "keras/train-on-batch")

    def test_each_has_the_order_of_the_harness(self):
        names = [name for name in self.NAMES if is_installed(name.split("/", maxsplit=1)[0])]
        if not names:
            self.skipTest(MISSING + "pytorch tensorflow keras")
        selected = [word for name in names for word in ("--impl", name)]
        for shuffle in (True, False):
            self.assert_net_ok(len(names), selected, "tanh", "mse", 2, batch={"rows": 16, "shuffle": shuffle},
                               optimizer={"kind": "momentum", "learning_rate": 0.05})

    @unittest.skipUnless(is_installed("pytorch"), MISSING + "pytorch")
    def test_gradients_of_micro_batches_are_added_up(self):
        self.assert_net_ok(2, ["--impl", "pytorch/foreach", "--impl", "pytorch/dataloader"], "tanh", "mse", 2,
                           batch={"rows": 16, "micro_batches": 3})

    @unittest.skipUnless(is_installed("sklearn"), MISSING + "sklearn")
    def test_logistic_regression_by_rows(self):
        keys = network("tanh", "binary_cross_entropy", 1, batch={"rows": 1, "shuffle": True})
        self.write_json("net.json", {**keys, "model": {"kind": "linear_regression"}})
        self.assert_all_ok(self.verify("--scenario", "./net.json", "--impl", "sklearn/sgd"), 1)


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
                if not is_installed(name):
                    self.skipTest(MISSING + name)
                self.assert_all_ok(self.verify("--scenario", "./net.json", "--impl", implementation, *ranks), 2)


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
