"""`gdbench predict`: a run without ranks, to which ranks with known times are added."""

import copy
import json
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, SOURCE, ProgramTest

FIXED_NS, ROW_NS, LATENCY_NS, BYTE_NS = 1000, 50, 400, 0.25
PARAMETERS = {"linreg-3x2": 2, "linreg-300x10": 10}


class Predict(ProgramTest):
    @classmethod
    def setUpClass(cls):
        made = cls()
        made.setUp()
        names = [word for name in PARAMETERS for word in ("--scenario", name)]
        made.call("run", *names, "--impl", "hand/naive", "--quick", "--out", "run.json")
        cls.run_report = made.read_json("run.json")
        made.doCleanups()

    def runTest(self):
        """So that an instance can make the run."""

    def write_ranks(self, name, counts=(1, 2)):
        """Cells of hand/naive by so many ranks, and what exchanges alone by two."""
        report = copy.deepcopy(self.run_report)
        rows = {record["key"]: (record["batch_rows"], record["parameters"]) for record in report["scenarios"]}
        originals = self.cells_of(report)
        report["cells"] = []
        for original in originals:
            batch, parameters = rows[original["scenario"]]
            exchange_ns = LATENCY_NS + BYTE_NS * 4 * parameters
            for ranks, computes in [*((count, True) for count in counts), (2, False)]:
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
        output, _ = self.call("predict", "ranks.json", "--ranks", "4,64", "--json")
        found = json.loads(output)
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

    def test_says_what_is_predicted_and_how_wrong_it_may_be(self):
        self.write_ranks("ranks.json")
        text, _ = self.call("predict", "ranks.json", "ranks.json")
        for words in ("Predicted, not measured", "predicted step", "predicted speed-up", "4093 of them without a row",
                      "Worst error of all-reduces: 0%", "Nothing is computed while gradients are exchanged"):
            self.assertIn(words, text)
        text, _ = self.call("predict", "ranks.json", "--latency", "50us", "--bandwidth", "10Gbit/s")
        self.assertIn("each on a machine of its own", text)
        self.assertIn("exchanging takes 50 us a message, 800 us a MB", text)
        self.assertIn("Adding up takes no time: the report has no ceilings.", text)

    @unittest.skipUnless(shutil.which("smpirun"), "scripts/setup --simulation installs SimGrid")
    def test_a_simulation_takes_as_long(self):
        self.write_ranks("ranks.json")
        command = [SOURCE / "scripts" / "simulate-ranks", "ranks.json", "--program", PROGRAM]
        done = subprocess.run([*command, "--hosts", "4,16", "--steps", "2"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, check=True)
        # Of MPICH, which doubles what is small, while Open MPI passes around the very smallest.
        rows = re.findall(r"^ +\d+ +\S+ doubling +\S+ +\S+ +\S+ +(\S+) ", done.stdout, re.M)
        self.assertEqual(len(rows), 2 * 2 * len(PARAMETERS), done.stdout)
        for ratio in rows:
            self.assertAlmostEqual(float(ratio), 1, delta=0.02)

    def test_says_what_is_missing(self):
        self.write_json("none.json", self.run_report)
        self.write_ranks("one.json", counts=(2,))
        self.write_ranks("ranks.json")
        for arguments, part in {
            ("none.json",): "none.json: /cells: found no row that computes nothing with ranks=2, expected two sizes",
            ("one.json",): "found one number of rows of a rank, expected cells of two, such as ranks=1 and ranks=2",
            ("nowhere.json",): "nowhere.json: found no such file", ("ranks.json", "--ranks", "4,0"): "--ranks",
            ("ranks.json", "--latency", "5us"): "--latency requires --bandwidth",
            ("ranks.json", "--latency", "5", "--bandwidth", "1Gbit/s"): '--latency: found "5", expected a time like',
            ("ranks.json", "--latency", "5us", "--bandwidth", "1"): '--bandwidth: found "1", expected a rate like',
        }.items():
            self.expect_error(["predict", *arguments], part)


if __name__ == "__main__":
    unittest.main()
