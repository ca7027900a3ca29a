"""The ratio of one pair is the same wherever a report is shown (the console, Markdown, the page, CSV and JSON) and
whichever command is asked: report, explain, claims and compare."""

import csv
import io
import json
import math
import re
import unittest

from checked_outputs import CheckedOutputs
from random_reports import random_report

FAST, SLOW = "hand/eigen", "tape/eigen"
# The median of the launches' ratios is 17.25x, the quotient of the two medians 17.82x.
STEPS = (40.0, 41.0, 42.0, 60.0, 61.0, 62.0)
RATIOS = (16.0, 16.2, 19.0, 17.0, 17.5, 18.0)
TEXT = "17.25x"
# That of the fastest to itself; with its interval, and turned over: the faster one's time to the slower one's.
TEXTS = {"1.00x", TEXT, "17.25x [16.00, 19.00]", "0.058x", "0.058x [0.053, 0.062]"}
SCENARIO = "linreg-300x10-target"
SETTINGS = {"launches": 6, "profiled": 0, "targets": False, "failures": 0.0, "gaps": 0.0, "control": None}


def two_cells(baseline, **settings):
    """A report whose scenarios all have the same two cells."""
    document = random_report(3, arms=("new",), **SETTINGS, **settings)
    template = next(cell for cell in document["cells"] if cell["threads"] == 1)
    document["run"].update(baseline=baseline, status="complete", matrix="made", quick=False)
    document["cells"] = []
    for scenario in document["scenarios"]:
        for name, factors in ((FAST, (1.0,) * 6), (SLOW, RATIOS)):
            cell = json.loads(json.dumps(template))
            cell.update(id=f"{scenario['label']}/{name}", scenario=scenario["key"], implementation=name, options={})
            cell.update(ranked=True)
            for sample in cell["samples"]:
                sample["real_ns"] = STEPS[sample["launch"]] * factors[sample["launch"]]
                sample["cpu_ns"] = sample["real_ns"]
            document["cells"].append(cell)
    return document


class OneRatio(CheckedOutputs):
    def expect(self, text, where):
        """The one ratio of the one pair, and no other."""
        found = set(re.findall(r"(?<![\w.])\d[\d.]*x(?!\d)(?: \[\d[\d.]*, \d[\d.]*\])?", text))
        self.assertTrue(found, where)
        self.assertLessEqual(found, TEXTS, where)

    def test_the_ratio_of_a_pair_is_one_text(self):
        for kind in ("turned", "few"):
            for baseline in (FAST, SLOW, ""):
                with self.subTest(kind=kind, baseline=baseline):
                    self.check(two_cells(baseline, kind=kind))

    def check(self, document):
        self.write_json("made.json", document)
        self.expect(self.render("report", "made.json", width=160), "console")
        self.expect(self.render("report", "made.json", "--details", width=160), "details")
        self.expect(self.render("report", "made.json", "--markdown", "-"), "Markdown")
        self.expect(self.render("explain", "made.json", width=200), "explain")
        self.call("report", "made.json", "--html", "made.html")
        page = (self.folder / "made.html").read_text(encoding="utf-8")
        without_axes = re.sub(r"<svg.*?</svg>|<style.*?</style>|<script.*?</script>", " ", page, flags=re.DOTALL)
        self.expect(re.sub(r"<[^>]*>", " ", without_axes), "page")
        self.assertIn("\u25bc " + TEXT, page)
        rows = csv.DictReader(io.StringIO(self.render("report", "made.json", "--csv", "-")))
        cells = json.loads(self.render("report", "made.json", "--json", "-"))["cells"]
        stored = [cell["summary"]["ratio"]["comparison"] for cell in cells if "ratio" in cell["summary"]]
        ratios = [row["ratio"] for row in rows] + [comparison["ratio"]["value"] for comparison in stored]
        found = [float(ratio) for ratio in ratios if ratio]
        self.assertEqual(len(found), 2 * len(document["scenarios"]))
        for ratio in found:
            self.expect_ratio(ratio)

    def expect_ratio(self, ratio):
        self.assertAlmostEqual(max(ratio, 1 / ratio), math.sqrt(17.0 * 17.5), 9)

    def expect_ratios(self, command, ratios, count):
        with self.subTest(command=command):
            self.assertEqual(len(ratios), count)
            for ratio in ratios:
                self.expect_ratio(ratio["value"])

    def answer(self, *arguments):
        return json.loads(self.call(*arguments, "--json", status=None)[0])

    def test_every_command_gives_the_one_ratio(self):
        quick = ("--impl", "hand/naive", "--launches", "1", "--quick", "--out", "real.json")
        self.call("run", "--scenario", SCENARIO, *quick)
        scenarios = self.read_json("real.json")["scenarios"]
        for baseline in (FAST, SLOW, ""):
            self.write_json("made.json", two_cells(baseline, scenarios=lambda: scenarios))
            sides = ({"implementation": FAST}, {"implementation": SLOW})
            relations = [
                {"kind": "ratio", "quantity": "step", "a": a, "b": b, "at_least": 1} for a, b in (sides, sides[::-1])
            ]
            matrix = {"axes": {"scenario": [SCENARIO], "implementation": [FAST, SLOW]}}
            experiments = [{"matrix": matrix, "relations": relations}]
            claim = {"id": "one", "sentence": "s", "source": "s", "purpose": "p", "experiments": experiments}
            self.write_json("one.json", claim)
            claimed = self.answer("claims", "made.json", "./one.json")["claims"][0]["relations"]
            self.expect_ratios("claims", [relation["judged"][0]["ratio"] for relation in claimed], len(relations))
            explained = self.answer("explain", "made.json")["explanations"]
            ratios = [told["whole"]["comparison"]["ratio"] for told in explained]
            self.expect_ratios("explain", ratios, len(scenarios))
            # The two cells as one in two reports of one run, which are compared side by side.
            for name, implementation in (("base.json", FAST), ("new.json", SLOW)):
                document = self.read_json("made.json")
                document["cells"] = [cell for cell in document["cells"] if cell["implementation"] == implementation]
                for cell in document["cells"]:
                    cell.update(id=cell["id"].replace(implementation, "one/x"), implementation="one/x")
                self.write_json(name, document)
            compared = self.answer("compare", "base.json", "new.json")["cells"]
            self.expect_ratios("compare", [cell["ratio"] for cell in compared], len(scenarios))


if __name__ == "__main__":
    unittest.main()
