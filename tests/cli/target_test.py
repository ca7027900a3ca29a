"""Time to a target loss, and the features whose columns differ in scale, that it is for."""

import csv
import io
import unittest

from program import ADAPTERS, FAKES, ProgramTest, linear_scenario


class Target(ProgramTest):
    def run_to(self, *arguments, implementations=("hand/naive",), status=0, plugins="", **target):
        """Runs a small regression with that target; the report, and what was printed."""
        scenario = linear_scenario(
            data={"source": "synthetic", "kind": "linear", "rows": 40, "features": 3}, dtype="f64", target=target
        )
        self.write_json("mine.json", scenario)
        selection = [word for name in implementations for word in ("--impl", name)]
        table, _ = self.call(
            *("run", "--quick", "--scenario", "./mine.json", *selection, "--out", "x.json", "--overwrite", "--details",
              *arguments),
            plugins=plugins, status=status,
        )
        return self.read_json("x.json"), table

    def losses(self, *arguments):
        """Of the training rows after every step, by `gdbench train`."""
        self.call("train", "./mine.json", "--impl", "hand/naive", *arguments, "--dump", "path")
        text = (self.folder / "path" / "loss.csv").read_text(encoding="utf-8")
        return {int(row["step"]): float(row["loss"]) for row in csv.DictReader(io.StringIO(text))}

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
            time = cell["summary"]["to_target"]
            step_ns = min(sample["real_ns"] for sample in cell["samples"] if not sample["cold"])
            launch = cell["launches"][0]
            ready_ns = (launch["load_seconds"] + launch["prepare_seconds"]) * 1e9 + launch["first_step_ns"] - step_ns
            whole = ready_ns + first * step_ns
            self.assertAlmostEqual(time["ready_ns"], ready_ns, delta=1e-6 * ready_ns)
            self.assertAlmostEqual(time["time_ns"]["value"], whole, delta=1e-6 * whole)
            walked = ready_ns + run["stopped_after"] * step_ns + run["evaluation_seconds"] * 1e9
            self.assertAlmostEqual(time["with_evaluations_ns"]["value"], walked, delta=1e-6 * walked)
        self.assertRegex(table, r"time to target: loss \S+ from \S+, evaluated every 9 steps, at most 10000 steps:")
        self.assertEqual(self.call("report", "x.json", "--details")[0], table)
        self.assertIn("times to a target loss", self.call("report", "x.json")[0])
        self.assertIn("| with evaluations |", self.call("report", "x.json", "--markdown", "-")[0])
        (row, _) = csv.DictReader(io.StringIO(self.call("report", "x.json", "--csv", "-")[0]))
        self.assertEqual(row["target_state"], "reached")

    def test_a_target_that_is_met_at_the_start(self):
        report, _ = self.run_to(loss=1000)
        run = report["cells"][0]["target"]
        self.assertEqual((run["state"], run["steps"], run["evaluations"]), ("reached", 0, 0))

    def test_unreached(self):
        report, table = self.run_to(loss=1e-9, most_steps=35, evaluate_every=20)
        run = report["cells"][0]["target"]
        self.assertEqual((run["state"], run["steps"], run["evaluations"]), ("unreached", 35, 2))
        self.assertNotIn("to_target", report["cells"][0]["summary"])
        self.assertRegex(table, r"hand/naive unreached: loss \S+ after 35 steps\.")

    def test_skipped_steps_are_counted(self):
        # Gradients times 2^20 are beyond the largest number of f16.
        settings = ("--set", "dtype=f16", "--set", "loss_scaling.initial=1048576")
        report, _ = self.run_to(*settings, relative=0.5, evaluate_every=9)
        (cell,) = self.cells_of(report)
        skipped = cell["target"]["skipped_steps"]
        self.assertTrue(0 < skipped < cell["target"]["steps"], skipped)
        self.assertIn("| skipped steps |", self.call("report", "x.json", "--markdown", "-")[0])
        self.assertEqual(cell["verification"]["skipped_steps"], skipped)
        text, _ = self.call("verify", "--scenario", "./mine.json", "--impl", "hand/naive", *settings)
        self.assertIn(f", {skipped} of them skipped", text)

    def test_diverged(self):
        # Beyond the scenario's own steps: what diverges within them is refused.
        diverging = ("--set", "learning_rate=2", "--set", "steps=2")
        report, table = self.run_to(*diverging, loss=1e-9, most_steps=100000)
        self.assertEqual(report["cells"][0]["target"]["state"], "diverged")
        self.assertIsNone(report["cells"][0]["target"]["loss"])
        self.assertIn("diverged within", table)

    def test_cut_for_lack_of_time(self):
        report, table = self.run_to("--budget", "0.2s", loss=1e-9, most_steps=10**9, evaluate_every=1)
        run = report["cells"][0]["target"]
        self.assertEqual(run["state"], "cut")
        self.assertLess(run["steps"], 10**9)
        self.assertIn("cut for lack of time: loss", table)

    def test_whoever_cannot_evaluate_is_evaluated_by_the_reference(self):
        report, _ = self.run_to(relative=0.25, implementations=("hand/naive", "fake/delay"), plugins=FAKES)
        (own, other) = sorted(self.cells_of(report), key=lambda cell: cell["implementation"] != "hand/naive")
        self.assertNotIn("evaluation_seconds", other["target"])
        self.assertNotIn("with_evaluations_ns", other["summary"]["to_target"])
        self.assertEqual(other["target"]["steps"], own["target"]["steps"])

    def test_a_worker_that_does_not_time_its_evaluations(self):
        report, _ = self.run_to(relative=0.25, implementations=("script/python",), plugins=ADAPTERS)
        self.assertGreater(report["cells"][0]["target"]["evaluation_seconds"], 0)

    def test_a_loss_that_is_too_good_is_not_believed(self):
        report, _ = self.run_to(
            loss=1e-6, evaluate_every=60, implementations=("fake/flatter",), plugins=FAKES, status=3
        )
        status = report["cells"][0]["status"]
        self.assertEqual(status["state"], "untrusted")
        self.assertRegex(status["reason"], r"says its loss is 1e-09 after 120 steps, the reference .* 0\.0")

    def test_no_target_no_table(self):
        for details in ((), ("--details",)):
            table, _ = self.call("run", "--quick", "--impl", "hand/naive", "--scenario", "linreg-3x2", "--overwrite",
                                 *details)
            self.assertNotIn("target", table)

    def test_spread_columns_take_more_steps_unless_they_are_standardised(self):
        steps = {}
        for standardised in ("false", "true"):
            settings = ("--set", "data.condition=100", "--set", f"standardise.features={standardised}")
            report, _ = self.run_to(*settings, loss=0.02)
            self.assertEqual(report["cells"][0]["target"]["state"], "reached")
            steps[standardised] = report["cells"][0]["target"]["steps"]
        self.assertGreater(steps["false"], 10 * steps["true"])


if __name__ == "__main__":
    unittest.main()
