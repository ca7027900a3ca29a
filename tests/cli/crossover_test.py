"""`gdbench crossover`: structure and exit statuses. Times are the machine's affair; what is sure is a known delay."""

import json
import os
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

from program import FAKES, ProgramTest, csv_scenario, schema_of

PAIR = ("--a", "hand/naive", "--b", "hand/eigen")
ROWS = (*PAIR, "--axis", "rows", "--from", "3", "--to", "12")
# A step of either fake costs less than this wait.
SLOW = ("--a", "fake/delay", "--b", "hand/naive", "--set", "impl.delay_ns=200000")


# The words of a command, and parts of the one line that refuses them.
ALONE, ROWS_OF = "linreg-3x2 --a hand/naive --b hand/eigen", "linreg-3x2 --a hand/naive --b hand/eigen --axis rows"
ERRORS = (
    ("nosuch --a hand/naive --b hand/eigen --axis rows", '"nosuch"', "linreg-3x2"),
    ("linreg-3x2 --a nosuch --b hand/eigen --axis rows", "--a", '"nosuch"'),
    ("linreg-3x2 --a hand/eigen --b hand/eigne --axis rows", "--b", "did you mean"),
    ("linreg-3x2 --a hand/eigen --b hand/eigen --axis rows", "--b", "--a as well"),
    (ALONE, "--axis"),
    (f"{ALONE} --axis columns", "columns", "rows"),
    (f"{ROWS_OF} --from 9 --to 9", "--from 9 --to 9"),
    (f"{ALONE} --axis batch --to 4", "--to 4", "at most 3"),
    (f"{ROWS_OF} --margin much", "--margin", '"much"', "share"),
    ("mlp-784-128-10 --a hand/naive --b hand/eigen --axis rows --from 3 --to 9",
     "--axis rows, rows=3: ", "/data/outputs"),
    (f"{ALONE} --axis steps --to 9", "--axis steps"),
    (f"{ROWS_OF} --set data.rows=9", "--set data.rows"),
    (f"{ROWS_OF} --set impl.tyle=9", "impl.tyle"),
    (f"{ROWS_OF} --budget soon", "--budget", '"soon"'),
    (f"{ROWS_OF} --out nowhere/x.json", "--out nowhere/x.json"),
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
            "dtype=f8/hand/naive": '--b dtype: found "f8", expected one of f32, f64, bf16, f16',
            "dtpe=f64/hand/naive": "--b dtpe: found an unknown key",
            "=f64/hand/naive": '--b: found "=f64", expected KEY=VALUE',
            "dtype=f64,dtype=f32/hand/naive": "--b dtype: found a second value",
            "dtype=f64": '--b: found "", expected one of',
            "dtype=f32/hand/naive": '--b: found "dtype=f32/hand/naive", which is --a as well',
            "rows=9/hand/naive": "--b rows: found the axis itself, expected another key",
            "impl.tyle=9/hand/naive": "impl.tyle: found an option",
            "task=update/hand/naive": '/model/kind: found a model with the task "update"',
        }.items()
    ),
    ("mlp-10-50-1 --a hand/naive --b dtype=bf16/fake/delay --axis rows", "--axis rows, rows=3: ", "fake/delay"),
)


