"""`gdbench history`: reports of many revisions, made from one run by scaling its times."""

import copy
import random

from program import ProgramTest, assert_valid

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
        found = self.json_of("history", *arguments, status=status)
        assert_valid(found, "history")
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
        self.assertEqual(found["document"]["answer"],
                         [f"The newest revision {revision(23)[:12]} is not known to be slower: 2 equivalent."])
        text, _ = self.call("history", "reports", "--html", "page.html")
        self.assertIn(f"{revision(12)[:12]} -> {revision(13)[:12]}", text)
        self.assertEqual(self.call("history", "reports", "--html")[0], self.read("page.html"))
        self.assertNotIn("->", self.call("history", "reports", "--margin", "20%")[0])

    def test_a_slower_newest_revision_has_the_status_1(self):
        for number in range(9):
            self.make(number)
        self.make(9, {PLAIN: 1.3}, name="newest.json")
        self.history("reports")
        _, cells = self.history("reports", "newest.json", status=1)
        self.assertEqual(cells[PLAIN]["newest"]["reports"], [9])
        self.assertEqual(cells[PLAIN]["newest"]["comparison"]["verdict"], "slower")
        self.assertEqual(cells[NAIVE]["newest"]["comparison"]["verdict"], "equivalent")
        self.call("history", "reports", "newest.json", "--margin", "50%")

    def test_what_is_no_report_is_named_in_a_folder_and_refused_by_name(self):
        self.make(0)
        self.make(1)
        self.make(1, name="reports/copy.json")
        self.make(4, kernel="Abacus 1")
        for name, text in {"broken.json": "{", "other.json": '{"schema": "other"}', "page.html": "<p>"}.items():
            self.write(f"reports/{name}", text)
        found, _ = self.history("reports")
        self.assertEqual(len(found["reports"]), 2)
        (other,) = found["separated"]
        self.assertEqual(other["files"], ["reports/04.json"])
        self.assertIn('kernel: found "Abacus 1"', other["difference"])
        notes = "\n".join(found["notes"])
        self.assertEqual(len(found["notes"]), 3, notes)
        self.assertIn("left out reports/broken.json: ", notes)
        self.assertIn('left out reports/other.json: /schema: found "other"', notes)
        self.assertIn("left out reports/copy.json: the same run as reports/01.json", notes)
        (self.folder / "empty").mkdir()
        for paths, part in {
            ("reports", "reports/other.json"): "reports/other.json: /schema",
            ("nowhere.json",): "nowhere.json: found no such file", ("empty",): "empty: found no report, expected",
            (): "reports",
        }.items():
            self.expect_error(["history", *paths], part)
