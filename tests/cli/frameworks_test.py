"""Real frameworks behind the protocol: those that are there are verified like any other implementation, the others say
what to install. NumPy and SciPy come from the distribution, JAX from scripts/frameworks."""

import itertools
import os
import re
import subprocess
import sys
import unittest

from framework_rows import MISSING, Frameworks, Installed, has, importable, is_installed, network
from program import CATALOGUE, FRAMEWORKS, SOURCE, ProgramTest, options

ADAPTERS = SOURCE / "implementations" / "frameworks"
ALL = sorted(file.name.removesuffix("_adapter.py") for file in ADAPTERS.glob("*_adapter.py"))


class NotInstalled(Frameworks):
    variables = {"GDBENCH_FRAMEWORKS": "/nowhere"}

    def test_rows_say_what_to_install(self):
        rows = self.verify("frameworks", "--scenario", "linreg-3x2", "--impl", "jax/*", "--impl", "keras/*", status=4)
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertRegex(row, r"^(jax|keras)/\S+ +unsupported +not installed: scripts/frameworks (jax|keras)$")

    def test_they_are_listed_and_nobody_meets_them_unasked(self):
        output, _ = self.call("list", "implementations")
        for name in ALL:
            self.assertIn(f"\n{name}/", "\n" + output)
        self.assertIn("(not installed: scripts/frameworks pytorch)", output)
        self.assertNotIn("jax/", self.call("run", "--dry-run")[0])
        self.expect_error(["run", "--impl", "jax/no-such-mode", "--dry-run"], "jax/jit")

    def test_a_broken_environment_costs_its_rows_only(self):
        python = self.write("environments/jax/bin/python", "#!/bin/sh\necho the interpreter is broken >&2\nexit 3\n")
        (self.folder / python).chmod(0o755)
        self.variables = {"GDBENCH_FRAMEWORKS": str(self.folder / "environments")}
        output, _ = self.call("list", "implementations")
        self.assertIn("the interpreter is broken", output)
        self.assertIn("hand/naive", output)


class ChosenInterpreter(Frameworks):
    """--python and GDBENCH_PYTHON."""

    SELECTION = ("frameworks", "--scenario", "linreg-3x2", "--impl", "numpy/vectorised")

    def test_it_is_asked_in_the_place_of_environments_unless_their_folder_is_named(self):
        environments = self.folder / "environments"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environments / "numpy"], check=True)
        python = environments / "numpy" / "bin" / "python"  # which has nothing
        for arguments, variables in (
            (("--python", str(python)), {}), (("--python=environments/numpy/bin/python",), {}),
            ((), {"GDBENCH_PYTHON": str(python)}),
            ((), {"GDBENCH_FRAMEWORKS": str(environments), "GDBENCH_PYTHON": "/usr/bin/python3"}),
        ):
            with self.subTest(arguments=arguments, variables=variables):
                self.variables = variables
                (row,) = self.verify(*self.SELECTION, *arguments, status=4)
                self.assertTrue(row.endswith(f"unsupported  {python} has no numpy"), row)
        if importable("numpy"):
            self.variables = {"GDBENCH_PYTHON": str(python)}
            self.assert_all_ok(self.verify(*self.SELECTION, "--python", "/usr/bin/python3"), 1)

    def test_what_is_no_interpreter_is_said(self):
        for path in ("/nowhere/python", "no-such-python", "", "environments"):
            self.expect_error(["run", "--python", path],
                              f'gdbench: --python: found "{path}", expected a Python interpreter\n')


