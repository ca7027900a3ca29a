"""Time to a target loss, and the features whose columns differ in scale, that it is for."""

import csv
import io

from program import ADAPTERS, FAKES, ProgramTest, linear_scenario, options


class Target(ProgramTest):
    def run_to(self, *arguments, implementations=("hand/naive",), status=0, plugins="", **target):
        """Runs a small regression with that target; the report, and what was printed."""
        scenario = linear_scenario(
            data={"source": "synthetic", "kind": "linear", "rows": 40, "features": 3}, dtype="f64", target=target
        )
        self.write_json("mine.json", scenario)
        chosen = ("--scenario", "./mine.json", *options("--impl", implementations), "--out", "x.json", "--overwrite")
        table, _ = self.call("run", "--quick", *chosen, "--details", *arguments, plugins=plugins, status=status)
        return self.read_json("x.json"), table

    def losses(self, *arguments):
        """Of the training rows after every step, by `gdbench train`."""
        self.call("train", "./mine.json", "--impl", "hand/naive", *arguments, "--dump", "path")
        return {int(row["step"]): float(row["loss"]) for row in csv.DictReader(io.StringIO(self.read("path/loss.csv")))}

    def test_steps_are_the_first_whose_loss_is_there(self):
        report, table = self.run_to(relative=0.25, evaluate_every=9, implementations=("hand/naive", "tape/naive"))
        for cell in self.cells_of(report):
            run = cell["target"]
            losses = self.losses("--steps", str(run["stopped_after"]))
            first = min(step for step, loss in losses.items() if loss <= run["target_loss"])
            self.assertEqual((run["state"], run["steps"]), ("reached", first))
            self.assertEqual(run["stopped_after"], -(-first // 9) * 9)
            self.assertEqual(run["evaluations"], run["stopped_after"] // 9)
            self.assertAlmostEqual(run["target_loss"], run["initial_loss"] / 4, delta=1e-12)
            self.assertAlmostEqual(run["loss"], losses[run["stopped_after"]], delta=1e-12)
            self.assertGreater(cell["summary"]["to_target"]["time_ns"]["value"], 0)
        self.assertRegex(table, r"time to target: loss \S+ from \S+, evaluated every 9 steps, at most 10000 steps:")
        self.assertIn("times to a target loss", self.call("report", "x.json")[0])
        (row, _) = csv.DictReader(io.StringIO(self.call("report", "x.json", "--csv", "-")[0]))
        self.assertEqual(row["target_state"], "reached")

    def test_skipped_steps_are_counted(self):
        # Gradients times 2^20 are beyond the largest number of f16.
        settings = ("--set", "dtype=f16", "--set", "loss_scaling.initial=1048576")
        report, _ = self.run_to(*settings, relative=0.5, evaluate_every=9)
        (cell,) = self.cells_of(report)
        skipped = cell["target"]["skipped_steps"]
        self.assertTrue(0 < skipped < cell["target"]["steps"], skipped)
        self.assertEqual(cell["verification"]["skipped_steps"], skipped)
        text, _ = self.call("verify", "--scenario", "./mine.json", "--impl", "hand/naive", *settings)
        self.assertIn(f", {skipped} of them skipped", text)

    def test_whoever_cannot_evaluate_is_evaluated_by_the_reference(self):
        self.run_to(relative=0.25, implementations=("hand/naive", "fake/delay"), plugins=FAKES)
        own, other = (self.cells_by_name()[name] for name in ("hand/naive", "fake/delay"))
        self.assertNotIn("evaluation_seconds", other["target"])
        self.assertNotIn("with_evaluations_ns", other["summary"]["to_target"])
        self.assertEqual(other["target"]["steps"], own["target"]["steps"])
        # A worker that does not time its evaluations is timed.
        report, _ = self.run_to(relative=0.25, implementations=("script/python",), plugins=ADAPTERS)
        self.assertGreater(report["cells"][0]["target"]["evaluation_seconds"], 0)

    def test_a_loss_that_is_too_good_is_not_believed(self):
        report, _ = self.run_to(
            loss=1e-6, evaluate_every=60, implementations=("fake/flatter",), plugins=FAKES, status=3
        )
        status = report["cells"][0]["status"]
        self.assertEqual(status["state"], "untrusted")
        self.assertRegex(status["reason"], r"says its loss is 1e-09 after 120 steps, the reference .* 0\.0")
