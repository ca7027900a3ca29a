"""The commands around a run: list, plugin check, completion, help."""

import json
import os
import pathlib
import re

from program import ADAPTERS, FAKES, PROGRAM, ProgramTest

COMMANDS = "list run verify train watch profile explain crossover history predict ablate claims report plugin".split()
COMMANDS += "help completion merge".split()


class Commands(ProgramTest):
    def test_lists(self):
        kinds = {"scenarios": "linreg-3x2", "implementations": "hand/naive", "matrices": "default",
                 "claims": "sparse-40"}
        for kind, expected in kinds.items():
            text, _ = self.call("list", kind, plugins=FAKES)
            self.assertRegex(text, rf"(?m)^{expected} +\S")
            entries = self.json_of("list", kind, plugins=FAKES)[kind]
            self.assertEqual([line.split()[0] for line in text.splitlines()], [entry["name"] for entry in entries])
            self.assertTrue(all(entry["description"] for entry in entries))
            if kind == "implementations":
                self.check_what_cannot_be_used(text, {entry["name"]: entry for entry in entries})
        self.assertEqual([line.split()[0] for line in self.call("list")[0].splitlines()], list(kinds))

    def check_what_cannot_be_used(self, text, entries):
        self.assertTrue(entries["fake/delay"]["usable"])
        self.assertFalse(entries["plugin/fake_abi"]["usable"])
        self.assertIn("version 99", entries["plugin/fake_abi"]["description"])
        self.assertRegex(text, r"missing/one +the first, in parts \(not installed: libfake-dev\)\n")
        rows, _ = self.call("verify", "--scenario", "linreg-3x2", "--impl", "missing/*", plugins=FAKES, status=4)
        self.assertEqual(len(re.findall(r"missing/(?:one|two) +unsupported +not installed: libfake-dev\n", rows)), 2)
        _, errors = self.call("verify", "--impl", "fake/abi", plugins=FAKES, status=2)
        self.assertRegex(errors, r'fake_abi\.so: could not be asked: .*version 99.*; --impl: found "fake/abi", .*\n$')

    def test_an_answer_is_a_text_a_page_and_json_alike(self):
        verify = ("verify", "--scenario", "linreg-3x2", "--impl", "hand/naive")
        for arguments, title in {
            verify: "gdbench verify: every cell compared with the reference",
            ("doctor",): "gdbench doctor: this machine and what is set on it",
            ("list", "claims"): "Sentences about speed that can be put to the test",
        }.items():
            values, _ = self.call(*arguments, "--json", "--markdown", "x.md", "--html", "x.html")
            self.assertEqual(json.loads(values)["document"]["title"], title)
            self.assertTrue(self.read("x.md").startswith(f"## {title}\n"))
            self.assertIn(f"<h1>{title}</h1>", self.read("x.html"))
        self.assertEqual(self.call("list", "claims", "--markdown")[0], self.read("x.md"))
        # What verify prints as JSON is a report, too, and a document without a file goes to stdout.
        report = self.json_of(*verify)
        self.write_json("verified.json", report)
        self.assertIn("hand/naive", self.call("report", "verified.json", "--csv")[0])
        self.assertTrue(self.call(*verify, "--junit")[0].startswith("<?xml"))
        # The version says what reports record.
        build = report["environment"]["build"]
        revision = f"{build['git_revision'] or 'unknown'}{' with changes' if build['git_dirty'] else ''}"
        self.assertRegex(self.call("--version")[0], rf"^gdbench \d+\.\d+\.\d+\nrevision: {revision}\nbuild type: "
                                                    rf"{build['type']}\ncompiler: {re.escape(build['compiler'])}\n$")

    def test_help_has_an_example(self):
        for arguments in ([], *([command] for command in COMMANDS), ["plugin", "check"], ["claims", "run"]):
            output, errors = self.call(*arguments, "--help")
            self.assertEqual(errors, "")
            examples = output.partition("Example")[2]
            self.assertIn(f"gdbench {' '.join(arguments)}".rstrip(), examples or "no example")
        output, _ = self.call("--help")
        for command in COMMANDS:
            self.assertIn(command, output)

    def test_help_has_topics(self):
        self.assertEqual(self.call("help")[0], self.call("--help")[0])
        self.assertEqual(self.call("help", "run")[0], self.call("run", "--help")[0])
        self.expect_error(["help", "colums"], "did you mean columns")
        for columns in (60, 120):
            self.variables = {"COLUMNS": str(columns)}
            text, _ = self.call("help", "columns")
            self.assertIn("ratio to baseline", text)
            self.assertTrue(columns - 20 < max(map(len, text.splitlines())) <= columns)

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
        for name, part in {"crash": "crashed", "hang": "timed out", "wrong": "wrong", "abi": "version 99",
                           "no_entry": "exports no gdbench_plugin_entry"}.items():
            with self.subTest(fake=name):
                output = self.check(f"{FAKES}/fake_{name}.so", 3)
                self.assertIn(part, output)
                self.assertNotIn("keeps the contract", output)
        self.assertIn("Nothing of the plugin could run here.", self.check(f"{FAKES}/fake_missing.so", 4))
        self.assertIn("bye\ufffd", self.check(f"{pathlib.Path(ADAPTERS).parent}/broken_adapters/die.adapter.json", 3))

    def test_completion(self):
        for shell in ("zsh", "bash"):
            self.write(f"completion.{shell}", self.call("completion", shell)[0])
            self.assertIn("complete -F _gdbench gdbench", self.read(f"completion.{shell}"))
        scenarios, implementations = ["mlp-784-1024-1024-10", "mlp-784-128-10"], ["hand/naive", "hand/naive+mpi"]
        for words, offered in {
            "ver": ["verify"], "run --laun": ["--launches"], "run --scenario mlp-7": scenarios,
            "run --impl hand/na": implementations, "crossover mlp-7": scenarios,
            "crossover --b hand/na": implementations, "claims run sparse": ["sparse-40"],
            "claims run all --laun": ["--launches"], "ablate linreg-3x2 --laun": ["--launches"],
            **dict.fromkeys((f"{before} completion.b" for before in ("report", "plugin check", "profile --trace")),
                            ["completion.bash"]),
        }.items():
            with self.subTest(words=words):
                self.assertEqual(self.complete("gdbench", *words.split()), offered)

    def complete(self, *words):
        """What bash offers for the last word."""
        listed = " ".join(f"'{word}'" for word in words)
        script = (
            f"source ./completion.bash; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _gdbench;"
            ' printf "%s\\n" "${COMPREPLY[@]}"'
        )
        self.variables = {"PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}
        return self.run_other("bash", "--norc", "-c", script).stdout.split()
