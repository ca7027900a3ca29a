"""The gate for pull requests, as a job of CI calls it, on a repository with a plugin in three revisions; and doctor."""
import json
import os
import shutil
import subprocess
import unittest
from xml.etree import ElementTree

from program import PROGRAM, SOURCE, ProgramTest, environment

BUILD = """#!/bin/sh
set -e
mkdir -p "$2"
cc -O1 -std=c11 -fPIC -shared -fpatchable-function-entry="$3,$3" -I "$INCLUDE" "$1/mine.c" -o "$2/mine.so" -lm
"""


class Gate(ProgramTest):
    def git(self, *arguments):
        identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=self.repository, check=True, capture_output=True)

    def commit(self, tag, text):
        (self.repository / "mine.c").write_text(text, encoding="utf-8")
        self.git("add", "mine.c")
        self.git("commit", "--allow-empty", "--message", tag)
        self.git("tag", tag)

    def setUp(self):
        super().setUp()
        if shutil.which("git") is None or shutil.which("cc") is None:
            self.skipTest("needs git and a C compiler")
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        self.git("init", "--quiet")
        # A scenario that only the repository's own folder has.
        scenario = json.loads((SOURCE / "scenarios" / "linreg-300x10.json").read_text(encoding="utf-8"))
        (self.repository / "scenarios").mkdir()
        (self.repository / "scenarios" / "own.json").write_text(json.dumps({**scenario, "name": "own"}),
                                                                encoding="utf-8")
        plain = (SOURCE / "examples" / "plugin-c" / "linear_regression.c").read_text(encoding="utf-8")
        call = "for (uint64_t s = 0; s < steps; ++s)"
        self.assertIn(call, plain)
        self.commit("base", plain)
        self.commit("same", plain + "\n/* nothing changed */\n")
        self.commit("slow", plain.replace(call, "for (uint64_t again = 0; again < 100 * steps; ++again) {\n"
                                          "    volatile double work = 0;\n"
                                          "    for (int k = 0; k < 100; ++k) work += k;\n"
                                          "  }\n  " + call))
        build = self.folder / "build"
        build.write_text(BUILD, encoding="utf-8")
        build.chmod(0o755)

    def gate(self, revision, *arguments, **more):
        self.git("checkout", "--quiet", revision)
        variables = {
            "GATE_BUILD": str(self.folder / "build"), "GATE_GDBENCH": PROGRAM, "GATE_FOLDER": str(self.folder / "gate"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"), "INCLUDE": str(SOURCE / "harness" / "abi"), **more,
        }
        selection = ("--scenario", "own", "--impl", "example/*", "--launches", "8", "--margin", "50%", "--no-ceilings")
        return subprocess.run(
            [str(SOURCE / "examples" / "ci" / "gate"), *arguments, *selection],
            cwd=self.repository, env=environment(str(self.folder / "gate" / "new"), variables),
            capture_output=True, text=True, check=False)

    def test_a_slow_revision_fails_and_an_unchanged_one_does_not(self):
        unchanged = self.gate("same", "base")
        self.assertIn(unchanged.returncode, (0, 4), unchanged.stdout + unchanged.stderr)
        plugin = {"GATE_BUILD": "", "GATE_PLUGIN": "mine.c", "GDBENCH_PLUGIN_PATH": ""}
        slow = self.gate("slow", "base", **plugin, CPATH=str(SOURCE / "harness" / "abi"))
        self.assertEqual(slow.returncode, 1, slow.stdout + slow.stderr)
        comparison = (self.folder / "gate" / "comparison.md").read_text(encoding="utf-8")
        self.assertIn("1 regressed", comparison)
        self.assertIn(comparison, (self.folder / "summary.md").read_text(encoding="utf-8"))
        self.assertTrue((self.folder / "gate" / "report.json").exists())
        tests = ElementTree.parse(self.folder / "gate" / "comparison.xml").getroot()
        self.assertEqual(tests.get("failures"), "1")
        nothing = self.gate("same", "no-such-revision")
        self.assertEqual(nothing.returncode, 2)
        self.assertIn("no-such-revision", nothing.stderr)

    def test_padded_builds_are_measured_too(self):
        slow = self.gate("slow", "base", GATE_PADDING="32")
        self.assertEqual(slow.returncode, 1, slow.stdout + slow.stderr)
        comparison = (self.folder / "gate" / "comparison.md").read_text(encoding="utf-8")
        self.assertIn("padded builds, which differ", comparison)
        report = json.loads((self.folder / "gate" / "report.json").read_text(encoding="utf-8"))
        arms = sorted(cell["arm"] for cell in report["cells"])
        self.assertEqual(arms, ["base", "base-padded", "control", "new", "new-padded"])


class Doctor(ProgramTest):
    def test_says_what_it_found(self):
        self.variables = {"OMP_NUM_THREADS": "7", "OPENBLAS_CORETYPE": "Haswell"}
        output, _ = self.call("doctor", "--json")
        conditions = {condition["name"]: condition for condition in json.loads(output)["conditions"]}
        for name in ("governor", "load", "scatter", "clock", "denormals", "build", "library threads"):
            self.assertTrue(conditions[name]["found"], name)
        for name, value in self.variables.items():
            self.assertIn(f"{name}={value}", output)

    def test_says_whether_all_workers_may_use_the_device(self):
        nvidia_smi = self.folder / "nvidia-smi"
        self.variables = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        for script, found in (('[ "$1" = --query-gpu=compute_mode ] && echo Exclusive_Process', True),
                              ("exit 6", False)):
            nvidia_smi.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            nvidia_smi.chmod(0o755)
            self.assertEqual("compute mode: Exclusive_Process" in self.call("doctor")[0], found)


if __name__ == "__main__":
    unittest.main()
