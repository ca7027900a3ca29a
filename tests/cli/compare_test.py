"""compare, merge and shards, as a user or a CI job calls them."""
import copy
import json
import math
import os
import re
from xml.etree import ElementTree

from estimates import evidence_above
from program import PROGRAM, ProgramTest, options, slowed
from report_figures import Report, pairs_of

CELLS = ("--scenario", "linreg-3x2", "--scenario", "linreg-300x10", "--impl", "loop/plain", "--impl", "hand/eigen")


class Compare(ProgramTest):
    def setUp(self):
        super().setUp()
        report = self.measured_once("base.json", *CELLS, "--quick")
        self.base = self.launched_again(report, {"loop/plain": 900, "hand/eigen": 500}, times=12)
        self.write_json("base.json", self.base)

    def changes(self, *arguments, status):
        found = self.json_of("compare", *arguments, status=status)
        return {cell["id"]: cell["change"] for cell in found["cells"]}

    def test_a_slow_cell_is_named_and_the_status_is_1(self):
        self.write_json("slow.json", slowed(self.base, 3, "loop/plain"))
        files = ("base.json", "slow.json", "--margin", "50%")
        changes = self.changes(*files, "--markdown", "c.md", "--junit", "c.xml", status=1)
        self.assertEqual(changes, {f"{scenario}/{name}": change for scenario in ("linreg-300x10", "linreg-3x2")
                                   for name, change in (("hand/eigen", "equivalent"), ("loop/plain", "regressed"))})
        self.assertIn("2 regressed, 2 equivalent**", self.read("c.md"))
        changes = self.changes(*files, "--gate", "step=300%@linreg-3x2/*", status=1)
        self.assertEqual([cell for cell, change in changes.items() if change == "regressed"],
                         ["linreg-300x10/loop/plain"])
        self.assertEqual(ElementTree.parse(self.folder / "c.xml").getroot().get("failures"), "2")
        output, _ = self.call("compare", "slow.json", "base.json", "--margin", "50%", status=None)
        self.assertIn("improved", output)
        self.expect_error(["compare", "base.json"], "expected two")
        self.expect_error(["compare", "base.json", "base.json", "--margin", "much"], "--margin")

    def test_other_quantities_are_judged_where_that_is_asked(self):
        larger = copy.deepcopy(self.base)
        for cell in larger["cells"]:
            for launch in cell["launches"] if cell["implementation"] == "loop/plain" else []:
                launch["peak_resident_bytes"] *= 2
        self.write_json("larger.json", larger)
        files = ("base.json", "larger.json", "--margin", "50%")
        self.assertNotIn("regressed", self.changes(*files, status=None).values())
        for gate in (["peak_memory"], ["all=20%", "peak_memory"], ["own_memory", "peak_memory=90%"]):
            cells = self.json_of("compare", *files, *options("--gate", gate), status=1)["cells"]
            found = {(cell["id"], cell["quantity"]) for cell in cells if cell["change"] == "regressed"}
            self.assertEqual(found, {(f"{name}/loop/plain", "peak_memory") for name in ("linreg-3x2", "linreg-300x10")})
        for gate in ("all", "peak_memory=150%"):
            self.assertNotIn("regressed", self.changes(*files, "--gate", gate, status=None).values())
        for gate, limit in ((["peak_memory=150%", "peak_memory=20%@*/loop/plain"], True),
                            (["peak_memory", "peak_memory=150%@*/loop/plain"], False),
                            (["peak_memory=20%@*/hand/eigen"], False)):
            found = self.changes(*files, *options("--gate", gate), status=None)
            self.assertEqual("regressed" in found.values(), limit, gate)
        for gate, expected in (("step=3%", "expected step=SHARE@CELLS"), ("step@*", "expected step=SHARE@CELLS"),
                               ("import@*/a --gate import=3%@*/a", "found import twice"), ("all=much", "much"),
                               ("speed", 'found "speed", expected one of '),
                               ("all --gate prepare", "found prepare twice")):
            self.expect_error(["compare", *files, "--gate", *gate.split()], "--gate", expected)
        self.write_json("m.json", {"name": "m", "gate": ["own_memory=20%", "speed"]})
        self.expect_error(["run", "./m.json", "--against", "base.json"], 'm.json: /gate: found "speed"')
        self.write_json("m.json", {"name": "m", "gate": ["peak_memory=20%"], "axes": {"scenario": ["linreg-3x2"]}})
        output, _ = self.call("run", "./m.json", "--against", "larger.json", "--impl", "loop/plain", "--quick",
                              "--out", "r.json", status=None)
        self.assertRegex(output, r"linreg-3x2/loop/plain +peak memory +\S+ +-\d\d%")
        self.expect_error(["run", "--gate", "all"], "--gate: found nothing to compare with, expected --against")

    def test_memory_on_a_device_has_a_margin_of_its_own(self):
        for name, larger in (("base", 1), ("larger", 2)):
            report = copy.deepcopy(self.base)
            for cell in report["cells"]:
                for launch in cell["launches"]:
                    launch["peak_device_bytes"] = 2**26 * (larger if cell["implementation"] == "loop/plain" else 1)
            self.write_json(f"{name}.json", report)
        for gate, grew in (("device_memory", True), ("device_memory=90%", True), ("device_memory=150%", False)):
            gated = self.json_of("compare", "base.json", "larger.json", "--margin", "50%", "--gate", gate, status=None)
            changes = {cell["id"]: cell["change"] for cell in gated["cells"] if cell["quantity"] == "device_memory"}
            self.assertEqual(changes, {f"{scenario}/{name}": change for scenario in ("linreg-300x10", "linreg-3x2")
                                       for name, change in (("hand/eigen", "equivalent"),
                                                            ("loop/plain", "regressed" if grew else "equivalent"))})

    def test_another_machine_is_not_comparable_unless_forced(self):
        other = slowed(slowed(self.base, 7), 2, "hand/eigen")
        other["environment"]["cpu"]["model"] = "Abacus"
        self.write_json("other.json", other)
        changes = self.changes("base.json", "other.json", "--ratios", "--margin", "50%", status=1)
        self.assertEqual(changes, {f"{name}/hand/eigen": "regressed" for name in ("linreg-3x2", "linreg-300x10")})
        self.expect_error(["compare", "base.json", "--ratios"], "--ratios: found one report, expected two")
        output, _ = self.call("compare", "base.json", "other.json", status=4)
        self.assertIn('cpu/model: found "Abacus"', output)
        output, _ = self.call("compare", "base.json", "other.json", "--force", "--margin", "50%", status=None)
        self.assertIn("not the same machine", output)
        self.assertIn("4 cells", output)


