"""`gdbench run` and what reads its report."""

import csv
import io
import json
import os
import pathlib

from program import FAKES, PROGRAM, ProgramTest, assert_valid

IMPLEMENTATIONS = ("--impl", "hand/naive", "--impl", "hand/eigen")
SMALL = ("run", "--launches", "1", *IMPLEMENTATIONS, "--scenario", "linreg-300x2", "--out", "x.json")


class Run(ProgramTest):
    def test_report(self):
        table, errors = self.call(*SMALL, "--junit", "run.xml")
        self.assertEqual(errors, "report: x.json\n")
        self.assertEqual(self.files(), ["run.xml", "x.json"])
        report = self.read_json("x.json")
        assert_valid(report, "report")
        self.assertEqual(report["run"]["status"], "complete")
        self.assertEqual({cell["implementation"] for cell in report["cells"]}, {"hand/naive", "hand/eigen"})
        for cell in report["cells"]:
            self.assertEqual(cell["status"]["state"], "ok")
            self.assertEqual(len(cell["launches"]), 1)
            self.assertEqual(sum(not sample["cold"] for sample in cell["samples"]), 6)
            self.assertNotIn("single_steps", cell["launches"][0])
            for sample in cell["samples"]:
                self.assertGreater(sample["real_ns"], 0)
            self.assertIn(cell["implementation"], table)
        self.assertNotIn("\x1b", table)
        self.assertIn("gdbench report x.json --details", table)
        self.assertEqual(self.call("report", "x.json")[0], table)
        self.assertEqual(self.call("report", "x.json", "--junit")[0], self.read("run.xml"))
        plot, _ = self.call("report", "x.json", "--plot")
        for part in ("  hand/naive", "  hand/eigen", "+--"):
            self.assertIn(part, plot)
        self.expect_error(["report", "x.json", "--plot", "--details"], "--plot: found --details, too")
        self.check_formats()

    def check_formats(self):
        """Each is written; what is in them is what tests/unit/exports is about."""
        files = {"--csv": "x.csv", "--samples": "samples.csv", "--google-benchmark": "gb.json", "--markdown": "x.md"}
        self.call("report", "x.json", *(word for pair in files.items() for word in pair))
        texts = {flag: self.read(name) for flag, name in files.items()}
        for flag in ("--pyperf", "--bencher", "--github-action", "--openmetrics"):
            texts[flag], _ = self.call("report", "x.json", flag)
        for flag, text in texts.items():
            for implementation in ("hand/naive", "hand/eigen"):
                self.assertIn(implementation, text, flag)
        samples = [cell["id"] for cell in self.read_json("x.json")["cells"] for _ in cell["samples"]]
        self.assertEqual([row["cell"] for row in csv.DictReader(io.StringIO(texts["--samples"]))], samples)
        self.expect_error(["report", "x.json", "--csv", "/dev/full"], "/dev/full")

    def test_profiles_and_attribution(self):
        selection = ("--impl", "hand/naive", "--impl", "tape/naive", "--impl", "fake/delay")
        scenario = ("--scenario", "linreg-3x2", "--out", "x.json")
        self.call("run", "--launches", "2", *selection, *scenario, plugins=FAKES)
        report, cells = self.read_json("x.json"), self.cells_by_name()
        profile = cells["tape/naive"]["profile"]
        self.assertEqual(profile["cell"], cells["tape/naive"]["id"])
        self.assertIn("record", {record["phase"] for record in profile["records"]})
        self.assertNotIn("profile", cells["fake/delay"])
        self.assertIn("fake/delay offers no profile", report["notes"])
        (tax,) = report["attribution"]["taxes"]
        self.assertEqual((tax["cell"], tax["base"]), (cells["tape/naive"]["id"], cells["hand/naive"]["id"]))
        self.assertGreater(tax["calls_per_step"], 0)

    def test_several_launches_end_a_run_before_its_budget(self):
        words = ("--seed", "7", "--set", "dtype=f64", "--budget", "60s")
        details, _ = self.call(*SMALL[:2], "3", *SMALL[3:], *words, "--details")
        self.assertEqual(self.call("report", "x.json", "--details")[0], details)
        report = self.read_json("x.json")
        for cell in report["cells"]:
            self.assertEqual(cell["scenario"], report["scenarios"][0]["key"])
            self.assertEqual(sorted({sample["launch"] for sample in cell["samples"]}), [0, 1, 2])
        positions = [[s["position"] for s in cell["samples"]] for cell in self.cells_of(report)]
        self.assertTrue(all(a != b for a, b in zip(*positions)))

    def test_a_scenario_ends_where_each_verdict_in_it_is_certain(self):
        self.call("run", *SMALL[3:], "--until", "decided", "--budget", "60s")
        report = self.read_json("x.json")
        self.assertTrue(report["run"]["until_decided"])
        compared = [cell["summary"]["ratio"]["comparison"] for cell in report["cells"] if "ratio" in cell["summary"]]
        self.assertGreater(len(compared), 0)
        for comparison in compared:
            self.assertEqual(comparison["ratio"]["method"], "at every look")
            self.assertGreaterEqual(comparison["ratio"]["launches"], 7)

    def test_a_budget_that_is_too_short_is_said_and_each_cell_launched_once(self):
        _, errors = self.call("run", *SMALL[3:], "--budget", "0.01s")
        said, written = errors.splitlines()
        self.assertRegex(said, r"^gdbench: the budget of 0.01 s is too short for \d cells: to verify and launch each "
                               r"once takes about \d+ s in all, which this run will take$")
        self.assertEqual(written, "report: x.json")
        for cell in self.cells_of(self.read_json("x.json")):
            self.assertEqual(len(cell["launches"]), 1)

    def test_a_step_beside_its_forward_pass(self):
        tasks = ("--set", "task=forward", "--set", "task=train")
        self.call("run", "--scenario", "mlp-10-50-1", "--impl", "graph/naive", *tasks, "--launches", "1",
                  "--out", "x.json")
        (row,) = self.read_json("x.json")["values"]
        self.assertEqual((row["key"], row["first"]), ("task", "mlp-10-50-1[task=forward]/graph/naive"))
        # Of 10 x 50 and 50 x 1 weights forward two operations a row; backward as many, and again but for the first.
        forward, backward = 2 * (500 + 50), 2 * (500 + 2 * 50)
        self.assertAlmostEqual(row["operations_ratio"], (forward + backward) / forward, delta=0.1)

    def test_a_dry_run_measures_nothing(self):
        """Recording anew is no row of a plain run."""
        output, errors = self.call("run", "all", "--set", "dtype=f64", "--dry-run")
        self.assertRegex(errors, r"(?m)^\d+ cells in \d+ scenarios, about \d+ s$")
        self.assertIn("linreg-3x2[dtype=f64]/tape/naive+replay\n", output)
        self.assertNotIn("+rerecord", output)
        output, _ = self.call("run", "--scenario", "mlp-*-gradients", "--impl", "tape/naive+rerecord", "--dry-run")
        self.assertEqual(output, "mlp-64-64-8-gradients/tape/naive+rerecord\n")
        self.assertEqual(self.files(), [])

    def test_a_full_disk(self):
        folder = self.folder / "small"
        folder.mkdir()
        if os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=64k none {folder} 2>/dev/null") != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(os.system, f"umount {folder}")
        self.expect_error([*SMALL[:-1], "small/x.json"], "--out small/x.json")
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
        for name, words in {
            "fake/memory": "the cap is 204 MiB", "fake/crash": "run: ", "fake/throw": "thrown by fake/throw",
            "fake/prepare-fails": "the accelerator is on fire", "plugin/fake_abi": "version 99",
        }.items():
            self.assertIn(words, cells[name]["status"]["reason"])
        screen, _ = self.call("report", "x.json")
        self.assertLess(screen.count("\n"), 40)
        for state in ("crashed", "untrusted", "wrong"):
            self.assertIn(state, screen)
        # What a worker prints stays with it.
        for text in (table, screen, errors):
            self.assertNotIn("progress 42%", text)
            self.assertNotIn("torn line", text)
            self.assertNotIn("\x1b", text)