@unittest.skipUnless(importable("numpy", "scipy"), "there is no python3-numpy or no python3-scipy")
class Distribution(Frameworks):
    """NumPy and SciPy of the distribution, where no environment is made."""

    variables = {"GDBENCH_FRAMEWORKS": "/nowhere"}
    NAMES = ("numpy/*", "scipy/*")
    SELECTION = options("--impl", NAMES)

    def test_every_optimizer(self):
        chosen = options("--impl", ("scipy/*", "numpy/inplace", "numpy/vectorised"))
        settings = options("--set", ("batch=64", "batch.micro_batches=1"))
        output, _ = self.call("verify", "conformance", *chosen, "--scenario", "mlp-10-50-1", *settings, "--brief")
        # SciPy's axpy serves three of the optimizers; neither has bfloat16, one of three dtypes.
        count = len(CATALOGUE["optimizers"]) - 1  # muon is for deeper networks
        without = 2 * (count - 3) + 3 * count
        self.assertIn(f"{9 * count} cells: {9 * count - without} ok, {without} unsupported", output)

    def test_activations_and_losses(self):
        activations = sorted(CATALOGUE["activations"].keys() - {"gelu"})  # NumPy has no erf
        self.assert_nets_ok(4, self.NAMES, activations, dtype="f64")

    def test_decay_schedule_and_nadam_without_a_first_moment(self):
        decayed = {"kind": "momentum", "learning_rate": 0.05, "weight_decay": 0.1,
                   "schedule": {"kind": "cosine", "steps": 20, "final_rate": 0.001}}
        for names, optimizer in (
            (self.NAMES, {**decayed, "decoupled_weight_decay": False}),
            (self.NAMES, {**decayed, "decoupled_weight_decay": True}),
            (("numpy/inplace",), {"kind": "nadam", "learning_rate": 0.01, "beta1": 0}),
        ):
            with self.subTest(optimizer=optimizer):
                self.assert_net_ok(4 if names is self.NAMES else 1, names, "relu", "mse", 1, optimizer=optimizer)

    def test_the_update_alone(self):
        rows = self.verify("updates", "--scenario", "update-601", *self.SELECTION)
        # numpy/loop has no such task; scipy/blas has no adam.
        self.assertEqual(sum(" ok " in row for row in rows), 8)
        self.assertEqual(sum("has no task update" in row or "has no optimizer adam" in row for row in rows),
                         len(rows) - 8)

    def test_a_run_tells_imports_phases_and_calls(self):
        self.call("run", "frameworks", "--scenario", "linreg-300x10", "--impl", "numpy/vectorised",
                  "--impl", "hand/naive", "--launches", "1", "--out", "x.json")
        cell = self.cells_by_name()["numpy/vectorised"]
        self.assertEqual(cell["status"]["state"], "ok")
        launch, profile = cell["launches"][0], cell["profile"]
        self.assertTrue(0 < launch["import_seconds"] < launch["prepare_seconds"], launch)
        self.assertGreater(launch["imported_resident_bytes"], 1e6)
        self.assertIn("threads", cell["runtime"])
        # x @ w; - y; * factor; X' @ d; rate *; w -.
        self.assertEqual(profile["dispatches_per_step"], 6)
        self.assertGreater(profile["floor"][0]["time_ns"], 0)
        self.assertEqual({record["phase"] for record in profile["records"]}, {"data", "forward", "backward", "update"})
        # Times that leave no doubt, however loaded the machine was: causes are named for differences alone.
        report = self.launched_again(self.read_json("x.json"), {"numpy/vectorised": 9000, "hand/naive": 900})
        self.write_json("certain.json", report)
        output, _ = self.call("explain", "certain.json", "--a", "numpy/vectorised", "--b", "hand/naive")
        self.assertIn("numpy/vectorised makes 6 calls into its framework per step", output)

    def test_the_emptiest_step(self):
        self.call("run", "floor", "--impl", "numpy/vectorised", "--quick", "--out", "x.json")
        cell = self.cells_by_name()["numpy/vectorised"]
        self.assertEqual((cell["status"]["state"], len(cell["samples"])), ("ok", 7))


