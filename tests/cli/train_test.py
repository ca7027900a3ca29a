"""`gdbench train --dump` against the same training recomputed with NumPy from the dumped files alone."""

import csv
import importlib.machinery
import importlib.util
import sys
import unittest

from program import CATALOGUE, SOURCE, ProgramTest, csv_scenario

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed (Debian: python3-numpy)")
    sys.exit(77)

sys.path.insert(0, str(SOURCE / "scripts"))
loader = importlib.machinery.SourceFileLoader("check_dump", str(SOURCE / "scripts" / "check-dump"))
check_dump = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_dump", loader))
loader.exec_module(check_dump)

# The last batch of an epoch is a partial one.
SMALL = ("rows=100", "batch=32")


class Train(ProgramTest):
    def compare(self, scenario, steps, *settings, dtypes=tuple(check_dump.LIMITS), implementations=("hand/eigen",)):
        """Of one implementation as a rule: `conformance_test` holds all of them against one reference."""
        for implementation in implementations:
            for dtype in dtypes:
                with self.subTest(scenario=scenario, implementation=implementation, dtype=dtype):
                    options = [word for setting in (f"dtype={dtype}", *settings) for word in ("--set", setting)]
                    name = f"{implementation.replace('/', '-')}-{dtype}"
                    arguments = ("--impl", implementation, "--steps", str(steps), "--dump", name)
                    output, _ = self.call("train", scenario, *arguments, *options)
                    self.assertRegex(output, rf"^loss .* -> .* after {steps} steps\n$")
                    self.expect_same(self.folder / name, steps)

    def expect_same(self, folder, steps):
        dump = check_dump.Dump(folder)
        element = 8 if dump.scenario["dtype"] == "f64" else 4
        before = dump.parameters("initial")
        expected, losses = dump.recomputed
        moved = []
        for name, first, last in zip(dump.names, before, expected):
            actual = numpy.load(folder / f"final_{name}.npy")
            self.assertEqual(actual.shape, last.shape, name)
            self.assertEqual(actual.dtype.itemsize, element)
            moved.append(numpy.linalg.norm(last - first))
        # A bias alone may be back where it was: Lion moves it by the rate up or down.
        self.assertGreater(max(moved), 0, "nothing was trained")
        self.assertTrue(check_dump.check(dump))
        with open(folder / "loss.csv", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in table], list(range(steps + 1)))
        self.assertLess(losses[-1], losses[0])

    def test_the_check_sees_a_difference(self):
        self.call("train", "linreg-3x2", "--steps", "5", "--set", "dtype=f64", "--dump", "dump")
        self.assertTrue(check_dump.check(check_dump.Dump(self.folder / "dump")))
        changed = numpy.load(self.folder / "dump" / "final_w0.npy") * (1 + 1e-11)
        numpy.save(self.folder / "dump" / "final_w0.npy", changed)
        self.assertFalse(check_dump.check(check_dump.Dump(self.folder / "dump")))

    def test_parameters_that_are_rounded(self):
        for rounding, policy in (("nearest", "bf16-params"), ("stochastic", "bf16-params-stochastic")):
            for optimizer in ("sgd", "adam"):
                name = f"{policy}-{optimizer}"
                settings = ("dtype=bf16", f"optimizer={optimizer}", *SMALL, "initial_seed=5")
                options = [word for setting in settings for word in ("--set", setting)]
                arguments = ("--impl", f"hand/eigen+{policy}", "--steps", "20", "--dump", name)
                self.call("train", "mlp-10-50-1", *arguments, *options)
                for other in ("nearest", "stochastic"):
                    with self.subTest(dump=name, by=other):
                        dump = check_dump.Dump(self.folder / name, other)
                        self.assertEqual(check_dump.check(dump), other == rounding)

    def test_bfloat16_is_rounded_everywhere(self):
        halves = numpy.array([1.0, 1.00390625, 1.01171875, -(2.0**-126), 77.25 * 2.0**-133, 0.5 * 2.0**-133, 0.0])
        expected = [1.0, 1.0, 1.015625, -(2.0**-126), 77 * 2.0**-133, 0.0, 0.0]
        self.assertEqual(list(check_dump.numpy_training.bfloat16(halves)), expected)

    def test_linear_regression(self):
        both = ("hand/naive", "hand/eigen")
        self.compare("linreg-300x10", 20, implementations=both)
        self.compare("linreg-3x2", 20, "loss=half_mse", "model.bias=true", implementations=both)

    def test_a_dumped_scenario_runs_from_where_it_lies(self):
        self.write("table.csv", "x,y\n" + "".join(f"{i / 10},{i / 5 + 1}\n" for i in range(20)))
        self.write_json("csv.json", csv_scenario())
        first, _ = self.call("train", "csv.json", "--impl", "hand/naive", "--steps", "3", "--dump", "dumped")
        again, _ = self.call("train", "dumped/scenario.json", "--impl", "hand/naive", "--steps", "3")
        self.assertEqual(first, again)

    def test_training_goes_on_from_a_file(self):
        def train(name, steps, *settings):
            options = [word for setting in ("dtype=f64", *settings) for word in ("--set", setting)]
            self.call("train", "mlp-10-50-1", "--steps", str(steps), "--dump", name, *options)
            return check_dump.Dump(self.folder / name).parameters("final")

        expected = train("whole", 10)
        half = train("half", 5)
        names = check_dump.Dump(self.folder / "half").names
        numpy.savez(self.folder / "half.npz", **dict(zip(names, half)))
        for path in ("half/final_w0.npy", "half.npz"):
            # Once more from the scenario that was dumped: its path is absolute.
            train("rest", 5, f"initial.path={self.folder / path}")
            self.call("train", "rest/scenario.json", "--steps", "5", "--dump", "again")
            for name in ("rest", "again"):
                for array, other in zip(check_dump.Dump(self.folder / name).parameters("final"), expected):
                    numpy.testing.assert_array_equal(array, other)

    def test_perceptron(self):
        self.compare("mlp-10-50-1", 20)

    def test_softmax_in_shuffled_batches(self):
        # Two epochs; the last batch of each is a partial one.
        self.compare("mlp-784-128-10", 14, "rows=100", "batch=16", "width=24")

    def test_activations(self):
        self.compare("mlp-10-50-1", 20, "model.layers.0.activation=sigmoid", "model.layers.1.bias=false", "rows=100")
        for activation in CATALOGUE["activations"]:
            self.compare("mlp-10-50-1", 20, f"model.layers.0.activation={activation}", *SMALL)

    def test_normalization(self):
        for last in ("none", "layer"):
            normalized = [f"model.layers.{i}.normalization={value}" for i, value in enumerate(("layer", last))]
            outputs = ("model.layers.1.width=3", "data.outputs=3")
            self.compare("mlp-10-50-1", 20, *normalized, *outputs, "rows=100", dtypes=("f32", "f64"))

    def test_losses(self):
        self.compare("mlp-10-50-1", 20, "loss=huber", "huber_delta=0.3", "rows=100")
        self.compare("mlp-10-50-1", 20, "loss=binary_cross_entropy", *SMALL)

    def test_optimizers(self):
        schedule = 'optimizer.schedule={"kind":"cosine","steps":18,"warm_up":4,"final_rate":0.0001}'
        dtypes = [("f32", "bf16"), ("f64", "f16")]  # which each of the two scenarios has in turn
        for kind in CATALOGUE["optimizers"]:
            optimizer = (f"optimizer.kind={kind}", "learning_rate=0.01")
            decayed = ("rows=100", "optimizer.weight_decay=0.1")
            self.compare("mlp-10-50-1", 20, *optimizer, schedule, *decayed, dtypes=dtypes[0])
            parts = ("optimizer.decoupled_weight_decay=true", "batch=64", "batch.micro_batches=3")
            self.compare("linreg-300x10", 20, *optimizer, *parts, dtypes=dtypes[1])
            dtypes.reverse()

    def test_a_dumped_scenario_can_be_run_again(self):
        self.call("train", "mlp-10-50-1", "--steps", "3", "--set", "dtype=f64", "--dump", "first")
        self.call("train", "first/scenario.json", "--steps", "3", "--dump", "second")
        for name in ("x", "y", "initial_w0", "final_w0", "final_b1"):
            first = (self.folder / "first" / f"{name}.npy").read_bytes()
            self.assertEqual(first, (self.folder / "second" / f"{name}.npy").read_bytes(), name)

    def test_a_dump_that_cannot_be_written(self):
        self.write("file", "in the way")
        for target in ("file", "file/below"):
            self.expect_error(["train", "linreg-3x2", "--steps", "1", "--dump", target], target)


if __name__ == "__main__":
    unittest.main()
