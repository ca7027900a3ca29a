"""Adapters: one in a language that gdbench knows nothing of, and broken ones, each of which costs its own row only."""

import pathlib
import shutil
import subprocess
import unittest

from program import ADAPTERS, SOURCE, ProgramTest, linear_scenario, options

PERL = str(SOURCE / "examples" / "adapter-perl")
BROKEN = pathlib.Path(ADAPTERS).parent / "broken_adapters"

# Implementation -> the state of its row, and a part of the reason.
ROWS = {
    "hand/naive": ("ok", ""),
    "broken/prints_all_the_time": ("ok", ""),
    "broken/profile_text": ("ok", ""),  # see the note
    "broken/prepare_text": ("ok", ""),  # what cannot be read there is only shown
    "broken/traces_again": ("ok", ""),  # see the note
    "broken/slow_in_turn": ("ok", ""),
    "broken/loss_text": ("crashed", "evaluate: /loss: found \"0."),
    "broken/loss_nan": ("crashed", 'evaluate: "loss": found "NaN", expected JSON, such as a finite number'),
    "broken/run_infinite": ("crashed", 'run: "real_ns": found "-Infinity", expected JSON, such as a finite number'),
    "broken/never_answers_run": ("timed out", "run: no answer within 2 s"),
    "broken/dies_in_run": ("crashed", "RuntimeError: the accelerator fell off the bus (breaks_later.py, line"),
    "broken/exhausts_memory": ("crashed", "MiB of memory, the cap is 102 MiB"),
    "broken/run_garbage": ("crashed", "run: not a JSON object: Epoch 1/1: loss 0.25"),
    "broken/run_without_id": ("crashed", "run: answered request null, expected 5"),
    "broken/run_text": ("crashed", 'run: /real_ns: found "2 ms", expected a number'),
    "broken/steps_unasked": ("crashed", "run: /step_ns: found 1 times, expected 0"),
    "broken/steps_too_long": ("crashed", "run: /step_ns: found times whose sum is "),
    "broken/run_without_times": ("crashed", "run: /start_ns: found nothing, expected this key"),
    "plugin/import_error": ("crashed", "No module named 'a_framework_that_is_not_installed' (broken.py, line 22)"),
    "plugin/die": ("crashed", "hello: exit status 1: bye"),
    "plugin/silent": ("timed out", "hello: no answer within 2 s"),
    "plugin/garbage": ("crashed", "hello: not a JSON object: Segmentation fault?"),
    "plugin/not_an_object": ("crashed", "hello: not a JSON object: [1, 2, 3]"),
    "plugin/no_id": ("crashed", "hello: answered request null, expected 1"),
    "plugin/wrong_id": ("crashed", "hello: answered request 7, expected 1"),
    "plugin/ok_is_text": ("crashed", 'hello: /ok: found "yes", expected true or false'),
    "plugin/no_list": ("crashed", 'hello: /implementations: found "broken/adapter", expected an array'),
    "plugin/id_is_a_number": ("crashed", "hello: /implementations/0/id: found 7, expected a string"),
    "plugin/id_with_escape": ("crashed", r'hello: /implementations/0/id: found "broken/\\u001b[31m", expected'),
    "plugin/option_with_break": ("crashed", 'hello: /implementations/0/options/0/key: found "a b", expected letters,'),
    "plugin/option_is_text": ("crashed", 'hello: /implementations/0/options/0: found "tile", expected an object'),
    "plugin/newer_protocol": ("unsupported", "speaks version 2 of the worker protocol"),
    "plugin/two_lines": ("crashed", "one two"),
    "plugin/endless_line": ("crashed", "longer than 16 MiB"),
    "plugin/prints": ("crashed", "bye: exit status 0: xxx"),
}


def has_perl():
    command = ["perl", "-MJSON::PP", "-MTime::HiRes", "-e", "1"]
    return shutil.which("perl") is not None and subprocess.run(command, capture_output=True).returncode == 0