class Crossover(ProgramTest):
    def search(self, *arguments, plugins="", status=0):
        output, errors = self.call("crossover", *arguments, "--json", plugins=plugins, status=status)
        self.assertEqual(errors, "")
        found = json.loads(output)
        if jsonschema is not None:
            jsonschema.validate(found, schema_of("crossover"))
        return found

    def test_one_launch_decides_nothing(self):
        limits = ("--launches", "1", "--budget", "0.1s", "--html", "x.html")
        found = self.search("linreg-3x2", *ROWS, *limits, status=4)
        self.assertEqual((found["schema"], found["outcome"], found["axis"]), ("gdbench-crossover", "undecided", "rows"))
        self.assertEqual((found["a"], found["b"]), ("hand/naive", "hand/eigen"))
        self.assertFalse(found["complete"])
        self.assertEqual([point["size"] for point in found["points"]], [3, 12])
        for point in found["points"]:
            self.assertGreater(point["a_step_ns"]["value"], 0)
            self.assertEqual(point["comparison"]["verdict"], "inconclusive")
            self.assertIn("within one process", point["comparison"]["remark"])
            ratio = point["comparison"]["ratio"]
            self.assertLessEqual(ratio["interval"]["low"], ratio["value"])
            self.assertLessEqual(ratio["value"], ratio["interval"]["high"])
        self.assertEqual(found["zones"], [{"verdict": "inconclusive", "first": 3, "last": 12}])
        self.assertEqual((found["need"]["sizes"], found["need"]["launches"]), ([3, 12], 18), "10 launches at each")
        self.assertGreater(found["need"]["budget_seconds"], 0)
        _, zone, need = found["document"]["answer"]
        said = "From rows=3 to 12, the two cannot be distinguished: "
        self.assertTrue(zone.startswith(said), zone)
        self.assertTrue(need.startswith("Undecided at rows=3 and 12: about 18 more launches would decide"), need)
        page = (self.folder / "x.html").read_text(encoding="utf-8")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn(said, page)
        self.assertEqual(page.count("<figure "), 2)

    def test_the_margin_says_what_is_equal(self):
        """What is undecided gets more launches than were asked for."""
        limits = ("--from", "3", "--to", "4", "--margin", "100000%", "--launches", "2")
        found = self.search("linreg-3x2", *PAIR, "--axis", "rows", *limits)
        self.assertEqual((found["outcome"], found["complete"], found["margin"]), ("none", True, 1000))
        self.assertEqual([point["comparison"]["ratio"]["launches"] for point in found["points"]], [10, 10])
        self.assertEqual(found["zones"], [{"verdict": "equivalent", "first": 3, "last": 4}])
        answer, zone = found["document"]["answer"]
        self.assertEqual(answer, "No crossing.")
        self.assertTrue(zone.startswith("From rows=3 to 4, the two are equal within 100000%: "), zone)

    def test_no_crossing(self):
        limits = ("--axis", "rows", "--from", "3", "--to", "5", "--margin", "10", "--launches", "8")
        found = self.search("linreg-3x2", *SLOW, *limits, plugins=FAKES)
        self.assertEqual(found["outcome"], "none")
        self.assertTrue(found["complete"])
        self.assertNotIn("need", found)
        self.assertEqual(found["zones"], [{"verdict": "slower", "first": 3, "last": 5}])
        self.assertEqual({point["comparison"]["verdict"] for point in found["points"]}, {"slower"})
        self.assertEqual([point["size"] for point in found["points"]], [3, 4, 5])
        answer, zone = found["document"]["answer"]
        self.assertEqual(answer, "No crossing.")
        self.assertTrue(zone.startswith("From rows=3 to 5, fake/delay is slower than hand/naive: "), zone)

    def test_the_report_has_every_sample(self):
        text, errors = self.call("crossover", "linreg-3x2", *ROWS, "--launches", "2", "--budget", "0.1s",
                                 "--out", "x.json", status=None)
        self.assertEqual(errors, "report: x.json\n")
        self.assertEqual(self.files(), ["x.json"])
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["baseline"], "hand/eigen")
        self.assertEqual([scenario["rows"] for scenario in report["scenarios"]], [3, 12])
        for cell in report["cells"]:
            launches = {sample["launch"] for sample in cell["samples"]}
            self.assertEqual(launches, set(range(len(cell["launches"]))))
            self.assertGreaterEqual(len(launches), 2)
        self.assertIn("hand/naive", self.call("report", "x.json")[0])
        self.assertIn("launches", text)

    def test_axes(self):
        sizes = {
            ("linreg-300x2", "batch"): [1, 300], ("linreg-300x2", "features"): [1, 1024],
            ("mlp-10-50-1", "width"): [1, 1024], ("linreg-300x2", "rows"): [3, 100000],
        }
        for (scenario, axis), ends in sizes.items():
            option = "width" if axis == "features" else axis
            limits = ("--launches", "1", "--budget", "0.01s", "--axis", option)
            if ends[1] > 1000:
                limits += ("--to", "64")
                ends[1] = 64
            with self.subTest(axis=axis):
                found = self.search(scenario, "--a", "tape/eigen", "--b", "hand/eigen", *limits, status=4)
                self.assertEqual(found["axis"], axis)
                self.assertEqual([point["size"] for point in found["points"]], ends)

    def threads_found(self, *arguments, status=0):
        """Of a wait that threads share, three quarters of a millisecond of each step."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one processor")
        delay = ("--set", "impl.delay_ns=750000")
        return self.search("linreg-3x2", *arguments, *delay, plugins=FAKES, status=status)

    def test_threads_of_one_side(self):
        pair = ("--a", "fake/delay@2", "--b", "fake/delay")
        found = self.threads_found(*pair, "--axis", "rows", "--from", "3", "--to", "4")
        self.assertEqual((found["a"], found["b"]), pair[1::2])
        self.assertEqual(found["zones"], [{"verdict": "faster", "first": 3, "last": 4}])

    def test_threads_are_an_axis(self):
        pair = ("--a", "fake/delay", "--b", "hand/naive@1", "--axis", "threads")
        found = self.threads_found(*pair, "--to", "2", "--launches", "1", "--budget", "0.1s", status=4)
        self.assertEqual((found["axis"], found["a"], found["b"]), ("threads", "fake/delay", "hand/naive@1"))
        self.assertEqual([point["size"] for point in found["points"]], [1, 2])
        one, two = (point["a_step_ns"]["value"] for point in found["points"])
        self.assertGreaterEqual(one, 750000)
        self.assertGreaterEqual(two, 375000)
        self.assertEqual(found["zones"], [{"verdict": "inconclusive", "first": 1, "last": 2}])

    def test_settings_of_one_side(self):
        # The wait makes one side slower for sure; the dtype is what the two differ in besides.
        pair = ("--a", "dtype=f64,impl.delay_ns=200000/fake/delay", "--b", "hand/naive")
        limits = ("--axis", "rows", "--from", "3", "--to", "4", "--launches", "1", "--budget", "0.1s")
        found = json.loads(self.call("crossover", "linreg-3x2", *pair, *limits, "--set", "loss=half_mse",
                                     "--out", "x.json", "--json", plugins=FAKES, status=4)[0])
        names = ("dtype=f64,impl.delay_ns=200000/fake/delay", "dtype=f32/hand/naive")
        self.assertEqual((found["a"], found["b"]), names, "the other side says what it has instead")
        self.assertEqual(found["scenario"], "linreg-3x2[loss=half_mse]")
        self.assertTrue(all(point["comparison"]["ratio"]["value"] > 1 for point in found["points"]), found["points"])
        report = self.read_json("x.json")
        dtypes = {scenario["key"]: scenario["resolved"]["dtype"] for scenario in report["scenarios"]}
        self.assertEqual([dtypes[cell["scenario"]] for cell in report["cells"]], ["f64", "f32"] * 2)
        self.assertEqual({cell["status"]["state"] for cell in report["cells"]}, {"ok"})
        a, b = report["cells"][:2]
        visits = [[(sample["launch"], sample["round"]) for sample in cell["samples"]] for cell in (a, b)]
        self.assertEqual(visits[0], visits[1], "they were measured side by side")
        tensors = [cell["verification"]["tensors"][0]["tolerance"] for cell in (a, b)]
        self.assertLess(tensors[0], tensors[1] * 1e-6, "each was verified by its own dtype's reference")

    def test_settings_of_a_side_are_named_everywhere(self):
        limits = ("--launches", "1", "--budget", "0.1s")
        pair = ("--a", "hand/naive", "--b", "dtype=f64/hand/naive")
        for axis in (("rows", "--to", "9"), ("steps",)):
            arguments = ("crossover", "linreg-3x2", *pair, "--axis", *axis, *limits)
            text, _ = self.call(*arguments, "--html", "x.html", status=None)
            for output in (text, (self.folder / "x.html").read_text(encoding="utf-8")):
                self.assertIn("dtype=f32/hand/naive", output)
                self.assertIn("dtype=f64/hand/naive", output)
            self.assertTrue(text.startswith("gdbench crossover linreg-3x2: dtype=f32/"))

    def test_steps(self):
        arguments = (*SLOW, "--axis", "steps", "--launches", "3")
        found = self.search("linreg-3x2", *arguments, plugins=FAKES, status=None)
        self.assertEqual(found["faster_step"], "hand/naive")
        self.assertEqual(found["launches"], 3)
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
        for name, part in {"wrong": "is wrong", "crash": "is crashed"}.items():
            for axis in ("rows --to 9", "steps"):
                with self.subTest(fake=name, axis=axis):
                    words = f"crossover linreg-3x2 --a fake/{name} --b hand/eigen --launches 1 --axis {axis}"
                    self.expect_error(words.split(), f"fake/{name}", part, plugins=FAKES, status=3)


if __name__ == "__main__":
    unittest.main()
