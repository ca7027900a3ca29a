"""The report as a page: `gdbench report --html`, and the page that `gdbench run` writes beside its report."""

import base64
import hashlib
import html.parser
import json

from program import ProgramTest

SMALL = ("--launches", "2", "--impl", "hand/naive", "--impl", "hand/eigen", "--impl", "tape/eigen",
         "--scenario", "linreg-300x2", "--scenario", "mlp-10-50-1")
LEAST = ("run", "--launches", "1", "--impl", "hand/naive", "--scenario", "linreg-300x2", "--out", "x.json",
         "--overwrite")
ATTACK = "".join((
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>", "\u202egnp.exe\u2066", "a" * 10000, "]]></svg><script>alert(1)</script>",
))


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


class Page(ProgramTest):
    pages = True

    def check(self, page):
        """What holds for every page, whatever the names in it."""
        found = Elements(page)
        for tag, attributes in found.elements:
            self.assertNotEqual(tag, "img")
            for name, value in attributes.items():
                self.assertFalse(name == "style" or name.startswith("on"), f"{tag} {name}")
                if name in ("src", "href"):
                    self.assertTrue(value.startswith("#"), f"{tag} {name}={value}")
        self.assertNotRegex(page, "[\u202e\u2066]")
        (policy,) = (a["content"] for _, a in found.elements if a.get("http-equiv") == "Content-Security-Policy")
        self.assertIn("default-src 'none'", policy)
        for tag in ("style", "script"):
            (text,) = found.raw[tag]
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)

    def test_a_run_writes_its_page(self):
        _, errors = self.call("run", *SMALL, "--out", "x.json", "--html", "copy.html")
        self.assertEqual(errors, "page: x.html\nreport: x.json\n")
        page = self.read("x.html")
        self.check(page)
        self.assertGreaterEqual(page.count("<svg "), 8)
        for cell in self.read_json("x.json")["cells"]:
            self.assertIn(cell["implementation"], page)
        # The same bytes, whenever it is written.
        self.call("report", "x.json", "--html", "again.html")
        self.assertEqual([self.read("copy.html"), self.read("again.html")], [page, page])
        self.expect_error(["report", "x.json", "--html", "nowhere/x.html"], "nowhere/x.html")
        # A page is replaced with its report, what is none is not.
        self.call(*LEAST)
        self.assertNotEqual(self.read("x.html"), page)
        self.write("x.html", "mine")
        _, errors = self.call(*LEAST)
        self.assertIn("x.html: found no page of gdbench", errors)
        self.assertEqual(self.read("x.html"), "mine")
        (self.folder / "x.html").unlink()
        self.call(*LEAST, "--no-html")
        self.assertFalse((self.folder / "x.html").exists())

    def test_names_and_messages_are_text(self):
        self.call("run", *SMALL, "--no-html", "--out", "x.json")
        report = self.read_json("x.json")
        for number, name in enumerate(("x.json", "slow.json")):
            report["run"].update(id=f"{number}{ATTACK}", matrix=ATTACK,
                                 started_at=f"2026-01-0{number + 1}T00:00:00Z{ATTACK}")
            report["environment"]["cpu"]["model"] = ATTACK
            report["environment"]["build"].update(git_revision=f"{number}{ATTACK}", git_committed_at=ATTACK)
            report["notes"].append(ATTACK)
            for scenario in report["scenarios"]:
                scenario["label"] += ATTACK * (number == 0)
            for cell in report["cells"]:
                cell["id"] += ATTACK * (number == 0)
                cell["build"] = cell["repeat"] = cell["worker"] = ATTACK
                for sample in cell["samples"]:
                    sample["real_ns"] *= 1 + number
                for record in cell.get("profile", {}).get("records", []):
                    record["op"] = ATTACK
            self.write_json(name, report)
            report["cells"][0]["status"] = {"state": "wrong", "reason": ATTACK}  # in the other one
        for arguments, status in ((("report", "slow.json"), 0), (("explain", "x.json"), 0),
                                  (("compare", "x.json", "slow.json"), 3), (("history", "x.json", "slow.json"), None)):
            with self.subTest(command=arguments[0]):
                self.call(*arguments, "--html", "made.html", status=status)
                page = self.read("made.html")
                self.check(page)
                self.assertIn("alert(1)", page)
        # To stdout there is the page alone.
        self.assertEqual(self.call(*arguments, "--html", "-", status=None)[0], page)

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
        self.assertEqual(len(self.read("calibration.jsonl").splitlines()), 6)
        page = self.read("found.html")
        self.check(page)
        self.assertIn("wanted: 80%", page)
        self.assertIn(workload, page)
        # Of what was measured then.
        self.assertEqual(self.call("calibrate", *arguments, "--html", "-")[0], page)
