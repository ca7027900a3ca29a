"""`gdbench run` and what reads its report."""

import csv
import datetime
import io
import json
import os
import pathlib
import re
import unittest
from xml.etree import ElementTree

from program import ADAPTERS, FAKES, PROGRAM, SOURCE, ProgramTest, schema_of

try:
    import jsonschema
except ImportError:
    jsonschema = None

IMPLEMENTATIONS = ("--impl", "hand/naive", "--impl", "hand/eigen")
SMALL = ("run", "--launches", "1", *IMPLEMENTATIONS, "--scenario", "linreg-300x2", "--out", "x.json")


class Run(ProgramTest):
    def test_report(self):
        table, errors = self.call(*SMALL)
        self.assertEqual(errors, "report: x.json\n")
        self.assertEqual(self.files(), ["x.json"])
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "complete")
        self.assertEqual({cell["implementation"] for cell in report["cells"]}, {"hand/naive", "hand/eigen"})
        for cell in report["cells"]:
            self.assertEqual(cell["status"]["state"], "ok")
            self.assertEqual(len(cell["launches"]), 1)
            self.assertEqual(sum(not sample["cold"] for sample in cell["samples"]), 6)
            for sample in cell["samples"]:
                self.assertGreater(sample["real_ns"], 0)
            self.assertIn(cell["implementation"], table)
        self.assertNotIn("\x1b", table)

        self.assertEqual(self.call("report", "x.json")[0], table)
        self.assertIn("gdbench report x.json --details", table)
        details, _ = self.call(*SMALL, "--details", "--overwrite")
        self.assertEqual(self.call("report", "x.json", "--details")[0], details)
        for part in ("GFLOP/s", "hand/naive", "hand/eigen", "Which wins where"):
            self.assertIn(part, details)
        plot, _ = self.call("report", "x.json", "--plot")
        for part in ("  hand/naive", "  hand/eigen", "+--"):
            self.assertIn(part, plot)
        _, errors = self.call("report", "x.json", "--plot", "--details", status=2)
        self.assertIn("--plot: found --details, too", errors)
        if jsonschema is None:
            self.skipTest("python3-jsonschema is missing")
        jsonschema.validate(report, schema_of("report"))

    def test_exports(self):
        self.call(*SMALL)
        page, _ = self.call("report", "x.json", "--markdown", "-", "--csv", "x.csv", "--google-benchmark", "gb.json")
        self.assertIn("| hand/naive", page.replace("`", ""))
        rows = list(csv.DictReader(io.StringIO((self.folder / "x.csv").read_text(encoding="utf-8"))))
        self.assertEqual(len(rows), 2)
        exported = self.read_json("gb.json")
        self.assertIn("context", exported)
        self.assertTrue(any("hand/naive" in entry["name"] for entry in exported["benchmarks"]))
        report = self.read_json("x.json")
        self.call("report", "x.json", "--samples", "samples.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "samples.csv").read_text(encoding="utf-8"))))
        samples = [(cell["id"], sample) for cell in report["cells"] for sample in cell["samples"]]
        self.assertEqual([(row["cell"], float(row["real_ns"])) for row in rows],
                         [(cell, sample["real_ns"]) for cell, sample in samples])
        for flag in ("--pyperf", "--bencher", "--github-action", "--junit", "--openmetrics"):
            for cell in self.cells_of(report):
                self.assertIn(cell["implementation"], self.call("report", "x.json", flag, "-")[0], flag)
        _, errors = self.call("report", "x.json", "--csv", "/dev/full", status=2)
        self.assertEqual(errors.count("\n"), 1)
        self.assertIn("/dev/full", errors)

    def test_junit(self):
        self.call(*SMALL, "--junit", "run.xml")
        verify = ("verify", *IMPLEMENTATIONS, "--scenario", "linreg-3x2", "--junit")
        table, _ = self.call(*verify, "verify.xml")
        self.assertIn("hand/eigen", table)
        text, _ = self.call(*verify, "-")
        self.assertEqual(ElementTree.fromstring(text).get("tests"), "2")
        for name, times in (("run.xml", True), ("verify.xml", False)):
            cases = list(ElementTree.parse(self.folder / name).iter("testcase"))
            names = {case.get("name") for case in cases if "#control" not in case.get("name")}
            self.assertEqual(names, {"hand/naive", "hand/eigen"})
            self.assertEqual({case.find("system-out") is not None for case in cases}, {times})
        self.call("verify", "--impl", "fake/wrong", "--scenario", "linreg-3x2", "--junit", "wrong.xml", plugins=FAKES,
                  status=3)
        self.assertEqual(ElementTree.parse(self.folder / "wrong.xml").getroot().get("failures"), "1")
        _, errors = self.call(*verify, "/dev/full", status=2)
        self.assertIn("/dev/full", errors)

    def test_json_on_stdout_is_the_report(self):
        output, _ = self.call(*SMALL, "--json")
        self.assertEqual(json.loads(output)["run"]["id"], self.read_json("x.json")["run"]["id"])

    def test_profiles_and_attribution(self):
        selection = ("--impl", "hand/naive", "--impl", "tape/naive", "--impl", "fake/delay")
        scenario = ("--scenario", "linreg-3x2", "--out", "x.json")
        self.call("run", "--launches", "2", *selection, *scenario, plugins=FAKES)
        report = self.read_json("x.json")
        cells = {cell["implementation"]: cell for cell in self.cells_of(report)}
        profile = cells["tape/naive"]["profile"]
        self.assertEqual(profile["cell"], cells["tape/naive"]["id"])
        self.assertIn("record", {record["phase"] for record in profile["records"]})
        self.assertNotIn("profile", cells["fake/delay"])
        self.assertIn("fake/delay offers no profile", report["notes"])
        (tax,) = report["attribution"]["taxes"]
        self.assertEqual((tax["cell"], tax["base"]), (cells["tape/naive"]["id"], cells["hand/naive"]["id"]))
        self.assertGreater(tax["calls_per_step"], 0)
        self.assertIn("what the strategy costs, over hand on the same backend",
                      self.call("report", "x.json", "--details")[0])

    def test_dry_run_measures_nothing(self):
        output, errors = self.call("run", "--dry-run", "--impl", "hand/*", "--set", "dtype=f64")
        self.assertRegex(errors, r"(?m)^\d+ cells in \d+ scenarios, about \d+ s$")
        self.assertIn("linreg-3x2[dtype=f64]/hand/naive\n", output)
        self.assertEqual(self.files(), [])

    def test_several_launches_in_seeded_order(self):
        self.call(*SMALL[:2], "3", *SMALL[3:], "--seed", "7", "--set", "dtype=f64")
        report = self.read_json("x.json")
        for cell in report["cells"]:
            self.assertEqual(cell["scenario"], report["scenarios"][0]["key"])
            self.assertEqual(sorted({sample["launch"] for sample in cell["samples"]}), [0, 1, 2])
        positions = [[s["position"] for s in cell["samples"]] for cell in self.cells_of(report)]
        self.assertTrue(all(a != b for a, b in zip(*positions)))

    def test_launches_and_budget_end_a_run_whichever_comes_first(self):
        self.call(*SMALL[:2], "3", *SMALL[3:], "--budget", "60s")
        for cell in self.cells_of(self.read_json("x.json")):
            self.assertEqual(len(cell["launches"]), 3)
        self.call(*SMALL[:2], "100000", *SMALL[3:], "--budget", "1s", "--overwrite")
        for cell in self.cells_of(self.read_json("x.json")):
            self.assertGreaterEqual(len(cell["launches"]), 1)

    def test_a_scenario_ends_where_each_verdict_in_it_is_certain(self):
        self.call("run", *SMALL[3:], "--until", "decided", "--budget", "60s")
        report = self.read_json("x.json")
        self.assertTrue(report["run"]["until_decided"])
        compared = [cell["summary"]["ratio"]["comparison"] for cell in report["cells"] if "ratio" in cell["summary"]]
        self.assertGreater(len(compared), 0)
        for comparison in compared:
            self.assertEqual(comparison["ratio"]["method"], "at every look")
            self.assertGreaterEqual(comparison["ratio"]["launches"], 7)
        begun, ended = (datetime.datetime.fromisoformat(report["run"][key]) for key in ("started_at", "finished_at"))
        if (ended - begun).total_seconds() < 50:  # or the machine was unfit, or two rows next to equal
            self.assertNotIn("inconclusive", [comparison["verdict"] for comparison in compared])

    def test_a_budget_that_is_too_short_is_said_and_each_cell_launched_once(self):
        _, errors = self.call("run", *SMALL[3:], "--budget", "0.01s")
        said, written = errors.splitlines()
        self.assertRegex(said, r"^gdbench: the budget of 0.01 s is too short for \d cells: to verify and launch each "
                               r"once takes about \d+ s in all, which this run will take$")
        self.assertEqual(written, "report: x.json")
        for cell in self.cells_of(self.read_json("x.json")):
            self.assertEqual(len(cell["launches"]), 1)

    def test_repeat_line_repeats_the_cell(self):
        self.call(*SMALL, "--set", "dtype=f64", "--set", "rows=7")
        cell = self.read_json("x.json")["cells"][0]
        words = cell["repeat"].split()
        self.assertEqual(words[0], "gdbench")
        output, _ = self.call(*words[1:], "--dry-run")
        self.assertEqual(output.strip(), cell["id"])

    def test_a_table_of_ones_own(self):
        self.write("table.csv", "x,y\n" + "".join(f"{i / 10},{i / 5 + 1}\n" for i in range(20)))
        self.write_json(
            "mine.json",
            {
                "name": "mine", "model": {"kind": "linear_regression", "bias": True},
                "data": {"source": "csv", "path": "table.csv", "targets": ["y"]}, "optimizer": {"learning_rate": 0.05},
            },
        )
        self.call("run", "--launches", "1", *IMPLEMENTATIONS, "--scenario", "./mine.json", "--out", "x.json")
        for cell in self.read_json("x.json")["cells"]:
            self.assertEqual(cell["status"]["state"], "ok")
            self.assertLess(cell["verification"]["final_loss"], cell["verification"]["initial_loss"])

    def test_a_script_is_verified_and_timed(self):
        output, _ = self.call("verify", "--impl", "script/*", "--scenario", "linreg-3*", plugins=ADAPTERS)
        for scenario in ("linreg-3x2", "linreg-300x2", "linreg-300x10"):
            self.assertRegex(output, rf"{scenario}\n.*\n\s+script/python\s+ok ")
        selection = ("--launches", "1", "--impl", "script/*", "--scenario", "linreg-3x2")
        self.call("run", *selection, "--out", "x.json", plugins=ADAPTERS)
        cell = self.read_json("x.json")["cells"][0]
        self.assertEqual((cell["implementation"], cell["status"]["state"]), ("script/python", "ok"))

    def test_a_gradient_per_output(self):
        """Right by everyone who has the task; the others say that they lack it."""
        output, _ = self.call("verify", "gradients", "--impl", "*/naive*", "--impl", "fake/delay", plugins=FAKES)
        for identifier in ("hand/naive", "tape/naive", "tape/naive+replay", "tape/naive+rerecord", "graph/naive"):
            self.assertRegex(output, rf"(?m)^\s+{re.escape(identifier)}\s+ok ")
        self.assertRegex(output, r"fake/delay\s+unsupported\s+fake/delay has no task gradients")

    def test_recording_anew_is_no_row_of_a_plain_run(self):
        for matrix in ("all", "batches", "dtypes"):
            output, _ = self.call("run", matrix, "--dry-run")
            self.assertIn("tape/naive+replay\n", output)
            self.assertNotIn("+rerecord", output)
        output, _ = self.call("run", "--scenario", "mlp-*-gradients", "--impl", "tape/naive+rerecord", "--dry-run")
        self.assertEqual(output, "mlp-64-64-8-gradients/tape/naive+rerecord\n")

    def test_a_full_disk(self):
        folder = self.folder / "small"
        folder.mkdir()
        if os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=64k none {folder} 2>/dev/null") != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(os.system, f"umount {folder}")
        _, errors = self.call(*SMALL[:-1], "small/x.json", status=2)
        self.assertEqual(errors.count("\n"), 1)
        self.assertIn("--out small/x.json", errors)
        self.assertEqual(list(folder.iterdir()), [])


class Faults(ProgramTest):
    """Every fake in one run, beside honest implementations."""

    EXPECTED = {
        "fake/crash": "crashed", "fake/delay": "ok", "fake/exit": "crashed", "fake/hang": "timed out",
        "fake/idle": "untrusted", "fake/memory": "crashed", "fake/nan": "wrong", "null/none": "ok", "fake/older": "ok",
        "fake/prepare-fails": "crashed", "fake/skip": "untrusted", "fake/stdout": "ok", "fake/throw": "crashed",
        "fake/unsupported": "unsupported", "fake/wrong": "wrong", "plugin/fake_abi": "unsupported",
        "plugin/fake_no_entry": "crashed",
    }

    def test_one_run(self):
        limits = ("--timeout", "3", "--memory-cap", "0.2")
        selection = ("--launches", "1", "--scenario", "linreg-300x2", "--out", "x.json")
        table, errors = self.call("run", "all", *selection, *limits, "--details", plugins=FAKES, status=3)
        # What earlier runs took here decides whether it is said how long this one takes.
        self.assertRegex(errors, r"\A(gdbench: the run takes about .*\n)?report: x\.json\n\Z")
        cells = {cell["implementation"]: cell for cell in self.read_json("x.json")["cells"]}
        states = {name: cell["status"]["state"] for name, cell in cells.items()}
        self.assertEqual({**states, **self.EXPECTED}, states)
        honest = {name: state for name, state in states.items() if name not in self.EXPECTED}
        self.assertLessEqual(set(honest.values()), {"ok", "unsupported"}, honest)
        for name, cell in cells.items():
            self.assertIn(name, table)
            state = cell["status"]["state"]
            self.assertEqual(state == "ok", cell["status"]["reason"] == "", name)
            if state in ("wrong", "crashed", "timed out", "unsupported"):
                self.assertEqual(cell["samples"], [], name)
        for name in ("hand/naive", "hand/eigen", "fake/stdout", "fake/delay"):
            self.assertEqual(sum(not sample["cold"] for sample in cells[name]["samples"]), 6, name)
        reasons = {name: cell["status"]["reason"] for name, cell in cells.items()}
        self.assertIn("the cap is 204 MiB", reasons["fake/memory"])
        self.assertTrue(reasons["fake/crash"].startswith("run: "), reasons["fake/crash"])
        self.assertIn("thrown by fake/throw", reasons["fake/throw"])
        self.assertIn("the accelerator is on fire", reasons["fake/prepare-fails"])
        self.assertIn("version 99", reasons["plugin/fake_abi"])
        screen, _ = self.call("report", "x.json")
        self.assertLess(screen.count("\n"), 40)
        for state in ("crashed", "untrusted", "wrong"):
            self.assertIn(state, screen)
        # What a worker prints stays with it.
        for text in (table, screen, errors):
            self.assertNotIn("progress 42%", text)
            self.assertNotIn("torn line", text)
            self.assertNotIn("\x1b", text)

    def test_verify_says_the_same(self):
        limits = ("--timeout", "3", "--memory-cap", "0.2")
        selection = ("--impl", "fake/wrong", "--impl", "fake/delay", "--scenario", "linreg-3x2")
        output, _ = self.call("verify", *selection, *limits, plugins=FAKES, status=3)
        self.assertRegex(output, r"fake/wrong\s+wrong\s+\S")
        self.assertRegex(output, r"fake/delay\s+ok\s+\S")
        self.assertEqual(self.files(), [])


class SingleSteps(ProgramTest):
    def test_have_percentiles_where_they_are_asked_for(self):
        selection = ("--scenario", "mlp-10-50-1", "--impl", "hand/naive", "--impl", "hand/eigen", "--launches", "2")
        self.call("run", *selection, "--single-steps", "--out", "x.json")
        for cell in self.read_json("x.json")["cells"]:
            for steps in [launch["single_steps"] for launch in cell["launches"]]:
                self.assertGreaterEqual(steps["steps"], 100)
                figures = [steps[key] for key in ("p50_ns", "p95_ns", "p99_ns", "max_ns")]
                self.assertEqual(figures, sorted(figures))
                self.assertGreater(figures[0], 0)
        self.call("run", *selection, "--quick", "--out", "y.json")
        self.assertNotIn("single_steps", (self.folder / "y.json").read_text(encoding="utf-8"))

    def test_cold_ones_take_longer_where_they_are_asked_for(self):
        selection = ("--scenario", "mlp-784-128-10", "--scenario", "linreg-3x2", "--impl", "hand/eigen", "--launches",
                     "3", "--cold-steps", "--out", "x.json")
        self.call("run", *selection)
        report = self.read_json("x.json")
        short = next(scenario["key"] for scenario in report["scenarios"] if scenario["label"] == "linreg-3x2")
        for cell in report["cells"]:
            launches = [launch.get("cold_steps") for launch in cell["launches"]]
            if cell["scenario"] == short:
                self.assertEqual(launches, [None] * 3, "too short to be timed alone")
                continue
            for steps in launches:
                self.assertGreater(steps["cold_ns"], steps["warm_ns"], "its weights are gone")
            ratios = sorted(steps["cold_ns"] / steps["warm_ns"] for steps in launches)
            self.assertAlmostEqual(cell["summary"]["cold"]["ratio"]["value"], ratios[1])
        self.assertIn("  cold  ", self.call("report", "x.json", "--details")[0])

    def test_are_judged_where_a_gate_names_them(self):
        build = str(pathlib.Path(PROGRAM).parent.parent)
        output, _ = self.call("run", "--scenario", "mlp-10-50-1", "--impl", "hand/naive", "--launches", "2", "--against",
                              build, "--gate", "step_p99", "--gate", "step_p95=30%", "--json", "--out", "x.json",
                              status=None)
        launches = [launch for cell in json.loads(output)["cells"] for launch in cell["launches"]]
        self.assertTrue(all("single_steps" in launch for launch in launches))
        if all(abs(launch["single_steps"]["cost"]) <= 0.02 for launch in launches):
            compared, _ = self.call("compare", "x.json", "--gate", "step_p99", status=None)
            self.assertIn("99th percentile of single steps", compared)


class Memory(ProgramTest):
    def test_page_faults_of_a_step(self):
        """Of fresh pages in each step; the few that the worker's own answer takes are divided by the steps."""
        selection = ("--scenario", "linreg-3x2", "--impl", "hand/naive", "--impl", "fake/allocate")
        taken = ("--set", "impl.pages_per_step=0", "--set", "impl.pages_per_step=7")
        self.call("run", *selection, *taken, "--quick", "--launches", "1", "--out", "x.json", plugins=FAKES)
        for cell in self.cells_of(self.read_json("x.json")):
            pages = int(cell["options"].get("pages_per_step", 0))
            self.assertAlmostEqual(cell["summary"]["page_faults_per_step"], pages, delta=0.05, msg=cell["id"])

    def test_a_reference_beyond_the_cap_is_refused_by_every_command_that_needs_one(self):
        scenario, implementation = "mlp-10-50-1", ("--impl", "graph/eigen")
        commands = [
            ("run", "--scenario", scenario, *implementation, "--out", "x.json", "--overwrite"),
            ("verify", "--scenario", scenario, *implementation), ("profile", scenario, *implementation),
            ("ablate", scenario, *implementation),
            ("crossover", scenario, "--a", "hand/eigen", "--b", "hand/naive", "--axis", "steps"),
        ]
        for command in commands:
            with self.subTest(command=command[0]):
                _, errors = self.call(*command, "--set", "width=4000", "--memory-cap", "0.02", status=2)
                self.assertRegex(errors, r"expected at most 0\.02 GiB \(a smaller model, or a larger --memory-cap\)")
        for command in (("claims", "run"), ("calibrate",)):
            self.assertIn("--memory-cap", self.call(*command, "--help")[0])

    def test_workers_that_do_not_fit_run_after_the_others(self):
        selection = ("--scenario", "linreg-3x2", "--impl", "hand/naive", "--impl", "hand/eigen", "--launches", "2")
        self.call("run", *selection, "--keep-free", "1000000", "--out", "x.json")
        report = self.read_json("x.json")
        self.assertEqual({cell["status"]["state"] for cell in report["cells"]}, {"ok"})
        self.assertEqual({len(cell["launches"]) for cell in report["cells"]}, {2})
        self.assertTrue(any("fit into the memory" in note for note in report["notes"]), report["notes"])
        # The control is of one unit with what it repeats, and stays beside it.
        first = {cell["id"]: cell["samples"][0]["position"] for cell in report["cells"]}
        self.assertEqual(sorted(first.values()), [0, 0, 1])


if __name__ == "__main__":
    unittest.main()