class Against(ProgramTest):
    pages = True

    def test_this_build_against_itself_until_it_is_decided(self):
        build = os.path.dirname(os.path.dirname(PROGRAM))
        arguments = ("--scenario", "linreg-300x10", "--impl", "loop/plain", "--margin", "100%", "--launches", "200")
        output, _ = self.call("run", *arguments, "--against", build, "--until", "decided", "--out", "x.json", "--junit",
                              "x.xml", "--html", "changes.html")
        self.assertIn("measured side by side in one run", output)
        sections = re.findall(r'<section id="([\w-]+)"', self.read("x.html"))
        self.assertEqual(sections[:2], ["which-wins-where", "what-changed"])
        (picture,) = re.findall(r"<svg .*?</svg>", self.read("changes.html"), re.DOTALL)
        self.assertIn(picture, self.read("x.html"))
        properties = {entry.get("name") for entry in ElementTree.parse(self.folder / "x.xml").iter("property")}
        self.assertIn("margin", properties)  # of the comparison, not of the report
        arms = sorted(cell["arm"] for cell in self.read_json("x.json")["cells"])
        self.assertEqual(arms, ["base", "control", "new"])
        comparison = self.json_of("compare", "x.json", "--margin", "100%")
        self.assertTrue(comparison["until_decided"])
        ratio = comparison["cells"][0]["ratio"]
        self.assertEqual(ratio["method"], "at every look")
        self.assertIn(ratio["launches"], range(10, 100), "the budget of a minute is for more")
        arms = {cell.arm: cell for cell in Report(self.read_json("x.json")).cells}
        launches = pairs_of(arms["base"], arms["new"]).values()
        logarithms = [math.log(min(new for _, new in pairs) / min(base for base, _ in pairs)) for pairs in launches]
        low, high = (math.log(ratio["interval"][end]) for end in ("low", "high"))
        self.assertAlmostEqual(evidence_above(logarithms, low), 200, delta=0.1)
        self.assertAlmostEqual(evidence_above([-value for value in logarithms], -high), 200, delta=0.1)

    def test_what_is_no_build_and_no_report(self):
        self.call("run", *CELLS, "--quick", "--out", "old.json")
        self.expect_error(["run", *CELLS, "--against", "old.json", "--until", "decided"], "--until: found a report")
        self.expect_error(["run", *CELLS, "--until", "later"], '--until: found "later", expected one of decided')
        self.expect_error(["run", *CELLS, "--against", "nowhere.json"], "nowhere.json")
        (self.folder / "half" / "bin").mkdir(parents=True)
        (self.folder / "half" / "bin" / "gdbench").symlink_to(PROGRAM)
        self.expect_error(["run", *CELLS, "--against", "half"],
                          "--against half: found bin/gdbench without implementations, expected them in")
        self.expect_error(["run", *CELLS, "--against", str(self.folder)], "--against")
        self.expect_error(["run", *CELLS, "--padded", str(self.folder)], "--against")


