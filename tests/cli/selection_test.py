"""What a command measures: baselines, scenario files, where a wrong value came from, what happens if nothing runs."""

import json
import os
import unittest

from program import FAKES, ProgramTest, linear_scenario

SMALL = ("--launches", "1", "--scenario", "linreg-300x2")
TWO = ("--impl", "hand/naive", "--impl", "hand/eigen")


class Baselines(ProgramTest):
    def ratios(self, name):
        return {cell["implementation"]: cell["summary"].get("ratio") for cell in self.cells_of(self.read_json(name))}

    def test_an_own_baseline(self):
        self.call("run", *SMALL, *TWO, "--baseline", "hand/eigen", "--out", "x.json")
        self.assertEqual(self.read_json("x.json")["run"]["baseline"], "hand/eigen")
        ratios = self.ratios("x.json")
        self.assertIsNone(ratios["hand/eigen"])
        self.assertTrue(ratios["hand/naive"]["baseline"].endswith("/hand/eigen"))

    def test_without_the_matrix_own_ratios_are_to_the_fastest(self):
        output, errors = self.call("run", *SMALL, *TWO, "--details", "--out", "x.json")
        self.assertEqual(errors, "report: x.json\n")
        self.assertIn("ratios are to hand/", output)
        self.assertIn("there is no time of the baseline, loop/plain", output)
        report = self.read_json("x.json")
        fastest = min(self.cells_of(report), key=lambda cell: cell["summary"]["step_ns"]["value"])
        ratios = self.ratios("x.json")
        self.assertIsNone(ratios.pop(fastest["implementation"]))
        for ratio in ratios.values():
            self.assertEqual(ratio["baseline"], fastest["id"])

    def test_a_baseline_that_is_not_there(self):
        _, errors = self.call("run", *SMALL, *TWO, "--baseline", "hand/eigne", status=2)
        self.assertEqual(
            errors, 'gdbench: --baseline: found "hand/eigne", expected one of hand/eigen, hand/naive '
                    "(did you mean hand/eigen?)\n"
        )
        matrix = {"name": "mine", "baseline": "numpy/foo",
                  "axes": {"scenario": ["linreg-3x2"], "implementation": ["hand/naive"]}}
        self.write_json("mine.json", matrix)
        _, errors = self.call("run", "./mine.json", "--launches", "1", "--out", "x.json")
        self.assertIn('./mine.json: /baseline: found "numpy/foo", which is no implementation here', errors)


