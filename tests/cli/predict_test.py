"""`gdbench predict`: a run without ranks, to which ranks with known times are added."""

import copy
import re
import shutil
import unittest

from program import PROGRAM, SOURCE, ProgramTest, options

FIXED_NS, ROW_NS, LATENCY_NS, BYTE_NS = 1000, 50, 400, 0.25
PARAMETERS = {"linreg-3x2": 2, "linreg-300x10": 10}


class Predict(ProgramTest):
    def setUp(self):
        super().setUp()
        chosen = (*options("--scenario", PARAMETERS), "--impl", "hand/naive")
        self.run_report = self.measured_once("run.json", *chosen, "--quick")

    def write_ranks(self, name):
        """Cells of hand/naive by one rank and by two, and what exchanges alone by two."""
        report = copy.deepcopy(self.run_report)
        rows = {record["key"]: (record["batch_rows"], record["parameters"]) for record in report["scenarios"]}
        originals = self.cells_of(report)
        report["cells"] = []
        for original in originals:
            batch, parameters = rows[original["scenario"]]
            exchange_ns = LATENCY_NS + BYTE_NS * 4 * parameters
            for ranks, computes in ((1, True), (2, True), (2, False)):
                cell = copy.deepcopy(original)
                cell["implementation"] = "hand/naive+mpi" if computes else "hand/null+mpi"
                cell["id"] += f"+mpi?ranks={ranks}" if computes else "+nothing"
                cell.update(ranks=ranks, options={"ranks": str(ranks)}, ranked=False)
                cell["default_options"] = {"mpi": "openmpi"}
                if not computes:
                    del cell["verification"]
                for sample in cell["samples"]:
                    sample["exchange_ns"] = exchange_ns if ranks > 1 else 0
                    sample["real_ns"] = FIXED_NS + ROW_NS * -(-batch // ranks) + sample["exchange_ns"]
                report["cells"].append(cell)
        return self.write_json(name, report)

    def test_finds_what_the_times_were_made_of(self):
        self.write_ranks("ranks.json")
        found = self.json_of("predict", "ranks.json", "--ranks", "4,64")
        self.assertEqual(found["schema"], "gdbench-prediction")
        self.assertEqual({one["scenario"]: one["gradient_bytes"] for one in found["predictions"]},
                         {name: 4 * count for name, count in PARAMETERS.items()})
        for one in found["predictions"]:
            self.assertAlmostEqual(one["fixed_ns"], FIXED_NS, delta=1e-6)
            for step in one["steps"]:
                stages = {4: 2, 64: 6}[step["ranks"]]
                exchange_ns = stages * (LATENCY_NS + BYTE_NS * one["gradient_bytes"])
                expected_ns = FIXED_NS + ROW_NS * -(-one["batch_rows"] // step["ranks"]) + exchange_ns
                self.assertAlmostEqual(step["step_ns"], expected_ns, delta=1e-6)

    def test_says_how_wrong_it_may_be_and_takes_a_network(self):
        self.write_ranks("ranks.json")
        text, _ = self.call("predict", "ranks.json", "ranks.json")
        self.assertIn("Worst error of all-reduces: 0%", text)
        text, _ = self.call("predict", "ranks.json", "--latency", "50us", "--bandwidth", "10Gbit/s")
        self.assertIn("exchanging takes 50 us a message, 800 us a MB", text)

    @unittest.skipUnless(shutil.which("smpirun"), "scripts/setup --simulation installs SimGrid")
    def test_a_simulation_takes_as_long(self):
        self.write_ranks("ranks.json")
        command = [SOURCE / "scripts" / "simulate-ranks", "ranks.json", "--program", PROGRAM]
        done = self.run_other(*command, "--hosts", "4,16", "--steps", "2")
        # Of MPICH, which doubles what is small, while Open MPI passes around the very smallest.
        rows = re.findall(r"^ +\d+ +\S+ doubling +\S+ +\S+ +\S+ +(\S+) ", done.stdout, re.M)
        self.assertEqual(len(rows), 2 * 2 * len(PARAMETERS), done.stdout)
        for ratio in rows:
            self.assertAlmostEqual(float(ratio), 1, delta=0.02)

    def test_says_what_is_missing(self):
        self.write_ranks("ranks.json")
        for arguments, part in {
            ("run.json",): "run.json: /cells: found no row that computes nothing with ranks=2, expected two sizes",
            ("nowhere.json",): "nowhere.json: found no such file", ("ranks.json", "--ranks", "4,0"): "--ranks",
            ("ranks.json", "--latency", "5us"): "--latency requires --bandwidth",
            ("ranks.json", "--latency", "5", "--bandwidth", "1Gbit/s"): '--latency: found "5", expected a time like',
            ("ranks.json", "--latency", "5us", "--bandwidth", "1"): '--bandwidth: found "1", expected a rate like',
        }.items():
            self.expect_error(["predict", *arguments], part)