class SingleSteps(ProgramTest):
    def test_cold_ones_take_longer(self):
        self.call("run", "--scenario", "mlp-784-128-10", "--impl", "hand/eigen", "--launches", "3", "--cold-steps",
                  "--out", "x.json")
        for cell in self.read_json("x.json")["cells"]:
            for launch in cell["launches"]:
                self.assertGreater(launch["cold_steps"]["cold_ns"], launch["cold_steps"]["warm_ns"])
        self.assertIn("  cold  ", self.call("report", "x.json", "--details")[0])

    def test_are_timed_and_judged_where_a_gate_names_them(self):
        build = str(pathlib.Path(PROGRAM).parent.parent)
        selection = ("--scenario", "mlp-10-50-1", "--impl", "hand/naive", "--launches", "2", "--against", build)
        output, _ = self.call("run", *selection, "--gate", "step_p99", "--gate", "step_p95=30%", "--json", "--out",
                              "x.json", status=None)
        report = json.loads(output)
        self.assertEqual(report["run"]["id"], self.read_json("x.json")["run"]["id"])
        single_steps = [launch["single_steps"] for cell in report["cells"] for launch in cell["launches"]]
        for steps in single_steps:
            self.assertGreaterEqual(steps["steps"], 100)
            self.assertTrue(0 < steps["p50_ns"] <= steps["p95_ns"] <= steps["p99_ns"] <= steps["max_ns"], steps)
        if all(abs(steps["cost"]) <= 0.02 for steps in single_steps):
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
        for command in (
            ("run", "--scenario", scenario, *implementation), ("verify", "--scenario", scenario, *implementation),
            ("profile", scenario, *implementation), ("ablate", scenario, *implementation),
            ("crossover", scenario, "--a", "hand/eigen", "--b", "hand/naive", "--axis", "steps"),
        ):
            with self.subTest(command=command[0]):
                _, errors = self.call(*command, "--set", "width=4000", "--memory-cap", "0.02", status=2)
                self.assertRegex(errors, r"expected at most 0\.02 GiB \(a smaller model, or a larger --memory-cap\)")
        for command in (("claims", "run"), ("calibrate",)):
            self.assertIn("--memory-cap", self.call(*command, "--help")[0])

    def test_workers_that_do_not_fit_run_after_the_others(self):
        selection = ("--scenario", "linreg-3x2", "--impl", "hand/naive", "--impl", "hand/eigen", "--launches", "2")
        self.call("run", *selection, "--keep-free", "1000000", "--out", "x.json")
        report = self.read_json("x.json")
        self.assertEqual({(cell["status"]["state"], len(cell["launches"])) for cell in report["cells"]}, {("ok", 2)})
        self.assertTrue(any("fit into the memory" in note for note in report["notes"]), report["notes"])
        # The control is of one unit with what it repeats, and stays beside it.
        first = {cell["id"]: cell["samples"][0]["position"] for cell in report["cells"]}
        self.assertEqual(sorted(first.values()), [0, 0, 1])
