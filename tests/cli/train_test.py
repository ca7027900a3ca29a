"""`gdbench train --dump` against the same training recomputed with NumPy from the dumped files alone."""

import csv
import itertools
import unittest

from program import ProgramTest, csv_scenario, options

try:
    import numpy
except ImportError as error:
    raise unittest.SkipTest("NumPy is not installed (Debian: python3-numpy)") from error

from dumps import check_dump

SCHEDULE = 'optimizer.schedule={"kind":"cosine","steps":18,"warm_up":4,"final_rate":0.0001}'
# Trainings, which have every key that a dump depends on: conformance_test holds all implementations against one
# reference, and verify_test that one against NumPy. The last batch of an epoch is a partial one.
TRAININGS = (
    ("linreg-3x2", "loss=half_mse", "model.bias=true"),
    ("mlp-10-50-1", "model.layers.0.activation=sigmoid", "model.layers.1.bias=false", "rows=100"),
    ("mlp-10-50-1", "loss=huber", "huber_delta=0.3", "rows=100"),
    ("mlp-784-128-10", "rows=100", "batch=16", "width=24"),  # whose rows are shuffled
    ("mlp-10-50-1", "optimizer.kind=adam", "learning_rate=0.01", SCHEDULE, "rows=100", "optimizer.weight_decay=0.1"),
    ("linreg-300x10", "optimizer.kind=radam", "learning_rate=0.01", "optimizer.weight_decay=0.1", "batch=64",
     "optimizer.decoupled_weight_decay=true", "batch.micro_batches=3"),
    ("linreg-300x10", "batch=64", "batch.drop_last=true"),
)


class Train(ProgramTest):
    def train(self, scenario, name, steps, *settings, implementation="hand/eigen"):
        """Its output; the dump is called `name`."""
        arguments = ("--impl", implementation, "--steps", str(steps), "--dump", name, *options("--set", settings))
        return self.call("train", scenario, *arguments)[0]

    def test_ends_where_numpy_ends(self):
        for (scenario, *settings), dtype in itertools.product(TRAININGS, check_dump.LIMITS):
            with self.subTest(scenario=scenario, settings=settings, dtype=dtype):
                output = self.train(scenario, dtype, 20, f"dtype={dtype}", *settings)
                self.assertRegex(output, r"^loss .* -> .* after 20 steps\n$")
                self.expect_same(self.folder / dtype, 20)

    def expect_same(self, folder, steps):
        dump = check_dump.Dump(folder)
        element = 8 if dump.scenario["dtype"] == "f64" else 4
        before = dump.parameters("initial")
        expected, losses = dump.recomputed
        for name, first, last in zip(dump.names, before, expected):
            actual = numpy.load(folder / f"final_{name}.npy")
            self.assertEqual(actual.shape, last.shape, name)
            self.assertEqual(actual.dtype.itemsize, element)
            self.assertGreater(numpy.linalg.norm(last - first), 0, f"{name} was not trained")
        self.assertTrue(check_dump.check(dump))
        with open(folder / "loss.csv", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in table], list(range(steps + 1)))
        self.assertLess(losses[-1], losses[0])

    def test_the_check_sees_a_difference(self):
        self.train("mlp-10-50-1", "dump", 20, "dtype=f64", "model.layers.0.normalization=layer", "rows=100")
        self.expect_same(self.folder / "dump", 20)
        changed = numpy.load(self.folder / "dump" / "final_w0.npy") * (1 + 1e-11)
        numpy.save(self.folder / "dump" / "final_w0.npy", changed)
        self.assertFalse(check_dump.check(check_dump.Dump(self.folder / "dump")))

    def test_parameters_that_are_rounded(self):
        settings = ("dtype=bf16", "optimizer=adam", "rows=100", "batch=32", "initial_seed=5")
        for rounding, policy in (("nearest", "bf16-params"), ("stochastic", "bf16-params-stochastic")):
            self.train("mlp-10-50-1", policy, 20, *settings, implementation=f"hand/eigen+{policy}")
            for other in ("nearest", "stochastic"):
                with self.subTest(dump=policy, by=other):
                    dump = check_dump.Dump(self.folder / policy, other)
                    self.assertEqual(check_dump.check(dump), other == rounding)

    def test_bfloat16_is_rounded_everywhere(self):
        halves = numpy.array([1.0, 1.00390625, 1.01171875, -(2.0**-126), 77.25 * 2.0**-133, 0.5 * 2.0**-133, 0.0])
        expected = [1.0, 1.0, 1.015625, -(2.0**-126), 77 * 2.0**-133, 0.0, 0.0]
        self.assertEqual(list(check_dump.numpy_training.bfloat16(halves)), expected)

    def test_a_dumped_scenario_runs_from_where_it_lies(self):
        self.write("table.csv", "x,y\n" + "".join(f"{i / 10},{i / 5 + 1}\n" for i in range(20)))
        self.write_json("csv.json", csv_scenario())
        first = self.train("csv.json", "dumped", 3)
        self.assertEqual(first, self.train("dumped/scenario.json", "again", 3))

    def test_training_goes_on_from_a_file(self):
        final = lambda name: check_dump.Dump(self.folder / name).parameters("final")
        self.train("mlp-10-50-1", "whole", 10, "dtype=f64")
        self.train("mlp-10-50-1", "half", 5, "dtype=f64")
        names = check_dump.Dump(self.folder / "half").names
        numpy.savez(self.folder / "half.npz", **dict(zip(names, final("half"))))
        for path in ("half/final_w0.npy", "half.npz"):
            # Once more from the scenario that was dumped: its path is absolute.
            self.train("mlp-10-50-1", "rest", 5, "dtype=f64", f"initial.path={self.folder / path}")
            self.train("rest/scenario.json", "again", 5)
            for name in ("rest", "again"):
                for array, other in zip(final(name), final("whole")):
                    numpy.testing.assert_array_equal(array, other)

    def test_a_dump_that_cannot_be_written(self):
        self.write("file", "in the way")
        for target in ("file", "file/below"):
            self.expect_error(["train", "linreg-3x2", "--steps", "1", "--dump", target], target)
