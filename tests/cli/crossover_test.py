"""`gdbench crossover`: structure and exit statuses. Times are the machine's affair; what is sure is a known delay."""

import os
import unittest

from program import FAKES, ProgramTest, assert_valid, csv_scenario

PAIR = ("--a", "hand/naive", "--b", "hand/eigen")
ROWS = (*PAIR, "--axis", "rows", "--from", "3", "--to", "12")
# A step of either fake costs less than this wait.
SLOW = ("--a", "fake/delay", "--b", "hand/naive", "--set", "impl.delay_ns=200000")
SHORT = ("--launches", "1", "--budget", "0.1s")

# The words of a command, and parts of the one line that refuses them.
ALONE, ROWS_OF = "linreg-3x2 --a hand/naive --b hand/eigen", "linreg-3x2 --a hand/naive --b hand/eigen --axis rows"
ERRORS = (
    ("linreg-3x2 --a nosuch --b hand/eigen --axis rows", "--a", '"nosuch"'),
    ("linreg-3x2 --a hand/eigen --b hand/eigen --axis rows", "--b", "--a as well"),
    (ALONE, "--axis"),
    (f"{ALONE} --axis columns", "columns", "rows"),
    (f"{ROWS_OF} --from 9 --to 9", "--from 9 --to 9"),
    (f"{ALONE} --axis batch --to 4", "--to 4", "at most 3"),
    ("mlp-784-128-10 --a hand/naive --b hand/eigen --axis rows --from 3 --to 9",
     "--axis rows, rows=3: ", "/data/outputs"),
    (f"{ALONE} --axis steps --to 9", "--axis steps"),
    (f"{ROWS_OF} --set data.rows=9", "--set data.rows"),
    ("mine.json --a hand/naive --b hand/eigen --axis rows", "rows"),
    ("mlp-10-50-1 --a fake/delay --b hand/eigen --axis width --to 4", "fake/delay has"),
    # Of threads.
    ("linreg-3x2 --a hand/naive@0 --b hand/eigen --axis rows",
     '--a: found "hand/naive@0", expected an integer from 1 to 4096 behind the @'),
    ("linreg-3x2 --a hand/naive@1 --b hand/naive --axis rows", '--b: found "hand/naive", which is --a as well'),
    ("linreg-3x2 --a hand/naive@1 --b hand/eigen@1 --axis threads",
     '--b: found "hand/eigen@1" next to "hand/naive@1", expected one of them without @'),
    (f"{ALONE} --axis threads --threads 2", "--threads 2: found the axis itself"),
    (f"{ALONE} --axis threads --to 4096", "--to 4096: found more threads"),
    ("linreg-3x2 --a fake/delay@4096 --b hand/eigen --axis rows", "--axis rows, rows=3: ", "for 4096 threads"),
    # Of settings of one side.
    *(
        (f"linreg-3x2 --a hand/naive --b {side} --axis rows", part)
        for side, part in {
            "=f64/hand/naive": '--b: found "=f64", expected KEY=VALUE',
            "dtype=f64,dtype=f32/hand/naive": "--b dtype: found a second value",
            "dtype=f64": '--b: found "", expected one of',
            "dtype=f32/hand/naive": '--b: found "dtype=f32/hand/naive", which is --a as well',
            "rows=9/hand/naive": "--b rows: found the axis itself, expected another key",
            "impl.tyle=9/hand/naive": "impl.tyle: found an option",
        }.items()
    ),
    ("mlp-10-50-1 --a hand/naive --b dtype=bf16/fake/delay --axis rows", "--axis rows, rows=3: ", "fake/delay"),
)