class Threads(ProgramTest):
    def test_powers_of_two_end_with_the_processors(self):
        processors = len(os.sched_getaffinity(0))
        matrix = {"name": "mine",
                  "axes": {"scenario": ["linreg-3x2"], "implementation": ["fake/delay"], "threads": "powers of two"}}
        self.write_json("mine.json", matrix)
        output, _ = self.call("run", "./mine.json", "--dry-run", plugins=FAKES)
        counts = sorted({2**k for k in range(13) if 2**k < processors} | {processors})
        cells = [f"linreg-3x2/fake/delay@{count}" for count in counts if count > 1]
        self.assertEqual(output.splitlines(), ["linreg-3x2/fake/delay", *cells])

    def test_the_report_says_what_more_threads_bring(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one processor")
        self.call("run", "--scenario", "linreg-3x2", "--impl", "fake/delay", "--set", "impl.delay_ns=750000",
                  "--threads", "1", "--threads", "2", "--launches", "3", "--out", "x.json", plugins=FAKES)
        (scaling,) = self.read_json("x.json")["scaling"]
        self.assertTrue(scaling["cell"].endswith("@2"))
        self.assertEqual(scaling["cell"].removesuffix("@2"), scaling["single"])
        self.assertEqual(scaling["speed_up"]["launches"], 3)
        self.assertAlmostEqual(scaling["efficiency"]["value"], scaling["speed_up"]["value"] / 2)
        details = self.call("report", "x.json", "--details")[0]
        self.assertIn("What more threads bring, over the same with one", details)
        self.assertIn("what more threads cost each step at most", details)


class Values(ProgramTest):
    """Of one key of --set."""

    def test_they_are_measured_side_by_side(self):
        values = ("--set", "batch=1", "--set", "batch=100")
        self.call("run", "--scenario", "mlp-10-50-1", *TWO, *values, "--launches", "3", "--out", "x.json")
        report = self.read_json("x.json")
        first, other = report["scenarios"]
        self.assertEqual([s["side_by_side"] for s in (first, other)],
                         [{"first": first["key"], "values": {"batch": batch}} for batch in ("1", "100")])
        visits = {}
        for cell in report["cells"]:
            for sample in cell["samples"]:
                visits.setdefault((sample["launch"], sample["round"]), {})[sample["position"]] = cell["id"]
        cells = {cell["id"] for cell in report["cells"]}
        self.assertEqual(len(visits), 3 * 7)
        for visit in visits.values():
            self.assertEqual(set(visit.values()), cells, "every cell has a position of its own in every round")
        compared = [(value["cell"], value["first"], value["key"]) for value in report["values"]]
        named = lambda batch, name: f"mlp-10-50-1[batch={batch}]/hand/{name}"
        self.assertEqual(compared, [(named(100, name), named(1, name), "batch") for name in ("naive", "eigen")])
        for value in report["values"]:
            self.assertEqual(value["comparison"]["ratio"]["launches"], 3)
            self.assertAlmostEqual(value["operations_ratio"],
                                   other["operations_per_step"] / first["operations_per_step"])
        self.assertIn("values of batch, side by side", self.call("report", "x.json", "--details")[0])
        self.assertIn("batch=100 takes ", " ".join(self.call("report", "x.json")[0].split()))
        self.assertIn("paired by round",
                      " ".join(self.call("explain", "x.json", "--a", "batch=100", "--b", "batch=1")[0].split()))

    def test_a_shard_has_all_of_them(self):
        chosen = ("--scenario", "linreg-3x2", "--scenario", "linreg-300x2", "--impl", "hand/naive",
                  "--set", "dtype=f32", "--set", "dtype=f64", "--dry-run")
        shards = [self.call("run", *chosen, "--shard", shard)[0].split() for shard in ("1/2", "2/2")]
        values = lambda name: [f"{name}[dtype={dtype}]/hand/naive" for dtype in ("f32", "f64")]
        self.assertEqual(sorted(shards), [values("linreg-300x2"), values("linreg-3x2")])

    def test_axes_of_a_matrix_are_measured_apart(self):
        axes = {"scenario": ["linreg-3x2"], "implementation": ["hand/naive"], "dtype": ["f32", "f64"]}
        self.write_json("m.json", {"name": "m", "axes": axes})
        self.call("run", "./m.json", "--launches", "1", "--out", "x.json")
        report = self.read_json("x.json")
        self.assertNotIn("values", report)
        for scenario in report["scenarios"]:
            self.assertNotIn("side_by_side", scenario)


class Files(ProgramTest):
    """Scenarios of one's own, by the path of their file."""

    def setUp(self):
        super().setUp()
        (self.folder / "mine").mkdir()
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
        _, errors = self.call("run", "mine/matrix.json", "--scenario", "absent.json", "--dry-run", status=2)
        self.assertIn("absent.json: found no such file", errors)

    def test_a_claim_does_too(self):
        experiment = {
            "matrix": {"axes": {"scenario": ["rows.json"], "implementation": ["hand/naive"], "batch": [1, 20]}},
            "relations": [{"kind": "ratio", "quantity": "step", "a": {"batch": 1}, "b": {"batch": 20}, "at_most": 100}],
        }
        claim = {"id": "claim", "sentence": "Small batches are quick.", "source": "me", "purpose": "p",
                 "experiments": [experiment]}
        self.write_json("mine/claim.json", claim)
        output, _ = self.call("claims", "run", "mine/claim.json", "--launches", "3", "--out", "x.json", "--json")
        self.assertEqual([found["id"] for found in json.loads(output)["claims"]], ["claim"])
        output, _ = self.call("claims", "x.json", "mine/claim.json", "--json")
        self.assertEqual([(found["id"], found["verdict"]) for found in json.loads(output)["claims"]],
                         [("claim", "confirmed")])


class Words(ProgramTest):
    def test_nothing_that_can_run_is_no_success(self):
        output, _ = self.call("run", "--scenario", "linreg-3x2", "--impl", "fake/unsupported", "--out", "x.json",
                              plugins=FAKES, status=4)
        self.assertIn("unsupported", output)

    def test_the_page_of_a_run(self):
        self.call("run", *SMALL, *TWO, "--out", "x.json", "--markdown", "x.md")
        self.call("report", "x.json", "--markdown", "y.md")
        self.assertEqual((self.folder / "x.md").read_text(), (self.folder / "y.md").read_text())

    def test_what_a_pass_does_is_said(self):
        output, _ = self.call("ablate", "linreg-3x2", "--impl", "graph/naive", "--launches", "1")
        self.assertIn("  dead-code: removes what nothing needs\n", output)

    def test_examples_are_of_the_command(self):
        for command in ("plugin", "doctor", "merge", "completion", "help", "list"):
            output, _ = self.call(command, "--help")
            for line in output.partition("Example")[2].splitlines()[1:]:
                if line.strip().startswith("gdbench"):
                    self.assertTrue(command in line or command == "merge" and "--shard" in line, f"{command}: {line}")


if __name__ == "__main__":
    unittest.main()
