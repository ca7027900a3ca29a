"""What plugins and reports of others say is shown as text: no output has a character that acts on a terminal, turns the
order of letters or ends the line that it stands in."""

import pathlib
import re
import sys
import unittest

from program import ADAPTERS, SOURCE, ProgramTest

HOSTILE = pathlib.Path(ADAPTERS).parent / "hostile_adapters"
sys.path.insert(0, str(HOSTILE))
from hostile import ACTS  # noqa: E402

# C0 but tabs and line feeds, DEL, C1, separators of lines and paragraphs, marks of direction.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
DOCUMENTS = ("html", "markdown", "csv", "samples", "google-benchmark", "pyperf", "bencher", "github-action", "junit",
             "openmetrics", "json")
CHOSEN = ("--impl", "hostile/*", "--impl", "hand/naive", "--scenario", "linreg-300x2")


class HostileTexts(ProgramTest):
    variables = {"COLUMNS": "2000"}  # no line is broken by the program

    def assert_inert(self, text, said=True):
        found = ACTING.search(text.replace("\r\n", "\n"))  # as CSV ends its lines
        self.assertIsNone(found, found and text[max(0, found.start() - 60) : found.end() + 20])
        self.assertNotRegex(text, r"(?m)^second line")
        if said:
            self.assertIn("u001b", text)

    def texts_of(self, *arguments, status=0, plugins=str(HOSTILE)):
        output, errors = self.call(*arguments, plugins=plugins, status=status)
        self.assert_inert(errors, said=False)
        return output

    def check_documents(self, report):
        self.assert_inert(self.texts_of("report", report, "--details"))
        self.assert_inert(self.texts_of("report", report), said=False)
        for document in DOCUMENTS:
            with self.subTest(document=document):
                self.assert_inert(self.texts_of("report", report, f"--{document}", "-"), said=False)

    def test_of_a_plugin(self):
        for command in (
            ("list", "implementations"), ("list", "implementations", "--json"), ("verify", *CHOSEN),
            ("plugin", "check", str(HOSTILE / "hostile.adapter.json")), ("verify", *CHOSEN, "--json"),
            ("run", *CHOSEN, "--launches", "1", "--out", "x.json", "--details"),
        ):
            with self.subTest(command=command):
                self.assert_inert(self.texts_of(*command))
        self.assert_inert((self.folder / "x.json").read_text(encoding="utf-8"))
        self.check_documents("x.json")

    def test_of_a_report(self):
        self.texts_of("run", *CHOSEN, "--launches", "1", "--out", "x.json")
        report = self.read_json("x.json")
        report["run"]["matrix"] = report["run"]["command"][0] = ACTS
        report["notes"] = [ACTS]
        for condition in report["conditions"]:
            condition.update(severity="warning", found=ACTS, effect=ACTS, advice=ACTS)
        report["environment"]["cpu"]["model"] = report["environment"]["kernel"] = ACTS
        for scenario in report["scenarios"]:
            scenario["label"] = scenario["resolved"]["purpose"] = ACTS
        for cell in report["cells"]:
            cell.update(build=ACTS, worker=ACTS, repeat=ACTS, options={ACTS: ACTS})
            cell["status"]["reason"] = "" if cell["status"]["state"] == "ok" else ACTS
        self.check_documents(self.write_json("y.json", report))
        self.assert_inert(self.texts_of("explain", "y.json", status=None), said=False)

    def test_an_id_that_is_no_name_is_refused(self):
        self.texts_of("run", *CHOSEN, "--launches", "1", "--out", "x.json")
        report = self.read_json("x.json")
        report["cells"][0]["implementation"] = "evil/\x1b[31m<b>"
        self.write_json("y.json", report)
        _, errors = self.call("report", "y.json", status=2)
        self.assertEqual(
            errors, r'gdbench: y.json: /cells/0/implementation: found "evil/\\u001b[31m<b>", expected letters, digits, '
            "'.', '_', '-', '/' and '+', and '@' before an environment\n",
        )

    def test_of_the_command_line(self):
        for command in (("report", "no\x1b[31m\u202esuch.json"), ("run\x1b[31m",)):
            self.assert_inert(self.call(*command, status=2)[1])

    def test_everything_is_printed_in_one_place(self):
        prints = re.compile(r"std::cout|std::cerr|\bf?printf\(|\bfputs\(|\bfwrite\(|\bputs\(")
        for file in sorted((SOURCE / "app").rglob("*.cpp")):
            if file.name not in ("console.cpp", "main.cpp", "worker.cpp"):
                self.assertNotRegex(file.read_text(encoding="utf-8"), prints, file.name)


if __name__ == "__main__":
    unittest.main()
