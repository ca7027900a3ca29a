"""The commands around a run: list, plugin check, completion, help."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from program import ADAPTERS, FAKES, PROGRAM, ProgramTest, environment

COMMANDS = "list run verify train watch profile explain crossover history predict ablate claims report plugin".split()
COMMANDS += ["help", "completion"]


class Commands(ProgramTest):
    def test_lists(self):
        kinds = {"scenarios": "linreg-3x2", "implementations": "hand/naive", "matrices": "default",
                 "claims": "sparse-40"}
        for kind, expected in kinds.items():
            text, _ = self.call("list", kind, plugins=FAKES)
            self.assertRegex(text, rf"(?m)^{expected} +\S")
            entries = json.loads(self.call("list", kind, "--json", plugins=FAKES)[0])[kind]
            self.assertEqual([line.split()[0] for line in text.splitlines()], [entry["name"] for entry in entries])
            self.assertTrue(all(entry["description"] for entry in entries))
            if kind == "implementations":
                self.check_what_cannot_be_used(text, {entry["name"]: entry for entry in entries})

    def check_what_cannot_be_used(self, text, entries):
        self.assertTrue(entries["fake/delay"]["usable"])
        self.assertFalse(entries["plugin/fake_abi"]["usable"])
        self.assertIn("version 99", entries["plugin/fake_abi"]["description"])
        self.assertRegex(text, r"missing/one +the first, in parts \(not installed: libfake-dev\)\n")

    def test_a_plugin_that_could_not_be_asked_may_be_what_is_missing(self):
        _, errors = self.call("verify", "--impl", "fake/abi", plugins=FAKES, status=2)
        self.assertRegex(errors, r'fake_abi\.so: could not be asked: .*version 99.*; --impl: found "fake/abi", .*\n$')

    def test_list_alone_says_what_can_be_listed(self):
        self.assertEqual(
            [line.split()[0] for line in self.call("list")[0].splitlines()],
            ["scenarios", "implementations", "matrices", "claims"],
        )

    def test_a_document_without_a_file_goes_to_stdout(self):
        self.call("run", "--scenario", "linreg-3x2", "--impl", "loop/plain", "--launches", "1", "--out", "x.json")
        for form in ("--csv", "--markdown", "--html", "--junit"):
            self.assertEqual(self.call("report", "x.json", form), self.call("report", "x.json", form, "-"))
        self.assertTrue(self.call("report", "x.json", "--csv")[0].startswith("scenario,"))

    def test_an_answer_is_a_text_a_page_and_json_alike(self):
        verify = ("verify", "--scenario", "linreg-3x2", "--impl", "hand/naive")
        for arguments, title in {
            verify: "gdbench verify: every cell compared with the reference",
            ("doctor",): "gdbench doctor: this machine and what is set on it",
            ("list", "claims"): "Sentences about speed that can be put to the test",
        }.items():
            values, _ = self.call(*arguments, "--json", "--markdown", "x.md", "--html", "x.html")
            self.assertEqual(json.loads(values)["document"]["title"], title)
            text, page = ((self.folder / name).read_text(encoding="utf-8") for name in ("x.md", "x.html"))
            self.assertTrue(text.startswith(f"## {title}\n"))
            self.assertIn(f"<h1>{title}</h1>", page)
        self.assertEqual(self.call("list", "claims", "--markdown")[0], text)
        # What verify prints as JSON is a report, too.
        self.write("verified.json", self.call(*verify, "--json")[0])
        self.assertIn("hand/naive", self.call("report", "verified.json", "--csv")[0])

    def test_help_has_an_example(self):
        for arguments in ([], *([command] for command in COMMANDS), ["plugin", "check"], ["claims", "run"]):
            output, errors = self.call(*arguments, "--help")
            self.assertEqual(errors, "")
            self.assertIn("Example", output, arguments)
            self.assertIn(f"gdbench {' '.join(arguments)}".rstrip(), output)
        for command in COMMANDS:
            self.assertIn(command, self.call("--help")[0])

    def test_the_version_says_what_reports_record(self):
        self.call("run", "--quick", "--scenario", "linreg-3x2", "--impl", "loop/plain", "--launches", "1")
        build = self.read_json("report.json")["environment"]["build"]
        changes = " with changes" if build["git_dirty"] else ""
        revision = f"{build['git_revision'] or 'unknown'}{changes}"
        expected = f"\nrevision: {revision}\nbuild type: {build['type']}\ncompiler: {build['compiler']}\n"
        version, rest = self.call("--version")[0].split("\n", 1)
        self.assertRegex(version, r"^gdbench \d+\.\d+\.\d+$")
        self.assertEqual("\n" + rest, expected)

    def test_help_has_topics(self):
        columns, _ = self.call("help", "columns")
        for title in ("ratio to baseline", "of ceiling", "lead", "verdict"):
            self.assertIn(title, columns)
        self.assertEqual(self.call("help")[0], self.call("--help")[0])
        self.assertEqual(self.call("help", "run")[0], self.call("run", "--help")[0])
        _, errors = self.call("help", "colums", status=2)
        self.assertIn("did you mean columns", errors)
        self.assertEqual(errors.count("\n"), 1)

    def test_columns_of_the_environment(self):
        for columns in (60, 120):
            self.variables = {"COLUMNS": str(columns)}
            widest = max(map(len, self.call("help", "columns")[0].splitlines()))
            self.assertTrue(columns - 20 < widest <= columns, widest)

    def check(self, file, status):
        limit = "0.5" if "hang" in file else "20"
        output, errors = self.call("plugin", "check", file, "--timeout", limit, status=status)
        return output + errors

    def test_plugin_check_of_a_good_one(self):
        library = pathlib.Path(PROGRAM).parent.parent / "lib" / "gdbench" / "libgdbench_plain.so"
        for file, identifier in (
            (str(library), "loop/plain"), (f"{ADAPTERS}/script.adapter.json", "script/python"),
            (f"{FAKES}/fake_delay.so", "fake/delay"),
        ):
            output = self.check(file, 0)
            self.assertIn(identifier, output)
            self.assertRegex(output, r"linreg-3x2\S*\s+ok\s+largest relative error \S+, \d+ steps")
            self.assertIn("The plugin keeps the contract.", output)
        self.assertIn("missing       evaluate", self.check(f"{FAKES}/fake_older.so", 0))

    def test_plugin_check_of_bad_ones(self):
        for name, part in {
            "crash": "crashed", "exit": "crashed", "hang": "timed out", "nan": "wrong",
            "prepare_fails": "the accelerator is on fire", "throw": "thrown by fake/throw", "wrong": "wrong",
            "abi": "version 99", "no_entry": "exports no gdbench_plugin_entry",
        }.items():
            with self.subTest(fake=name):
                output = self.check(f"{FAKES}/fake_{name}.so", 3)
                self.assertIn(part, output)
                self.assertNotIn("keeps the contract", output)

    def test_a_library_that_was_not_found_is_a_reason(self):
        rows, _ = self.call("verify", "--scenario", "linreg-3x2", "--impl", "missing/*", plugins=FAKES, status=4)
        self.assertEqual(len(re.findall(r"missing/(?:one|two) +unsupported +not installed: libfake-dev\n", rows)), 2)
        self.assertIn("Nothing of the plugin could run here.", self.check(f"{FAKES}/fake_missing.so", 4))

    def test_plugin_check_of_broken_adapters(self):
        folder = pathlib.Path(ADAPTERS).parent / "broken_adapters"
        for name, part in {"garbage": "not a JSON object", "wrong_id": "expected 1", "die": "bye\ufffd"}.items():
            with self.subTest(adapter=name):
                self.assertIn(part, self.check(str(folder / f"{name}.adapter.json"), 3))

    def test_completion(self):
        for shell in ("bash", "zsh"):
            script, _ = self.call("completion", shell)
            self.assertIn("complete -F _gdbench gdbench", script)
        self.write("completion.bash", self.call("completion", "bash")[0])
        subprocess.run(["bash", "-n", "completion.bash"], cwd=self.folder, check=True)
        self.assertEqual(self.complete("gdbench", "ver"), ["verify"])
        self.assertEqual(self.complete("gdbench", "run", "--laun"), ["--launches"])
        self.assertEqual(self.complete("gdbench", "run", "--scenario", "mlp-7"),
                         ["mlp-784-1024-1024-10", "mlp-784-128-10"])
        self.assertEqual(self.complete("gdbench", "run", "--impl", "hand/na"), ["hand/naive", "hand/naive+mpi"])
        self.assertEqual(self.complete("gdbench", "crossover", "mlp-7"), ["mlp-784-1024-1024-10", "mlp-784-128-10"])
        self.assertEqual(self.complete("gdbench", "crossover", "--b", "hand/na"), ["hand/naive", "hand/naive+mpi"])
        self.assertEqual(self.complete("gdbench", "claims", "run", "sparse"), ["sparse-40"])
        self.assertEqual(self.complete("gdbench", "claims", "run", "all", "--laun"), ["--launches"])
        self.assertEqual(self.complete("gdbench", "ablate", "linreg-3x2", "--laun"), ["--launches"])
        for before in (("report",), ("plugin", "check"), ("profile", "--trace"), ("report", "--document")):
            self.assertEqual(self.complete("gdbench", *before, "completion.b"), ["completion.bash"])

    def complete(self, *words):
        """What bash offers for the last word."""
        listed = " ".join(f"'{word}'" for word in words)
        script = (
            f"source ./completion.bash; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _gdbench;"
            ' printf "%s\\n" "${COMPREPLY[@]}"'
        )
        path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
        command = ["bash", "--norc", "-c", script]
        variables = {**environment(), "PATH": path}
        completed = subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=True)
        return completed.stdout.split()


if __name__ == "__main__":
    unittest.main()