class Crossover(ProgramTest):
    def search(self, *arguments, plugins="", status=0):
        found = self.json_of("crossover", *arguments, plugins=plugins, status=status)
        assert_valid(found, "crossover")
        return found

    def assert_zone(self, found, outcome, verdict, ends, said):
        """One zone from end to end."""
        self.assertEqual((found["outcome"], found["complete"]), (outcome, outcome == "none"))
        self.assertEqual(found["zones"], [{"verdict": verdict, "first": ends[0], "last": ends[1]}])
        self.assertTrue(found["document"]["answer"][1].startswith(said), found["document"]["answer"])

    def test_one_launch_decides_nothing(self):
        found = self.search("linreg-3x2", *ROWS, *SHORT, "--html", "x.html", status=4)
        self.assertEqual((found["axis"], found["a"], found["b"]), ("rows", "hand/naive", "hand/eigen"))
        self.assertEqual([point["size"] for point in found["points"]], [3, 12])
        for point in found["points"]:
            self.assertGreater(point["a_step_ns"]["value"], 0)
            self.assertIn("within one process", point["comparison"]["remark"])
        said = "From rows=3 to 12, the two cannot be distinguished: "
        self.assertEqual(found["document"]["answer"][1][: len(said)], said)
        self.assertEqual((found["outcome"], found["complete"]), ("undecided", False))
        self.assertEqual((found["need"]["sizes"], found["need"]["launches"]), ([3, 12], 18), "10 launches at each")
        page = self.read("x.html")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn(said, page)

    def test_the_margin_says_what_is_equal(self):
        """What is undecided gets more launches than were asked for."""
        limits = ("--from", "3", "--to", "4", "--margin", "100000%", "--launches", "2")
        found = self.search("linreg-3x2", *PAIR, "--axis", "rows", *limits)
        self.assert_zone(found, "none", "equivalent", (3, 4), "From rows=3 to 4, the two are equal within 100000%: ")
        self.assertEqual([point["comparison"]["ratio"]["launches"] for point in found["points"]], [10, 10])

    def test_no_crossing(self):
        limits = ("--axis", "rows", "--from", "3", "--to", "5", "--margin", "10", "--launches", "8")
        found = self.search("linreg-3x2", *SLOW, *limits, plugins=FAKES)
        self.assert_zone(found, "none", "slower", (3, 5), "From rows=3 to 5, fake/delay is slower than hand/naive: ")
        self.assertNotIn("need", found)
        self.assertEqual([point["size"] for point in found["points"]], [3, 4, 5])

    def test_the_report_has_every_sample(self):
        limits = ("--launches", "2", "--budget", "0.1s", "--out", "x.json")
        _, errors = self.call("crossover", "linreg-3x2", *ROWS, *limits, status=None)
        self.assertEqual((errors, self.files()), ("report: x.json\n", ["x.json"]))
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["baseline"], "hand/eigen")
        self.assertEqual([scenario["rows"] for scenario in report["scenarios"]], [3, 12])
        for cell in report["cells"]:
            launches = sorted({sample["launch"] for sample in cell["samples"]})
            self.assertEqual(launches, list(range(max(2, len(cell["launches"])))))

    def test_axes(self):
        for scenario, option, axis, ends in (
            ("linreg-300x2", "batch", "batch", [1, 300]), ("linreg-300x2", "width", "features", [1, 64]),
            ("mlp-10-50-1", "width", "width", [1, 64]), ("linreg-300x2", "rows", "rows", [3, 64]),
        ):
            with self.subTest(axis=axis):
                limits = ("--axis", option, *SHORT, *(("--to", "64") if ends[1] == 64 else ()))
                found = self.search(scenario, "--a", "tape/eigen", "--b", "hand/eigen", *limits, status=4)
                self.assertEqual(found["axis"], axis)
                self.assertEqual([point["size"] for point in found["points"]], ends)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one processor")
    def test_threads_are_of_one_side_or_the_axis(self):
        """Of a wait that threads share, three quarters of a millisecond of each step."""
        delay = ("--a", "fake/delay@2", "--b", "fake/delay", "--set", "impl.delay_ns=750000")
        found = self.search("linreg-3x2", *delay, "--axis", "rows", "--from", "3", "--to", "4", plugins=FAKES)
        self.assertEqual((found["a"], found["b"]), ("fake/delay@2", "fake/delay"))
        self.assertEqual(found["zones"], [{"verdict": "faster", "first": 3, "last": 4}])
        delay = ("--a", "fake/delay", "--b", "hand/naive@1", "--set", "impl.delay_ns=750000")
        found = self.search("linreg-3x2", *delay, "--axis", "threads", "--to", "2", *SHORT, plugins=FAKES, status=4)
        self.assertEqual((found["axis"], found["a"], found["b"]), ("threads", "fake/delay", "hand/naive@1"))
        self.assertEqual([point["size"] for point in found["points"]], [1, 2])
        for point, least in zip(found["points"], (750000, 375000)):
            self.assertGreaterEqual(point["a_step_ns"]["value"], least)

    def test_settings_of_one_side(self):
        # The wait makes one side slower for sure; the dtype is what the two differ in besides.
        names = ["dtype=f64,impl.delay_ns=200000/fake/delay", "dtype=f32/hand/naive"]
        pair = ("--a", names[0], "--b", "hand/naive")
        limits = ("--axis", "rows", "--from", "3", "--to", "4", *SHORT, "--set", "loss=half_mse", "--out", "x.json")
        found = self.json_of("crossover", "linreg-3x2", *pair, *limits, plugins=FAKES, status=4)
        self.assertEqual([found["a"], found["b"]], names, "the other side says what it has instead")
        self.assertEqual(found["scenario"], "linreg-3x2[loss=half_mse]")
        self.assertTrue(all(point["comparison"]["ratio"]["value"] > 1 for point in found["points"]), found["points"])
        report = self.read_json("x.json")
        dtypes = {scenario["key"]: scenario["resolved"]["dtype"] for scenario in report["scenarios"]}
        self.assertEqual([dtypes[cell["scenario"]] for cell in report["cells"]], ["f64", "f32"] * 2)
        a, b = report["cells"][:2]
        visits = [[(sample["launch"], sample["round"]) for sample in cell["samples"]] for cell in (a, b)]
        self.assertEqual(visits[0], visits[1], "they were measured side by side")
        tolerances = [cell["verification"]["tensors"][0]["tolerance"] for cell in (a, b)]
        self.assertLess(tolerances[0], tolerances[1] * 1e-6, "each was verified by its own dtype's reference")

    def test_steps(self):
        found = self.search("linreg-3x2", *SLOW, "--axis", "steps", "--launches", "3", plugins=FAKES, status=None)
        self.assertEqual((found["faster_step"], found["launches"]), ("hand/naive", 3))
        self.assertIn(found["outcome"], ("from the start", "after", "at latest", "at earliest", "undecided"))
        self.assertEqual([side["implementation"] for side in found["sides"]], ["fake/delay", "hand/naive"])
        self.assertGreater(found["sides"][0]["step_ns"]["value"], 200000)
        for side in found["sides"]:
            for key in ("load_seconds", "prepare_seconds", "first_step_ns"):
                self.assertGreater(side[key], 0)
        self.search("linreg-3x2", *SLOW, "--axis", "steps", "--launches", "1", plugins=FAKES, status=4)

    def test_input_errors(self):
        self.write("table.csv", "x,y\n1,2\n2,3\n")
        self.write_json("mine.json", csv_scenario())
        for words, *parts in ERRORS:
            with self.subTest(words=words):
                plugins = FAKES if "fake/" in words else ""
                self.expect_error(["crossover", *words.split(" ")], *parts, plugins=plugins)

    def test_failing_cells(self):
        for name, axis in (("wrong", "rows --to 9"), ("crash", "steps")):
            with self.subTest(fake=name, axis=axis):
                words = f"crossover linreg-3x2 --a fake/{name} --b hand/eigen --launches 1 --axis {axis}"
                part = {"wrong": "is wrong", "crash": "is crashed"}[name]
                self.expect_error(words.split(), f"fake/{name}", part, plugins=FAKES, status=3)