@unittest.skipUnless(has_perl(), "there is no Perl with JSON::PP")
class Perl(ProgramTest):
    def verify(self, *arguments, status=0):
        return self.call("verify", "--impl", "perl/*", *arguments, plugins=PERL, status=status)[0]

    def test_is_verified_in_both_types(self):
        rows = "\n".join(f"{i / 10},{i % 7},{i / 5 + 1},{-i / 20}" for i in range(20))
        self.write("table.csv", f"a,b,y,z\n{rows}\n")
        # Biases and several outputs.
        self.write_json("mine.json", linear_scenario(
            model={"kind": "linear_regression", "bias": True},
            data={"source": "csv", "path": "table.csv", "targets": ["y", "z"]}))
        for dtype in ("f32", "f64"):
            settings = options("--set", (f"dtype={dtype}", "loss=half_mse"))
            self.assertRegex(self.verify("--scenario", "linreg-3*", *settings), r"\n4 cells: 4 ok\n")
            output = self.verify("--scenario", "mine.json", "--set", f"dtype={dtype}")
            self.assertRegex(output, r"perl/loop\s+ok ")
        output, _ = self.call("plugin", "check", f"{PERL}/perl.adapter.json")
        self.assertIn("The plugin keeps the contract.", output)

    def test_is_timed_beside_another(self):
        selection = ("--launches", "1", "--impl", "perl/*", "--impl", "hand/naive", "--scenario", "linreg-3x2")
        self.call("run", *selection, "--out", "x.json", plugins=PERL)
        for cell in self.read_json("x.json")["cells"]:
            self.assertEqual(cell["status"], {"state": "ok", "reason": ""})
            self.assertGreater(cell["summary"]["step_ns"]["value"], 0)
        settings = options("--set", ("batch.rows=32", "batch.shuffle=false"))
        output = self.verify("--scenario", "linreg-300x10", *settings, status=4)
        self.assertRegex(output, r"perl/loop\s+unsupported\s+only full batches")


class Broken(ProgramTest):
    def test_each_costs_its_own_row(self):
        ways = {path.name.removesuffix(".adapter.json") for path in BROKEN.glob("*.adapter.json")}
        self.assertEqual({row.split("/")[1] for row in ROWS} - {"naive"}, ways)
        chosen = ("--impl", "broken/*", "--impl", "plugin/*", "--impl", "hand/naive", "--scenario", "linreg-3x2")
        limits = ("--single-steps", "--launches", "1", "--timeout", "2", "--memory-cap", "0.1")
        _, errors = self.call("run", *chosen, *limits, "--out", "x.json", plugins=str(BROKEN), status=3)
        # How long it takes is said where that is long, by what earlier runs on this machine took.
        self.assertRegex(errors, r"^(gdbench: the run takes [^\n]+ s\n)?report: x\.json\n$")
        report, cells = self.read_json("x.json"), self.cells_by_name()
        self.assertEqual(report["run"]["status"], "complete")
        self.assertEqual(set(cells), set(ROWS))
        for name, (state, reason) in ROWS.items():
            with self.subTest(implementation=name):
                status = cells[name]["status"]
                self.assertEqual(status["state"], state, status)
                self.assertIn(reason, status["reason"])
                self.assertNotIn("\n", status["reason"])
                self.assertEqual("summary" in cells[name], state == "ok")
        notes = [note for note in report["notes"] if "traced or compiled" in note]
        self.assertEqual(len(notes), 1)
        self.assertIn("broken/traces_again traced or compiled a function again inside a timed block: 2 time(s)",
                      notes[0])
        self.assertTrue(any("profile_text has no profile: profile: /real_ns: found" in note
                            for note in report["notes"]))

    def test_of_several_profiles_the_least_disturbed_is_kept(self):
        plugins = self.folder / "plugins"  # with nobody else, who would have to be waited for
        plugins.mkdir()
        for name in ("slow_in_turn.adapter.json", "breaks_later.py"):
            (plugins / name).symlink_to(BROKEN / name)
        self.variables = {"SLOW_IN_TURN": str(self.folder / "mark")}
        chosen = ("--impl", "broken/slow_in_turn", "--scenario", "linreg-3x2", "--allow-write", str(self.folder))
        self.call("run", *chosen, "--launches", "2", "--out", "x.json", plugins=str(plugins))
        (cell,) = self.cells_of(self.read_json("x.json"))
        self.assertEqual(cell["profile"]["records"][0]["op"], "fast")
        # The framework's own profiler was asked for the first time alone.
        self.assertNotIn("ops", cell["other_profiles"][0])
        ops = cell["profile"]["ops"]
        self.assertEqual((ops["records"][0]["op"], ops["records"][0]["calls"]), ("ops of slow", 2))
        self.assertAlmostEqual(ops["step_ns"] * ops["steps"], 1e6)
