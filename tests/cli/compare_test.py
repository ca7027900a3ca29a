"""compare, merge and shards, as a user or a CI job calls them."""
import copy
import json
import math
import os
import unittest
from xml.etree import ElementTree

from estimates import evidence_above
from program import ProgramTest
from report_figures import Report, pairs_of

CELLS = ("--scenario", "linreg-3x2", "--scenario", "linreg-300x10", "--impl", "loop/plain", "--impl", "hand/eigen")


def slowed(report, implementation, factor):
    """The report as if one implementation had taken `factor` times as long."""
    slow = copy.deepcopy(report)
    for cell in slow["cells"]:
        if cell["implementation"] == implementation:
            for sample in cell["samples"]:
                sample["real_ns"] *= factor
    return slow


class Compare(ProgramTest):
    def setUp(self):
        super().setUp()
        report = self.measured_once("base.json", *CELLS, "--quick")
        self.base = self.launched_again(report, {"loop/plain": 900, "hand/eigen": 500}, times=12)
        self.write_json("base.json", self.base)

    def changes(self, *arguments, status):
        output, _ = self.call("compare", *arguments, "--json", status=status)
        return {cell["id"]: cell["change"] for cell in json.loads(output)["cells"]}

    def test_the_same_report_twice_has_not_regressed(self):
        changes = self.changes("base.json", "base.json", "--margin", "50%", status=None)
        self.assertEqual(len(changes), 4)
        self.assertLessEqual(set(changes.values()), {"equivalent", "inconclusive"})

    def test_a_slow_cell_is_named_and_the_status_is_1(self):
        self.write_json("slow.json", slowed(self.base, "loop/plain", 3))
        changes = self.changes("base.json", "slow.json", "--margin", "50%", status=1)
        self.assertEqual(changes["linreg-300x10/loop/plain"], "regressed")
        self.assertNotEqual(changes["linreg-300x10/hand/eigen"], "regressed")
        output, _ = self.call("compare", "slow.json", "base.json", "--margin", "50%", status=None)
        self.assertIn("improved", output)
        self.call("compare", "base.json", "slow.json", "--margin", "50%", "--markdown", "c.md", status=1)
        self.assertIn("2 regressed, 2 equivalent**", (self.folder / "c.md").read_text())
        self.call("compare", "base.json", "slow.json", "--margin", "50%", "--junit", "c.xml", status=1)
        cases = ElementTree.parse(self.folder / "c.xml").iter("testcase")
        failed = [case.get("name") for case in cases if case.find("failure") is not None]
        self.assertEqual(failed, ["loop/plain", "loop/plain"])

    def test_other_quantities_are_judged_where_that_is_asked(self):
        larger = copy.deepcopy(self.base)
        for cell in larger["cells"]:
            for launch in cell["launches"] if cell["implementation"] == "loop/plain" else []:
                launch["peak_resident_bytes"] *= 2
        self.write_json("larger.json", larger)
        files = ("base.json", "larger.json", "--margin", "50%")
        self.assertNotIn("regressed", self.changes(*files, status=None).values())
        for gate in (["peak_memory"], ["all=20%", "peak_memory"], ["own_memory", "peak_memory=90%"]):
            words = [word for one in gate for word in ("--gate", one)]
            output, _ = self.call("compare", *files, *words, "--json", status=1)
            found = {(cell["id"], cell["quantity"]) for cell in json.loads(output)["cells"]
                     if cell["change"] == "regressed"}
            self.assertEqual(found, {(f"{name}/loop/plain", "peak_memory") for name in ("linreg-3x2", "linreg-300x10")})
        self.assertNotIn("regressed", self.changes(*files, "--gate", "all", status=None).values())
        self.assertNotIn("regressed", self.changes(*files, "--gate", "peak_memory=150%", status=None).values())
        for gate, expected in (("speed", 'found "speed", expected one of '), ("all=much", "much"),
                               ("all --gate prepare", "found prepare twice")):
            self.expect_error(["compare", *files, "--gate", *gate.split()], "--gate", expected)
        self.write_json("m.json", {"name": "m", "gate": ["own_memory=20%", "speed"]})
        self.expect_error(["run", "./m.json", "--against", "base.json"], 'm.json: /gate: found "speed", expected one of')
        self.write_json("m.json", {"name": "m", "gate": ["peak_memory=20%"], "axes": {"scenario": ["linreg-3x2"]}})
        output, _ = self.call("run", "./m.json", "--against", "larger.json", "--impl", "loop/plain", "--quick",
                              "--out", "r.json", status=None)
        self.assertRegex(output, r"linreg-3x2/loop/plain +peak memory +\S+ +-\d\d%")
        self.expect_error(["run", "--gate", "all"], "--gate: found nothing to compare with, expected --against")

    def test_another_machine_is_not_comparable_unless_forced(self):
        other = copy.deepcopy(self.base)
        other["environment"]["cpu"]["model"] = "Abacus"
        self.write_json("other.json", other)
        slower = slowed(slowed(other, "loop/plain", 7), "hand/eigen", 14)
        self.write_json("slower.json", slower)
        changes = self.changes("base.json", "slower.json", "--ratios", "--margin", "50%", status=1)
        self.assertEqual(set(changes.values()), {"regressed"})
        self.assertEqual(set(changes), {f"{name}/hand/eigen" for name in ("linreg-3x2", "linreg-300x10")})
        output, _ = self.call("compare", "base.json", "slower.json", "--ratios", status=1)
        self.assertIn('Note: ratios to loop/plain, each within a run: not the same machine: cpu/model: found "Abacus"',
                      " ".join(output.split()))
        self.expect_error(["compare", "base.json", "--ratios"], "--ratios: found one report, expected two")
        output, _ = self.call("compare", "base.json", "other.json", status=4)
        self.assertIn('cpu/model: found "Abacus"', output)
        output, _ = self.call("compare", "base.json", "other.json", "--force", "--margin", "50%", status=None)
        self.assertIn("not the same machine", output)
        self.assertIn("4 cells", output)

    def test_cells_that_came_went_and_failed(self):
        other = copy.deepcopy(self.base)
        kept = [cell for cell in other["cells"] if cell["arm"] == "new"]
        kept[0]["id"] += "?new=yes"
        kept[1]["status"] = {"state": "wrong", "reason": "w0 differs"}
        other["cells"] = kept
        self.write_json("other.json", other)
        changes = self.changes("base.json", "other.json", "--margin", "50%", status=3)
        self.assertEqual(sorted(set(changes.values()) - {"equivalent", "inconclusive"}),
                         ["added", "failing", "removed"])

    def test_one_report_of_one_build_is_an_error(self):
        self.expect_error(["compare", "base.json"], "expected two")
        self.expect_error(["compare", "base.json", "base.json", "--margin", "much"], "--margin")

    def test_every_run_has_its_control(self):
        table, _ = self.call("report", "base.json", "--details")
        self.assertEqual(table.count("control: loop/plain against itself: "), 2)
        self.assertEqual(len(self.base["controls"]), 2)
        self.assertNotIn("#control", table)

    def test_a_dirty_control_lowers_every_verdict(self):
        dirty = copy.deepcopy(self.base)
        for cell in dirty["cells"]:
            for sample in cell["samples"]:
                sample["real_ns"] *= 2 if cell["arm"] == "control" else 1
        self.write_json("dirty.json", dirty)
        table, _ = self.call("report", "dirty.json", "--json", "-")
        cells = [cell for cell in json.loads(table)["cells"] if cell["implementation"] == "hand/eigen"]
        for cell in cells:
            comparison = cell["summary"]["ratio"]["comparison"]
            self.assertEqual(comparison["verdict"], "inconclusive")
            self.assertIn("unfit", comparison["remark"])


