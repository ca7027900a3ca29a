"""The report as a page: `gdbench report --html`, and the page that `gdbench run` writes beside its report."""

import base64
import copy
import hashlib
import html.parser
import json
import pathlib
import re
import unittest
import xml.etree.ElementTree as ElementTree

from program import PROGRAM, ProgramTest

SMALL = ("--launches", "2", "--impl", "hand/naive", "--impl", "hand/eigen", "--impl", "tape/eigen",
         "--scenario", "linreg-300x2", "--scenario", "mlp-10-50-1")
LEAST = ("run", "--launches", "1", "--impl", "hand/naive", "--scenario", "linreg-300x2", "--out", "x.json",
         "--overwrite")
ATTACKS = (
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>", "\u202egnp.exe\u2066", "a" * 10000, "]]></svg><script>alert(1)</script>",
)


class Elements(html.parser.HTMLParser):
    """Every element of a page with its attributes; the texts of styles and scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.raw = {"style": [], "script": []}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        if self.cdata_elem in self.raw:
            self.raw[self.cdata_elem].append(data)


def pictures(page):
    return re.findall(r"<svg .*?</svg>", page, re.DOTALL)


class Page(ProgramTest):
    pages = True

    def measured(self):
        return self.measured_once("x.json", *SMALL)

    def page_of(self, report):
        self.write("made.json", json.dumps(report))
        self.call("report", "made.json", "--html", "made.html")
        return (self.folder / "made.html").read_text(encoding="utf-8")

    def check(self, page):
        """What holds for every page."""
        found = Elements(page)
        for tag, attributes in found.elements:
            for name, value in attributes.items():
                self.assertNotEqual(name, "style", tag)
                self.assertFalse(name.startswith("on"), f"{tag} {name}")
                if name in ("src", "href"):
                    self.assertTrue(value.startswith("#"), f"{tag} {name}={value}")
        self.assertEqual([len(found.raw[tag]) for tag in ("style", "script")], [1, 1])
        policy = next(a["content"] for t, a in found.elements if a.get("http-equiv") == "Content-Security-Policy")
        self.assertIn("default-src 'none'", policy)
        for tag in ("style", "script"):
            digest = base64.b64encode(hashlib.sha256(found.raw[tag][0].encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
        identities = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
        self.assertEqual(len(identities), len(set(identities)))
        for picture in pictures(page):
            root = ElementTree.fromstring(picture)
            self.assertEqual(root.get("role"), "img")
            named = {element.get("id"): element.text for element in root if element.get("id")}
            for identity in root.get("aria-labelledby").split():
                self.assertTrue(named[identity].strip())
        for figure in re.findall(r"<figure .*?</figure>", page, re.DOTALL):
            self.assertEqual((figure.count("<svg "), figure.count("<table")), (1, 1))
        return found

    def check_hostile(self, page):
        """Of a page with an attack in its names."""
        found = self.check(page)
        self.assertNotIn("img", [tag for tag, _ in found.elements])
        for mark in "\u202e\u2066":
            self.assertNotIn(mark, page)

    def test_a_run_writes_its_page(self):
        _, errors = self.call("run", *SMALL, "--out", "x.json")
        self.assertEqual(errors, "page: x.html\nreport: x.json\n")
        page = (self.folder / "x.html").read_text(encoding="utf-8")
        self.check(page)
        self.assertGreaterEqual(len(pictures(page)), 8)
        report = self.read_json("x.json")
        for cell in report["cells"]:
            self.assertIn(cell["implementation"], page)
        # The same bytes, whenever it is written.
        self.call("report", "x.json", "--html", "again.html")
        self.assertEqual((self.folder / "again.html").read_text(encoding="utf-8"), page)
        # A page is replaced with its report, what is none is not.
        self.call(*LEAST)
        self.assertNotEqual((self.folder / "x.html").read_text(encoding="utf-8"), page)
        self.write("x.html", "mine")
        _, errors = self.call(*LEAST)
        self.assertIn("x.html: found no page of gdbench", errors)
        self.assertEqual((self.folder / "x.html").read_text(encoding="utf-8"), "mine")
        (self.folder / "x.html").unlink()
        self.call(*LEAST, "--no-html")
        self.assertFalse((self.folder / "x.html").exists())

    def test_names_and_messages_are_text(self):
        for attack in ATTACKS:
            report = self.measured()
            report["run"]["matrix"] = attack
            report["notes"].append(attack)
            for scenario in report["scenarios"]:
                scenario["label"] += attack
            for cell in report["cells"]:
                cell["build"] = cell["repeat"] = attack
            report["cells"][0]["status"] = {"state": "wrong", "reason": attack}
            self.check_hostile(self.page_of(report))

    def test_names_in_a_history_are_text(self):
        for attack in ATTACKS:
            for number in range(3):
                report = self.measured()
                report["run"].update(id=f"{number} {attack}", started_at=f"2026-01-0{number + 1}T00:00:00Z{attack}")
                report["environment"]["cpu"]["model"] = attack + "other" * (number == 2)
                report["environment"]["build"].update(git_revision=f"{number}{attack}", git_committed_at=attack)
                for scenario in report["scenarios"]:
                    scenario["label"] += attack
                for cell in report["cells"]:
                    cell["id"] += attack
                self.write(f"{number}.json", json.dumps(report))
            self.call("history", "0.json", "1.json", "2.json", "--html", "made.html")
            page = (self.folder / "made.html").read_text(encoding="utf-8")
            self.check_hostile(page)

    def test_what_changed_is_a_page(self):
        base = self.measured()
        for attack in ATTACKS:
            slow = copy.deepcopy(base)
            for cell in slow["cells"]:
                cell["worker"] = attack
                for sample in cell["samples"]:
                    sample["real_ns"] *= 1.5
            timed = [cell for cell in slow["cells"] if cell["status"]["state"] == "ok" and cell["arm"] == "new"]
            timed[0]["id"] += attack
            timed[1]["status"] = {"state": "wrong", "reason": attack}
            self.write_json("slow.json", slow)
            self.call("compare", "x.json", "slow.json", "--html", "changes.html", status=3)
            page = (self.folder / "changes.html").read_text(encoding="utf-8")
            self.assertNotIn("img", [tag for tag, _ in self.check(page).elements])
            self.assertEqual(len(pictures(page)), 1)
        # To stdout there is the page alone.
        self.assertEqual(self.call("compare", "x.json", "slow.json", "--html", "-", status=3)[0], page)

    def test_a_run_against_a_build_shows_what_changed(self):
        build = pathlib.Path(PROGRAM).parents[1]
        arguments = ("--launches", "2", "--scenario", "linreg-300x2", "--impl", "hand/naive", "--out", "x.json")
        self.call("run", *arguments, "--against", str(build), "--html", "changes.html", status=4)
        beside, alone = [(self.folder / name).read_text(encoding="utf-8") for name in ("x.html", "changes.html")]
        sections = [attributes["id"] for tag, attributes in self.check(beside).elements if tag == "section"]
        self.assertEqual(sections[:2], ["which-wins-where", "what-changed"])
        self.check(alone)
        self.assertEqual([picture in beside for picture in pictures(alone)], [True])
        # Without a build there is nothing to compare: the report's own page.
        self.call("run", *arguments, "--overwrite", "--html", "copy.html")
        beside, copied = [(self.folder / name).read_text(encoding="utf-8") for name in ("x.html", "copy.html")]
        self.assertEqual(beside, copied)

    def test_names_in_an_explanation_are_text(self):
        for attack in ATTACKS:
            report = self.measured()
            for scenario in report["scenarios"]:
                scenario["label"] += attack
            for cell in report["cells"]:
                cell["id"] += attack
                for record in cell.get("profile", {}).get("records", []):
                    record["op"] = attack
            self.write("made.json", json.dumps(report))
            self.call("explain", "made.json", "--html", "made.html")
            self.check_hostile((self.folder / "made.html").read_text(encoding="utf-8"))

    def test_a_calibration_is_a_page(self):
        workload = "mlp-10-50-1/hand/eigen"
        arguments = ("--workload", workload, "--launches", "8", "--null", "1", "--comparisons", "1")
        # All comparisons but that with the largest slowdown were made before.
        lines = [{"event": "calibration", "launches": 8, "margin": 0.01, "confidence": 0.99, "planned": 5,
                  "design": f"{workload}, seed 1, 1 without"}]
        for number, slowdown in {0: 0.01, 2: 0, 3: 0.02, 4: 0.05}.items():
            lines.append({"event": "outcome", "number": number, "workload": workload, "slowdown": slowdown,
                          "change": "regressed", "ratio": 1 + slowdown, "low": 1 + slowdown / 2, "high": 1.2,
                          "seconds": 1})
        self.write("calibration.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        self.call("calibrate", *arguments, "--html", "found.html")
        self.assertEqual(len((self.folder / "calibration.jsonl").read_text(encoding="utf-8").splitlines()), 6)
        page = (self.folder / "found.html").read_text(encoding="utf-8")
        self.check(page)
        self.assertIn("wanted: 80%", page)
        self.assertIn(workload, page)
        # Of what was measured then.
        self.assertEqual(self.call("calibrate", *arguments, "--html", "-")[0], page)

    def test_a_page_of_failures_only(self):
        report = self.measured()
        for cell in report["cells"]:
            cell["status"] = {"state": "crashed", "reason": "signal 11"}
            cell["samples"], cell["launches"] = [], []
            cell.pop("summary", None)
            cell.pop("profile", None)
        page = self.page_of(report)
        self.check(page)
        self.assertIn("signal 11", page)

    def test_a_page_that_cannot_be_written(self):
        self.measured()
        self.expect_error(["report", "x.json", "--html", "nowhere/x.html"], "nowhere/x.html")


if __name__ == "__main__":
    unittest.main()
