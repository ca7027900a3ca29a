"""Reports that are kept, and the site of them: what is evidence and what is refused, and where links lead."""

import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, SOURCE, ProgramTest, environment

KEPT = SOURCE / "results"
SCRIPT = "<script>alert(1)</script>../../.."


class Links(html.parser.HTMLParser):
    """Where a page leads to, and its ids."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.tags = set(), set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.ids.add(attributes.get("id"))
        if tag == "a":
            self.links.add(attributes["href"])


class Submit(ProgramTest):
    def kept_report(self):
        """One that is kept, as JSON."""
        file = sorted(KEPT.glob("*/default-*.json.zst"))[0]
        return json.loads(self.call("report", str(file), "--json")[0])

    def submit(self, report, *arguments, status=0):
        """What it says on stderr."""
        return self.call("submit", self.write_json("report.json", report), *arguments, status=status)[1]

    def refused(self, report, words):
        errors = self.submit(report, "--despite-conditions", status=2)
        self.assertRegex(errors, rf"^gdbench: report\.json: {words}.*\n$")
        self.assertFalse((self.folder / "results").exists())

    def timed(self, report):
        return next(cell for cell in report["cells"] if cell["status"]["state"] == "ok" and cell["ranked"])

    def test_what_is_kept_is_evidence(self):
        files = [str(file) for file in sorted(KEPT.glob("*/*"))]
        self.call("submit", "--check", *files)
        self.assertTrue(all(pathlib.Path(file).stat().st_size <= 200_000 for file in files))

    def test_a_report_is_kept_by_machine_and_can_be_read_there(self):
        report = self.kept_report()
        report["environment"]["cpu"].update(model=SCRIPT, vendor="GenuineIntel")
        errors = self.submit(report, "--by", SCRIPT, "--despite-conditions")
        kept = next((self.folder / "results").glob("*/*"))
        self.assertRegex(errors, rf"^kept: {kept.relative_to(self.folder)} \(\d+ kB\)")
        self.assertEqual(kept.parent.name, "intel-script-alert-1-script")
        again = json.loads(self.call("report", str(kept), "--json")[0])
        self.assertEqual(again["run"]["measured_by"], SCRIPT)
        for own, kept_cell in zip(report["cells"], again["cells"], strict=True):
            self.assertEqual((own["id"], own["status"]), (kept_cell["id"], kept_cell["status"]))
            for sample, kept_sample in zip(own["samples"], kept_cell["samples"], strict=True):
                self.assertEqual(float(f'{sample["real_ns"]:.6g}'), kept_sample["real_ns"])
        errors = self.submit(report, "--despite-conditions", status=2)
        self.assertIn("found a report that is kept already", errors)

    def test_a_forged_figure_is_refused(self):
        report = self.kept_report()
        place = report["cells"].index(self.timed(report))
        report["cells"][place]["summary"]["step_ns"]["value"] *= 0.9
        self.refused(report, rf"/cells/{place}/summary/step_ns/value: found \S+, the samples give \S+")

    def test_what_no_one_can_repeat_is_refused(self):
        report = self.kept_report()
        report["environment"]["build"]["git_dirty"] = True
        report["run"]["quick"] = True
        self.refused(report, r"run/quick: found true, .*; environment/build: found \w+ with changes")
        report = self.kept_report()
        report["schema_version"]["major"] = 0
        self.refused(report, "/schema_version/major: found 0, expected 1")
        report = self.kept_report()
        report["conditions"][0].update(name="load", severity="warning", found="90% of the processors")
        errors = self.submit(report, status=2)
        self.assertIn("load: 90% of the processors, which spoils measurements (--despite-conditions)", errors)

    def test_an_untrusted_row_has_no_time(self):
        report = self.kept_report()
        cell = self.timed(report)
        cell["status"] = {"state": "untrusted", "reason": SCRIPT}
        for key in ("attribution", "controls", "values"):  # what rested on it
            report.pop(key, None)
        for other in report["cells"]:
            other.pop("summary", None)
        self.submit(report, "--despite-conditions", "--into", "kept", "--machine", "mine")
        self.call("site", "kept", "--out", "site")
        page = next((self.folder / "site").glob("report-*")).read_text(encoding="utf-8")
        self.assertIn("untrusted: " + html.escape(SCRIPT), page)
        self.assertNotIn(SCRIPT, page)

    def test_every_link_of_the_site_leads_somewhere(self):
        shutil.copytree(KEPT, self.folder / "kept")
        report = self.kept_report()
        report["environment"]["cpu"]["model"] = SCRIPT
        self.submit(report, "--by", SCRIPT, "--into", "kept", "--despite-conditions")
        report["run"]["quick"] = True
        (self.folder / "kept" / "hostile").mkdir()
        shutil.copy(self.folder / "report.json", self.folder / "kept" / "hostile" / "Not a name.json.zst")
        self.write_json("kept/hostile/quick.json.zst", report)
        _, errors = self.call("site", "kept", "--out", "site")
        self.assertRegex(errors, r"left out: hostile/Not a name\.json\.zst: found a name that gdbench submit does not "
                                 r"give\nleft out: hostile/quick: run/quick: found true.*\n"
                                 r"site: site/index\.html \(\d+ pages, \d+ MB\)\n$")
        pages = {file.name: Links(file.read_text(encoding="utf-8")) for file in (self.folder / "site").iterdir()}
        self.assertGreater(len(pages), 40)
        for name, page in pages.items():
            self.assertEqual(page.tags.count("script"), 1, name)
            for link in page.links:
                file, _, place = link.partition("#")
                self.assertIn(file or name, pages, f"{name} leads to {link}")
                self.assertIn(place or None, pages[file or name].ids, f"{name} leads to {link}")
        reached, todo = set(), {"index.html"}
        while todo:
            reached |= todo
            todo = {link.partition("#")[0] for name in todo for link in pages[name].links} - reached - {""}
        self.assertEqual(reached, set(pages))

    @staticmethod
    def with_report(shown):
        """The report that is shown below a comment, as the program prints it where a reader would call it."""
        printed = subprocess.run([PROGRAM, "report", shown[2]], cwd=SOURCE, env=environment(), capture_output=True,
                                 text=True, check=True).stdout
        return shown[1] + printed + shown[4]

    def test_the_documents_say_what_the_reports_say(self):
        """docs/claims-held.md, and what stands below <!-- gdbench report FILE --> in a page; GDBENCH_UPDATE_GOLDEN=1
        writes them."""
        updates = "GDBENCH_UPDATE_GOLDEN" in os.environ
        held = self.call("site", str(KEPT), "--markdown", "-")[0]
        pages = {SOURCE / "docs" / "claims-held.md": held}
        for page in (SOURCE / "README.md", SOURCE / "docs" / "results.md"):
            shown = r"(<!-- gdbench report (\S+) -->\n\n```\n)(.*?)(```\n)"
            pages[page], count = re.subn(shown, self.with_report, page.read_text(encoding="utf-8"), flags=re.DOTALL)
            self.assertGreater(count, 0, page)
        for page, text in pages.items():
            if updates:
                page.write_text(text, encoding="utf-8")
            self.assertEqual(page.read_text(encoding="utf-8"), text, f"{page}: GDBENCH_UPDATE_GOLDEN=1 writes it")

    def test_wrong_use(self):
        for arguments, words in {
            ("site", "nothing"): "nothing: found No such file or directory, expected a folder of reports",
            ("site", "."): "found no report that can be shown, expected MACHINE/NAME.json.zst",
            ("submit", PROGRAM, "--machine", "A b"): '--machine: found "A b", expected small letters, digits',
        }.items():
            self.expect_error(arguments, words)


if __name__ == "__main__":
    unittest.main()
