"""`scripts/replay-history`, in a repository of its own with builds that write reports without measuring."""

import json
import shutil

from program import SOURCE, ProgramTest

# Appends to a list of calls, and writes a report that does not know when its revision was committed.
FAKE = """#!/usr/bin/python3
import json, pathlib, sys
arguments = sys.argv[1:]
out = pathlib.Path(arguments[arguments.index("--out") + 1])
calls = pathlib.Path(__file__).parents[3] / "calls"
with open(calls, "a") as list_of_calls:
    list_of_calls.write(pathlib.Path(__file__).parents[1].name + " " + " ".join(arguments[:-3]) + "\\n")
out.write_text(json.dumps({"environment": {"build": {}}}))
out.with_suffix(".html").write_text("a page")
"""


class ReplayHistory(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "scripts").mkdir()
        self.script = shutil.copy(SOURCE / "scripts" / "replay-history", self.folder / "scripts")
        self.git("init", "--quiet")
        self.git("config", "user.email", "nobody@example.org")
        self.git("config", "user.name", "Nobody")
        self.write("slower.patch", "a patch")
        for number in range(4):
            self.write("source", str(number))
            self.git("add", "source")
            self.git("commit", "--quiet", "--message", str(number), "--date", f"2026-01-0{number + 1}T00:00:00Z")
        self.commits = self.git("rev-list", "--reverse", "HEAD").split()

    def git(self, *arguments):
        return self.run_other("git", *arguments).stdout

    def make_build(self, commit, planted=False):
        place = f"build/history/builds/{commit[:12]}" + "-planted" * planted
        (self.folder / self.write(f"{place}/bin/gdbench", FAKE)).chmod(0o755)
        self.write_json(f"{place}/made", [["gdbench", "gdbench_naive"], ["a patch"] * planted])

    def replay(self, *arguments, status=0):
        return self.run_other(self.script, *arguments, status=status).stderr

    def test_rounds_visit_every_revision(self):
        for number in (1, 2, 3):
            self.make_build(self.commits[number], planted=number > 1)
        plant = ("--plant", f"{self.commits[2]}:slower.patch")
        arguments = ("--count", "3", *plant, "--impl", "hand/naive", "--rounds", "2", "--launches", "5")
        self.replay(*arguments)
        names = [f"{commit[:12]}{'-planted' * (number > 0)}" for number, commit in enumerate(self.commits[1:])]
        reports, calls = sorted((self.folder / "build/history/reports").iterdir()), "build/history/calls"
        expected = [f"{i + 1:03d}-{name}-{number}.json" for i, name in enumerate(names) for number in (1, 2)]
        self.assertEqual([report.name for report in reports], expected)
        committed = self.git("log", "-1", "--format=%cI", self.commits[1]).strip()[:4]
        build = json.loads(reports[0].read_text())["environment"]["build"]
        self.assertRegex(build["git_committed_at"], rf"^{committed}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        called = [call.split(" ", 1) for call in self.read(calls).splitlines()]
        self.assertEqual([name for name, _ in called[:3]], names, "the first round is in order")
        self.assertEqual(sorted(name for name, _ in called[3:]), sorted(names))
        self.assertEqual(called[0][1], "run --impl hand/naive --launches 5")
        # What is there is kept.
        reports[0].unlink()
        self.replay(*arguments)
        self.assertEqual(len(self.read(calls).splitlines()), 7)

    def test_every_second_revision_and_those_that_can_be_built(self):
        for number in (1, 3):
            self.make_build(self.commits[number])
        said = self.replay("--every", "2", "--impl", "hand/naive", "--build-only")
        builds = [line.split()[-1] for line in said.splitlines() if line.startswith("build ")]
        self.assertEqual(builds, [self.commits[1][:12], self.commits[3][:12]])
        said = self.replay("--count", "2", "--impl", "hand/naive", "--rounds", "1", status=1)
        self.assertIn(f"{self.commits[2][:12]}: left out, it could not be built", said)
        self.assertEqual(len(list((self.folder / "build/history/reports").iterdir())), 1)

    def test_what_is_refused(self):
        for arguments, part in {
            ("--plant", "HEAD"): 'found "HEAD", expected REVISION:PATCH',
            ("--plant", "HEAD:nowhere.patch"): "expected REVISION:PATCH",
            ("--plant", "nowhere:slower.patch"): "git rev-parse", ("nowhere",): "git rev-list",
            ("--rounds", "0"): "expected at least 1",
        }.items():
            said = self.replay(*arguments, status=2)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn(part, said)