class Shards(ProgramTest):
    def cells(self, name):
        return sorted(cell["id"] for cell in self.read_json(name)["cells"])

    def test_merged_shards_are_the_whole(self):
        arguments = ("--impl", "loop/plain", "--scenario", "linreg-3*", "--scenario", "mlp-10*")
        self.call("run", *arguments, "--quick", "--out", "whole.json")
        parts = ["part1.json", "part2.json", "part3.json"]
        for part, name in enumerate(parts, 1):
            self.call("run", *arguments, "--quick", "--shard", f"{part}/3", "--out", name)
        self.call("merge", *parts, "--out", "merged.json")
        self.assertEqual(self.cells("merged.json"), self.cells("whole.json"))
        printed, _ = self.call("merge", *parts, "--out", "-")
        self.assertEqual(json.loads(printed)["cells"], self.read_json("merged.json")["cells"])
        self.call("report", "merged.json")
        self.expect_error(["merge", "part1.json", "part1.json"], "expected every cell once")
        for part in ("0/4", "5/4", "x", "1/", "1/2/3"):
            self.expect_error(["run", *CELLS, "--shard", part], "--shard")
        other = self.read_json("part2.json")
        other["environment"]["cpu"]["model"] = "Abacus"
        self.write_json("part2.json", other)
        self.expect_error(["merge", *parts, "--out", "kinds.json"])
        _, errors = self.call("merge", *parts, "--by-machine", "--out", "kinds.json")
        self.assertRegex(errors, r'kinds-2\.json keeps part2\.json apart from part1\.json: cpu/model: found "Abacus"')
        self.assertEqual(self.cells("kinds-2.json"), self.cells("part2.json"))
        self.assertEqual(sorted(self.cells("kinds.json") + self.cells("kinds-2.json")), self.cells("whole.json"))
        # What lies there stays, whichever of the files it is.
        (self.folder / "kinds.json").unlink()
        self.expect_error(["merge", *parts, "--by-machine", "--out", "kinds.json"], "kinds-2.json")