class Against(ProgramTest):
    def test_this_build_against_itself(self):
        build = os.path.dirname(os.path.dirname(os.environ["GDBENCH_PROGRAM"]))
        arguments = ("--scenario", "linreg-300x10", "--impl", "loop/plain", "--launches", "2", "--margin", "50%")
        output, _ = self.call("run", *arguments, "--against", build, "--out", "x.json", "--junit", "x.xml", status=None)
        self.assertIn("measured side by side in one run", output)
        properties = {entry.get("name") for entry in ElementTree.parse(self.folder / "x.xml").iter("property")}
        self.assertIn("margin", properties)  # of the comparison, not of the report
        arms = sorted(cell["arm"] for cell in self.read_json("x.json")["cells"])
        self.assertEqual(arms, ["base", "control", "new"])
        self.call("compare", "x.json", "--margin", "50%", status=None)

    def test_a_run_that_ends_where_it_is_decided(self):
        build = os.path.dirname(os.path.dirname(os.environ["GDBENCH_PROGRAM"]))
        arguments = ("--scenario", "linreg-300x10", "--impl", "loop/plain", "--margin", "100%", "--no-ceilings")
        self.call("run", *arguments, "--against", build, "--until", "decided", "--launches", "200", "--out", "x.json")
        output, _ = self.call("compare", "x.json", "--margin", "100%", "--json")
        comparison = json.loads(output)
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
        (self.folder / "half" / "bin" / "gdbench").symlink_to(os.environ["GDBENCH_PROGRAM"])
        self.expect_error(
            ["run", *CELLS, "--against", "half"],
            "--against half: found bin/gdbench without implementations, expected them in",
        )
        self.expect_error(["run", *CELLS, "--against", str(self.folder)], "--against")
        self.expect_error(["run", *CELLS, "--padded", str(self.folder)], "--against")