@unittest.skipUnless(is_installed("jax"), MISSING + "jax")
class Jax(Installed):
    def test_seed_scenarios(self):
        self.assert_all_ok(self.verify("frameworks", "--scenario", "mlp-784-128-10", "--impl", "jax/*"), 4)

    def test_every_optimizer_and_mixed_precision(self):
        settings = ["dtype=f64", "optimizer.learning_rate=0.01", "optimizer.weight_decay=0.01"]
        kinds = CATALOGUE["optimizers"].keys() - {"muon"}
        settings += [f"optimizer.kind={kind}" for kind in kinds]
        rows = self.verify("--scenario", "linreg-300x10", "--impl", "jax/jit", *options("--set", settings))
        self.assert_all_ok(rows, len(kinds))
        self.assert_all_ok(self.verify("--scenario", "mlp-10-48-64-32-1", "--impl", "jax/*"), 4)
        self.assert_all_ok(self.verify("--scenario", "mlp-10-50-1", "--set", "dtype=bf16", "--impl", "jax/jit"), 1)


class EpsilonPlaces(Installed):
    """Where each framework adds epsilon, one that its place shows; a scenario may leave it to each."""

    PLACES = {"adagrad": "inside", "rmsprop": "inside", "adam": "hat", "adamw": "hat"}
    # {implementation: the optimizers that it has with epsilon elsewhere than outside the root}
    TAKEN = {
        **dict.fromkeys(("numpy/vectorised", "numpy/inplace", "keras/fit"), PLACES),
        **dict.fromkeys(("tensorflow/assign", "tensorflow/function-assign", "tensorflow/function"), PLACES),
        **dict.fromkeys(("mlx/eager", "pytensor/function", "loop/plain"), PLACES),
        "jax/jit": {"rmsprop", "adam"},  # one of each place: NumPy takes the same writer of rules
        "tensorflow/session": {"rmsprop", "adam"}, "sklearn/mlp": {"adam"}, "pytorch/eager": {},
    }

    def rows_of(self, place, kind, dtype, implementations, status=0):
        optimizer = {"kind": kind, "learning_rate": 0.01, "weight_decay": 0, "epsilon": 1e-3, "epsilon_place": place}
        network_of_mlp = network("tanh", "mse", 2, optimizer=optimizer, dtype=dtype)
        network_of_mlp["model"]["layers"][1]["bias"] = True
        return self.verify_net(network_of_mlp, *implementations, status=status)

    def test_each_place_is_the_reference_s(self):
        for (kind, place), dtype in zip(self.PLACES.items(), itertools.cycle(("f32", "f64"))):
            taking = [name for name, kinds in self.TAKEN.items() if kind in kinds and has(name)]
            with self.subTest(kind=kind, dtype=dtype):
                self.assert_all_ok(self.rows_of(place, kind, dtype, taking), len(taking))

    def test_who_refuses_names_the_place_that_it_takes(self):
        for name, kind, place, taken in (("pytorch/eager", "adam", "hat", "outside"),
                                         ("keras/fit", "rmsprop", "outside", "inside")):
            if has(name):
                (row,) = self.rows_of(place, kind, "f32", [name], status=4)
                self.assertIn(f"{name} has {kind} with optimizer.epsilon_place={taken} alone, not {place}", row)

    @unittest.skipUnless(is_installed("sklearn"), MISSING + "sklearn")
    def test_a_dry_run_says_what_only_the_adapter_knows(self):
        output, _ = self.call("run", "--dry-run", "--scenario", "linreg-300x10", "--impl", "sklearn/mlp")
        self.assertIn("/sklearn/mlp  unsupported: the layers of scikit-learn's networks have biases", output)

    def test_each_may_have_its_own(self):
        names = list(filter(has, ("pytorch/eager", "keras/fit", "loop/plain")))
        self.assert_all_ok(self.rows_of("own", "adam", "f32", names), len(names))
        if "keras/fit" in names:
            self.call("run", "--scenario", "./net.json", "--impl", "keras/fit", "--impl", "loop/plain", "--quick",
                      "--out", "x.json")
            found = {name: cell["options"] for name, cell in self.cells_by_name().items()}
            self.assertEqual(found, {"keras/fit": {"epsilon_place": "hat"}, "loop/plain": {}})


