"""`gdbench history`: reports of many revisions, made from one run by scaling its times."""

import copy
import json
import random
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

from program import ProgramTest, schema_of

CELLS = ("--scenario", "linreg-3x2", "--impl", "loop/plain", "--impl", "hand/naive")
PLAIN, NAIVE = "linreg-3x2/loop/plain", "linreg-3x2/hand/naive"
SCATTER = 0.004


def revision(number):
    return f"{number:02x}" * 20


class History(ProgramTest):
    def setUp(self):
        super().setUp()
        # What is asked of its copies does not depend on its times.
        report = self.measured_once("run.json", *CELLS, "--quick")
        self.run_report = self.launched_again(report, {"loop/plain": 40, "hand/naive": 50}, times=12)
        (self.folder / "run.json").unlink()
        (self.folder / "reports").mkdir()

    def make(self, number, factors=None, name=None, **environment):
        """Report `number`: the times of each cell scattered, and `factors[cell id]` times as long."""
        made = copy.deepcopy(self.run_report)
        made["run"].update(id=f"run {number}", started_at=f"2026-01-{number + 1:02d}T00:00:00Z")
        made["environment"]["build"].update(git_revision=revision(number), git_dirty=False, git_committed_at=None)
        made["environment"].update(environment)
        scatter = random.Random(number)
        mood = 1 + SCATTER * scatter.uniform(-1.5, 1.5)
        for cell in made["cells"]:
            factor = mood * (factors or {}).get(cell["id"], 1)
            for sample in cell["samples"]:
                sample["real_ns"] *= factor
        # A run on a busy machine has controls that differ: what they say is tested elsewhere.
        made["cells"] = [cell for cell in made["cells"] if cell["arm"] != "control"]
        made.pop("controls", None)
        return self.write_json(name or f"reports/{number:02d}.json", made)

    def history(self, *arguments, status=0):
        output, errors = self.call("history", *arguments, "--json", status=status)
        self.assertEqual(errors, "")
        found = json.loads(output)
        if jsonschema is not None:
            jsonschema.validate(found, schema_of("history"))
        return found, {cell["id"]: cell for cell in found["cells"]}

    def test_a_step_is_found_between_its_revisions(self):
        for number in range(24):
            self.make(number, {NAIVE: 1.08 if number >= 13 else 1})
        found, cells = self.history("reports")
        self.assertEqual(found["revision"], revision(23))
        self.assertEqual([report["file"] for report in found["reports"]], [f"reports/{i:02d}.json" for i in range(24)])
        self.assertEqual(cells[PLAIN]["changes"], [])
        (change,) = cells[NAIVE]["changes"]
        self.assertEqual((change["before"], change["after"]), (revision(12), revision(13)))
        self.assertEqual(change["comparison"]["verdict"], "slower")
        self.assertAlmostEqual(change["comparison"]["ratio"]["value"], 1.08, delta=0.01)
        self.assertEqual([(s["first"], s["last"]) for s in cells[NAIVE]["segments"]], [(0, 12), (13, 22)])
        self.assertEqual(cells[NAIVE]["newest"]["comparison"]["verdict"], "equivalent")
        document = found["document"]
        self.assertEqual(document["answer"],
                         [f"The newest revision {revision(23)[:12]} is not known to be slower: 2 equivalent."])
        (row,) = self.blocks(document, "table")[0]["rows"]
        self.assertEqual((row[0], row[1], row[2][:2], row[4]),
                         (NAIVE, "1", "+8", f"{revision(12)[:12]} -> {revision(13)[:12]}"))
        (figure,) = self.blocks(document, "figure")
        self.assertEqual([rule["text"] for rule in figure["chart"]["rules"]], ["1 slower"])
        self.assertEqual([row[0] for row in figure["data"]["rows"]], [revision(number)[:12] for number in range(24)])
        text, _ = self.call("history", "reports", "--margin", "20%")
        self.assertNotIn("->", text)
        self.assertIn("Levels also changed 1 time within the margin.", text)

    @staticmethod
    def blocks(document, kind):
        return [block[kind] for section in document["sections"] for block in section["blocks"] if kind in block]

    def test_a_page_is_written_beside_the_answer(self):
        self.make(0)
        self.make(1)
        output, _ = self.call("history", "reports", "--html", "page.html")
        self.assertEqual(output, self.call("history", "reports")[0])
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertEqual(self.call("history", "reports", "--html", "-")[0], page)
        _, errors = self.call("history", "reports", "--html", "nowhere/page.html", status=2)
        self.assertIn("nowhere/page.html: cannot be written", errors)

    def test_each_time_is_that_of_its_report(self):
        self.make(0)
        self.make(1)
        _, cells = self.history("reports")
        for number, point in enumerate(cells[PLAIN]["points"]):
            report = json.loads(self.call("report", f"reports/{number:02d}.json", "--json", "-")[0])
            (cell,) = [cell for cell in report["cells"] if cell["id"] == PLAIN]
            self.assertEqual(point, {"report": number, "step_ns": cell["summary"]["step_ns"]})

    def test_a_slower_newest_revision_has_the_status_1(self):
        for number in range(9):
            self.make(number)
        self.make(9, {PLAIN: 1.3}, name="newest.json")
        self.history("reports")
        found, cells = self.history("reports", "newest.json", status=1)
        self.assertEqual(cells[PLAIN]["newest"]["reports"], [9])
        self.assertEqual(cells[PLAIN]["newest"]["comparison"]["verdict"], "slower")
        self.assertEqual(cells[NAIVE]["newest"]["comparison"]["verdict"], "equivalent")
        (answer, *_) = found["document"]["answer"]
        self.assertIn(f"The newest revision {revision(9)[:12]} is slower in 1 of 2 cells: {PLAIN} (+", answer["text"])
        self.call("history", "reports", "newest.json", "--margin", "50%")

    def test_what_is_no_report_is_named_in_a_folder_and_refused_by_name(self):
        self.make(0)
        self.make(1)
        self.make(1, name="reports/copy.json")
        for name, text in {"broken.json": "{", "other.json": '{"schema": "other"}', "page.html": "<p>"}.items():
            self.write(f"reports/{name}", text)
        found, _ = self.history("reports")
        self.assertEqual(len(found["reports"]), 2)
        notes = "\n".join(found["notes"])
        self.assertEqual(len(found["notes"]), 3, notes)
        self.assertIn("left out reports/broken.json: ", notes)
        self.assertIn('left out reports/other.json: /schema: found "other"', notes)
        self.assertIn("left out reports/copy.json: the same run as reports/01.json", notes)
        (self.folder / "empty").mkdir()
        for paths, part in {
            ("reports", "reports/other.json"): "reports/other.json: /schema",
            ("nowhere.json",): "nowhere.json: found no such file", ("empty",): "empty: found no report, expected",
            ("reports", "--margin", "much"): "--margin", (): "reports",
        }.items():
            self.expect_error(["history", *paths], part)

    def test_reports_of_another_machine_are_named(self):
        for number in range(4):
            self.make(number)
        self.make(4, {PLAIN: 3}, kernel="Abacus 1")
        found, _ = self.history("reports")
        self.assertEqual((len(found["reports"]), found["revision"]), (4, revision(3)))
        (other,) = found["separated"]
        self.assertEqual(other["files"], ["reports/04.json"])
        self.assertIn('kernel: found "Abacus 1"', other["difference"])
        text, _ = self.call("history", "reports")
        self.assertIn("Given alone, its reports are a history of their own: reports/04.json.", text)
        self.assertIn("4 reports of 4 revisions on ", text)


if __name__ == "__main__":
    unittest.main()
