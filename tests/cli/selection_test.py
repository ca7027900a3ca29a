"""What a command measures: baselines, several threads, values side by side, and scenario files."""

import os
import unittest

from program import FAKES, ProgramTest, linear_scenario, options

SMALL = ("--launches", "1", "--scenario", "linreg-300x2")
TWO = ("--impl", "hand/naive", "--impl", "hand/eigen")


class Baselines(ProgramTest):
    def test_without_the_matrix_own_ratios_are_to_the_fastest(self):
        output, errors = self.call("run", *SMALL, *TWO, "--details", "--out", "x.json")
        self.assertEqual(errors, "report: x.json\n")
        self.assertIn("ratios are to hand/", output)
        self.assertIn("there is no time of the baseline, loop/plain", output)
        fastest, other = sorted(self.cells_by_name().values(), key=lambda cell: cell["summary"]["step_ns"]["value"])
        self.assertNotIn("ratio", fastest["summary"])
        self.assertEqual(other["summary"]["ratio"]["baseline"], fastest["id"])

    def test_a_baseline_that_is_not_there(self):
        self.expect_error(["run", *SMALL, *TWO, "--baseline", "hand/eigne"],
                          '--baseline: found "hand/eigne", expected one of hand/eigen, hand/naive (did you mean ')
        axes = {"scenario": ["linreg-3x2"], "implementation": ["hand/naive"]}
        self.write_json("mine.json", {"name": "mine", "baseline": "numpy/foo", "axes": axes})
        _, errors = self.call("run", "./mine.json", "--launches", "1", "--out", "x.json")
        self.assertIn('./mine.json: /baseline: found "numpy/foo", which is no implementation here', errors)


class Threads(ProgramTest):
    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one processor")
    def test_the_report_says_what_more_threads_bring(self):
        self.call("run", "--scenario", "linreg-3x2", "--impl", "fake/delay", "--set", "impl.delay_ns=750000",
                  "--threads", "1", "--threads", "2", "--launches", "3", "--out", "x.json", plugins=FAKES)
        (scaling,) = self.read_json("x.json")["scaling"]
        self.assertTrue(scaling["cell"].endswith("@2"))
        self.assertEqual(scaling["cell"].removesuffix("@2"), scaling["single"])
        self.assertEqual(scaling["speed_up"]["launches"], 3)
        self.assertAlmostEqual(scaling["efficiency"]["value"], scaling["speed_up"]["value"] / 2)


class Values(ProgramTest):
    """Of one key of --set."""

    def test_they_are_measured_side_by_side(self):
        values = ("--set", "batch=1", "--set", "batch=100")
        self.call("run", "--scenario", "mlp-10-50-1", *TWO, *values, "--launches", "3", "--out", "x.json")
        report = self.read_json("x.json")
        key = report["scenarios"][0]["key"]
        self.assertEqual([scenario["side_by_side"] for scenario in report["scenarios"]],
                         [{"first": key, "values": {"batch": batch}} for batch in ("1", "100")])
        places = [(sample["launch"], sample["round"], sample["position"])
                  for cell in report["cells"] for sample in cell["samples"]]
        self.assertEqual(len(places), 3 * 7 * len(report["cells"]))
        self.assertEqual(len(places), len(set(places)), "each has a position of its own in every round")
        compared = [(value["cell"], value["first"], value["key"]) for value in report["values"]]
        named = lambda batch, name: f"mlp-10-50-1[batch={batch}]/hand/{name}"
        self.assertEqual(compared, [(named(100, name), named(1, name), "batch") for name in ("naive", "eigen")])
        self.assertEqual([value["comparison"]["ratio"]["launches"] for value in report["values"]], [3, 3])
        explained, _ = self.call("explain", "x.json", "--a", "batch=100", "--b", "batch=1")
        self.assertIn("paired by round", " ".join(explained.split()))

    def test_an_option_of_implementations(self):
        """Features of which most are 0, in compressed sparse rows."""
        data = {"source": "synthetic", "kind": "teacher", "rows": 50, "features": 60, "outputs": 2, "density": 0.05}
        layers = [{"width": 8, "activation": "relu"}, {"width": 2}]
        model = {"kind": "multilayer_perceptron", "layers": layers}
        self.write_json("mine.json", linear_scenario(model=model, data=data, optimizer={"learning_rate": 0.02}))
        chosen = options("--impl", ("hand/naive", "hand/eigen", "graph/eigen"))
        output, _ = self.call("verify", "--scenario", "./mine.json", *chosen, "--set", "impl.features=csr")
        for name in ("hand/eigen", "graph/eigen"):
            self.assertRegex(output, rf"{name} features=csr\s+ok ")
        self.assertRegex(output, r"hand/naive features=csr\s+unsupported\s+the backend naive has no products of csr")

    def test_a_shard_has_all_of_them(self):
        chosen = ("--scenario", "linreg-3x2", "--scenario", "linreg-300x2", "--impl", "hand/naive",
                  "--set", "dtype=f32", "--set", "dtype=f64", "--dry-run")
        shards = [self.call("run", *chosen, "--shard", shard)[0].split() for shard in ("1/2", "2/2")]
        values = lambda name: [f"{name}[dtype={dtype}]/hand/naive" for dtype in ("f32", "f64")]
        self.assertEqual(sorted(shards), [values("linreg-300x2"), values("linreg-3x2")])


class Files(ProgramTest):
    """Scenarios of one's own, by the path of their file."""

    def setUp(self):
        super().setUp()
        self.write_json("mine/rows.json", linear_scenario(name="rows"))

    def test_the_repeat_line_repeats(self):
        self.call("run", "--scenario", "mine/rows.json", "--impl", "graph/naive", "--set", "impl.passes=-fusion",
                  "--set", "batch=5", "--launches", "1", "--out", "x.json")
        cell = self.cells_of(self.read_json("x.json"))[0]
        self.assertIn("--scenario mine/rows.json", cell["repeat"])
        words = cell["repeat"].split()
        self.assertEqual(words[0], "gdbench")
        self.call(*words[1:], "--launches", "1", "--out", "y.json")
        self.assertEqual(self.cells_of(self.read_json("y.json"))[0]["id"], cell["id"])

    def test_a_matrix_names_them_from_its_own_folder(self):
        axes = {"scenario": ["rows.json", "linreg-3x2"], "implementation": ["hand/naive"]}
        self.write_json("mine/matrix.json", {"name": "m", "axes": axes})
        output, _ = self.call("run", "mine/matrix.json", "--dry-run")
        self.assertEqual(output.split(), ["rows/hand/naive", "linreg-3x2/hand/naive"])
        relation = {"kind": "ratio", "quantity": "step", "a": {"batch": 1}, "b": {"batch": 20}, "at_most": 100}
        matrix = {"axes": {"scenario": ["rows.json"], "implementation": ["hand/naive"], "batch": [1, 20]}}
        self.write_json("mine/claim.json", {"id": "claim", "sentence": "Small batches are quick.", "source": "me",
                                            "purpose": "p",
                                            "experiments": [{"matrix": matrix, "relations": [relation]}]})
        output, _ = self.call("claims", "run", "mine/claim.json", "--dry-run")
        self.assertEqual(output.split(), [f"rows[batch={batch}]/hand/naive" for batch in (1, 20)])