class Networks(Installed):
    """What some of them have."""

    def test_layers_that_are_normalised(self):
        normalized = network("tanh", "softmax_cross_entropy", 3, dtype="f64")
        for layer in normalized["model"]["layers"]:
            layer["normalization"] = "layer"
        # All modes of JAX differentiate one function; what is compiled in is examined by tests/conformance.
        names = list(filter(has, ("pytorch/eager", "pytorch/fused", "jax/jit", "enzyme/jit")))
        self.assert_all_ok(self.verify_net(normalized, *names, "hand/naive"), len(names) + 1)
        (row,) = self.verify_net(normalized, "loop/plain", status=4)
        self.assertIn("unsupported  loop/plain does not normalise layers", row)

    def test_the_forward_pass_alone(self):
        names = list(filter(has, ("numpy/vectorised", "pytorch/eager", "pytorch/compile-model", "jax/eager", "jax/jit",
                                  "tensorflow/eager", "tensorflow/function", "tensorflow/xla")))
        for batch in ("full", {"rows": 16, "shuffle": True}):  # the last batch of an epoch is smaller
            with self.subTest(batch=batch):
                self.assert_net_ok(len(names), names, "tanh", "softmax_cross_entropy", 3, task="forward", batch=batch)
        parts = network("tanh", "mse", 2, task="forward", batch={"rows": 16, "micro_batches": 3})
        for row in self.verify_net(parts, *names, status=4):
            self.assertRegex(row, "micro-batches$")

    def test_ways_to_go_through_the_data(self):
        momentum = {"kind": "momentum", "learning_rate": 0.05}
        loops = ("pytorch/foreach", "pytorch/dataloader", "tensorflow/dataset", "keras/fit-steps",
                 "keras/train-on-batch")
        for names, keys, settings in (
            # In the order of the harness; the last batch of an epoch is smaller, 32 steps are not a block, and five
            # steps of two batches go on into the third epoch.
            *((loops, ("tanh", "mse", 2), {"batch": {"rows": rows, "shuffle": shuffle}, "optimizer": momentum})
              for rows, shuffle in ((30, True), (16, False))),
            # Gradients of micro-batches are added up.
            (loops[:2], ("tanh", "mse", 2), {"batch": {"rows": 16, "micro_batches": 3}}),
            # A logistic regression goes through the rows.
            (("sklearn/sgd",), ("tanh", "binary_cross_entropy", 1),
             {"batch": {"rows": 1, "shuffle": True}, "model": {"kind": "linear_regression"}}),
        ):
            with self.subTest(names=names, settings=settings):
                there = list(filter(has, names))
                if not there:
                    self.skipTest(MISSING + " ".join(names))
                self.assert_net_ok(len(there), there, *keys, **settings)

    def test_pipelines_of_more_batches_than_an_execution(self):
        """35 steps or more at once: an execution of keras/fit-steps has 32. The last batch of an epoch has a row."""
        if not has("tensorflow/dataset"):
            self.skipTest(MISSING + "tensorflow")
        for shuffle in (True, False):
            settings = network("tanh", "mse", 2, batch={"rows": 3, "shuffle": shuffle}, dtype="f64")
            settings["data"]["rows"] = 100
            self.write_json("net.json", settings)
            for names, prefetches in ((("keras/fit-steps", "keras/fit"), ()), (("tensorflow/dataset",), ("on", "off"))):
                with self.subTest(names=names, shuffle=shuffle):
                    chosen = options("--set", [f"impl.prefetch={value}" for value in prefetches])
                    rows = self.verify("--scenario", "./net.json", *options("--impl", names), *chosen)
                    self.assert_all_ok(rows, 2)

    @unittest.skipUnless(is_installed("xad"), MISSING + "xad")
    def test_scalars_on_a_tape(self):
        self.assert_nets_ok(1, ("xad/adjoint",), sorted(CATALOGUE["activations"]), dtype="f64")
        (row,) = self.verify("--scenario", "mlp-784-128-10", "--set", "dtype=f64", "--impl", "xad/*", status=4)
        self.assertIn("unsupported  a step of 3252224 products takes XAD seconds: at most 1000000 are tried", row)

    @unittest.skipUnless(is_installed("enzyme"), MISSING + "enzyme")
    def test_every_loss_that_enzyme_differentiates(self):
        self.assert_nets_ok(1, ("enzyme/jit",), sorted(CATALOGUE["activations"]))

    def test_ranks_are_right(self):
        """Several processes; the last batch of an epoch has two rows, so one of three ranks has none."""
        trained = network("tanh", "softmax_cross_entropy", 3, optimizer={"kind": "momentum", "learning_rate": 0.01},
                          dtype="f64")
        for implementation in ("pytorch/ddp", "jax/ddp", "tensorflow/multiworker"):
            with self.subTest(implementation=implementation):
                if not has(implementation):
                    self.skipTest(MISSING + implementation)
                self.write_json("net.json", trained)
                ranks = options("--set", ("impl.ranks=1", "impl.ranks=3"))
                self.assert_all_ok(self.verify("--scenario", "./net.json", "--impl", implementation, *ranks), 2)