class Shards(ProgramTest):
    def cells(self, name):
        return sorted(cell["id"] for cell in self.read_json(name)["cells"])

    def test_merged_shards_are_the_whole(self):
        arguments = ("--impl", "loop/plain", "--scenario", "linreg-3*", "--scenario", "mlp-10*")
        self.call("run", *arguments, "--quick", "--out", "whole.json")
        parts = []
        for part in (1, 2, 3, 4):
            parts.append(f"part{part}.json")
            self.call("run", *arguments, "--quick", "--shard", f"{part}/4", "--out", parts[-1])
        self.call("merge", *parts, "--out", "merged.json")
        self.assertEqual(self.cells("merged.json"), self.cells("whole.json"))
        printed, _ = self.call("merge", *parts, "--out", "-")
        self.assertEqual(json.loads(printed)["cells"], self.read_json("merged.json")["cells"])
        self.call("report", "merged.json")
        _, errors = self.call("merge", "part1.json", "part1.json", status=2)
        self.assertIn("expected every cell once", errors)
        other = self.read_json("part2.json")
        other["run"]["seed"] = 99
        self.write_json("seed.json", other)
        _, errors = self.call("merge", "part1.json", "seed.json", status=2)
        self.assertIn("/run/seed", errors)
        other = self.read_json("part2.json")
        other["environment"]["cpu"]["model"] = "Abacus"
        self.write_json("part2.json", other)
        self.call("merge", *parts, "--out", "kinds.json", status=2)
        self.assertFalse((self.folder / "kinds.json").exists())
        _, errors = self.call("merge", *parts, "--by-machine", "--out", "kinds.json")
        self.assertRegex(errors, r'kinds-2\.json keeps part2\.json apart from part1\.json: cpu/model: found "Abacus"')
        self.assertEqual(self.cells("kinds-2.json"), self.cells("part2.json"))
        self.assertEqual(sorted(self.cells("kinds.json") + self.cells("kinds-2.json")), self.cells("whole.json"))
        # What lies there stays, whichever of the files it is.
        (self.folder / "kinds.json").unlink()
        _, errors = self.call("merge", *parts, "--by-machine", "--out", "kinds.json", status=2)
        self.assertIn("kinds-2.json", errors)
        self.assertFalse((self.folder / "kinds.json").exists())

    def test_parts_that_are_none(self):
        for part in ("0/4", "5/4", "x", "1/", "/2", "1/2/3"):
            self.expect_error(["run", *CELLS, "--shard", part], "--shard")


if __name__ == "__main__":
    unittest.main()