class TorchCpp(Frameworks):
    """LibTorch as C++ calls it, where scripts/frameworks has made it; tests/conformance examines it as all plugins."""

    def test_rows_say_what_to_install_or_what_they_do(self):
        rows = self.verify("--scenario", "linreg-3x2", "--impl", "torch-cpp/*", status=None)
        self.assertEqual([row.split()[0] for row in rows], ["torch-cpp/eager", "torch-cpp/fused"])
        if not (FRAMEWORKS.parent / "kernels" / "libgdbench_kernels_torch_cpp.so").exists():
            for row in rows:
                self.assertRegex(row, f"unsupported +{MISSING}torch-cpp$")
            return
        self.assert_all_ok(rows, 2)
        optimizer = {"kind": "adam", "learning_rate": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}
        for row in self.verify_net(network("relu", "mse", 1, optimizer=optimizer), "torch-cpp/*", status=4):
            self.assertRegex(row, "unsupported +torch::optim has no decoupled weight decay for adam")
        threads = str(min(2, len(os.sched_getaffinity(0))))
        self.call("run", "--scenario", "mlp-784-128-10", "--impl", "torch-cpp/eager", "--threads", threads, "--quick",
                  "--out", "x.json")
        cell = self.cells_by_name()["torch-cpp/eager"]
        phases = {record["phase"] for record in cell["profile"]["records"]}
        self.assertEqual(phases, {"data", "forward", "backward", "update"})
        self.assertIn("libtorch 2.", cell["build"])


class Install(ProgramTest):
    def test_an_unknown_framework_is_one_line(self):
        errors = self.run_other(SOURCE / "scripts" / "frameworks", "theano", status=2).stderr
        expected = re.search("found 'theano', expected all or some of (.*)", errors)[1].split()
        self.assertLessEqual({*ALL, "torch-cpp"}, set(expected))
        self.assertEqual(errors.count("\n"), 1)

    def test_every_framework_has_pinned_requirements(self):
        for name in set(ALL) - {"keras"}:  # it shares TensorFlow's
            file = ADAPTERS / "requirements" / f"{name}.txt"
            first, *pins = file.read_text(encoding="utf-8").splitlines()
            self.assertIn("To download:", first)
            for pin in pins:
                self.assertRegex(pin, r"^[\w.-]+==[\w.]+$")
