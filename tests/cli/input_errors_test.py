"""Bad input: one line on stderr that names the culprit, exit status 2, and nothing was measured."""

import os
import pathlib
import shutil
import unittest

from program import FAKES, ProgramTest, csv_scenario, linear_scenario

ONE = ("--impl", "hand/naive")  # so that no framework is asked
SMALL = (*ONE, "--scenario", "linreg-3x2", "--launches", "1")


class InputErrors(ProgramTest):
    def expect_errors(self, *cases, plugins=""):
        """Each: the words of a command, then what is said."""
        for words, *parts in cases:
            with self.subTest(words=words):
                self.expect_error(words, *parts, plugins=plugins)

    def test_names_that_are_unknown(self):
        self.expect_errors(
            (["run", *ONE, "--scenario", "nosuch"], 'gdbench: --scenario: found "nosuch"', "linreg-3x2"),
            (["run", "--impl", "nosuch/*"], 'gdbench: --impl: found "nosuch/*"', "expected one of", "others"),
            (["run", "--impl", "hand/nave"], '"hand/nave"', "did you mean hand/naive?"),
            (["verify", "--exclude", "hand/nave"], "--exclude", "did you mean hand/naive?"),
            (["run", "defualt"], '"defualt"', "did you mean default?"),
            (["run", "nosuch.json"], "nosuch.json: found no such file"),
            (["run", *ONE, "--scenario", "./nosuch.json"], "./nosuch.json: found no such file"),
            (["train", "nosuch"], '"nosuch"', "linreg-3x2"),
            (["train", "linreg-3x2", "--impl", "hand/*"], "hand/*", "expected one"),
            (["report", "nosuch.json"], "nosuch.json: found no such file"),
            (["plugin", "check", "nosuch.so"], "nosuch.so"), (["run", "--build", "nowhere"], "--build nowhere"),
        )

    def test_options_of_the_command_line(self):
        self.expect_errors(
            (["run", "--frobnicate"], "--frobnicate", "(see gdbench run --help)"),
            (["run", *SMALL, "--margin", "5%"], "--margin: found nothing to compare with"),
            (["run", "--budgte", "3"], '"--budgte"', "did you mean --budget?"),
            (["list", "scenaros"], '"scenaros"', "did you mean scenarios?"), (["nonsense", "--help"], '"nonsense"'),
            ([],), (["plugin"],), (["train"], "found no scenario, expected scenario by name or file"),
            (["run", "default", "another"], 'found "another", expected no further argument'),
            (["run", "--budget"], "--budget: found nothing, expected a value"),
            (["run", "--quick=x"], '--quick: found "x", expected no value'),
            (["completion", "fish"], 'shell: found "fish", expected one of bash, zsh'),
            (["run", "--launches", "1.5"], '--launches: found "1.5", expected an integer from 1 to 1000000'),
            (["run", "--seed", "-1"], '--seed: found "-1", expected an integer from 0 to 9223372036854775807'),
            (["run", "--timeout", "nan"], '--timeout: found "nan", expected a number from 0.1 to 86400'),
            *((["run", "--budget", value], "--budget", value) for value in ("5sx", "-3", "0", "nan", "1e999", "s")),
            *((["run", "--precision", value], "--precision", value) for value in ("x", "-1%", "1%%", "inf")),
        )

    def test_settings(self):
        axes = {"scenario": ["linreg-3x2"], "implementation": ["hand/naive"], "batch": [0]}
        self.write_json("m.json", {"name": "m", "axes": axes})
        twice = ["--set", "optimizer=sgd", "--set", "optimizer.kind=adam"]
        self.expect_errors(
            (["run", *SMALL, "--set", "batch"], '"batch"', "KEY=VALUE"),
            (["run", *SMALL, "--set", "dtype=f8"], "linreg-3x2.json", "dtype", '"f8"', "f32"),
            (["run", "./m.json"], "/axes/batch of ./m.json: found 0"),
            (["run", "--scenario", "linreg-300x10-target", "--set", "task=forward"], "/target: found one with"),
            (["run", "--scenario", "linreg-300x10", "--set", "task=forward", "--set", "dtype=bf16"],
             '"bf16" with the task "forward"'),
            (["run", *SMALL, "--set", "impl.tyle=1"], "impl.tyle", "no selected implementation"),
            (["profile", "linreg-300x2", "--impl", "hand/eigen", *twice],
             "--set optimizer.kind: found a second value, expected one of each key"),
        )
        delay = ["run", *SMALL, "--impl", "fake/delay", "--set", "impl.delay_ns=soon"]
        self.expect_error(delay, "impl.delay_ns", '"soon"', "an integer", plugins=FAKES)

    def test_files(self):
        self.write("torn.json", '{"name": "mine", ')
        self.write_json("rate.json", linear_scenario(optimizer={"learning_rate": "fast"}))
        self.write_json("matrix.json", {"name": "m", "axis": {}})
        self.write_json("csv.json", csv_scenario())
        self.write("table.csv", "x,y\n1,2\n3,\n")
        named = ["run", *ONE, "--scenario"]
        self.expect_errors(
            ([*named, "torn.json"], "torn.json: line 1"), (["run", "torn.json"], "torn.json: line 1"),
            *((words, "rate.json: /optimizer/learning_rate") for words in
              ([*named, "rate.json"], ["verify", *ONE, "--scenario", "rate.json"], ["train", "rate.json"])),
            (["run", "matrix.json"], "matrix.json: /axis"),
            ([*named, "csv.json"], 'table.csv: line 3, column "y": found an empty cell'),
        )
        (self.folder / "table.csv").unlink()
        self.expect_error([*named, "csv.json"], "csv.json: /data/path")

    def test_outputs_that_cannot_be_written(self):
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe.json")
        for out in ("nowhere/x.json", "folder", "pipe.json", "/proc/x.json"):
            self.expect_error(["run", *SMALL, "--out", out], f"--out {out}")
        self.assertTrue((self.folder / "pipe.json").is_fifo())

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_outputs_that_may_not_be_written(self):
        self.write("x.json", "kept")
        (self.folder / "x.json").chmod(0o400)
        self.expect_error(["run", *SMALL, "--out", "x.json"], "--out x.json")

    def test_reports_that_are_none(self):
        for text in ("", "{}", '{"schema": "other"}', "[" * 100000):
            self.write("x.json", text)
            self.expect_error(["report", "x.json"], "x.json: ")
        (self.folder / "folder").mkdir()
        self.expect_error(["report", "folder"], "folder: found a folder")


class WritablePlugins(ProgramTest):
    variables = {"GDBENCH_ALLOW_WRITABLE_PLUGINS": "0"}
    FAKE = ("--scenario", "linreg-3x2", "--impl", "fake/*")

    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "gdbench" / "plugins"
        (self.plugins / "kernels" / "x86-64-v3").mkdir(parents=True)
        for folder in (self.plugins, *self.plugins.rglob("*"), self.plugins.parent):
            folder.chmod(0o755)
        self.file = self.copy("fake_delay.so", "mine.so")

    def copy(self, fake, name):
        shutil.copyfile(pathlib.Path(FAKES) / fake, self.plugins / name)
        (self.plugins / name).chmod(0o755)
        return self.plugins / name

    def expect_refused(self, culprit, *parts):
        expected = (f"gdbench: {culprit}: found mode", "GDBENCH_ALLOW_WRITABLE_PLUGINS=1", *parts)
        self.expect_error(["plugin", "check", str(self.file)], *expected)
        self.expect_error(["verify", *self.FAKE], *expected, plugins=str(self.plugins))

    def expect_taken(self, plugins=None, **variables):
        self.variables = {**self.variables, **variables}
        plugins = str(self.plugins) if plugins is None else plugins
        self.assertIn("fake/delay", self.call("run", *self.FAKE, "--dry-run", plugins=plugins)[0])

    def test_what_everybody_may_write(self):
        library = self.copy("fake_null.so", "kernels/other.so")
        below = self.copy("fake_null.so", "kernels/x86-64-v3/other.so")
        for culprit in (self.file, self.plugins, library, library.parent, below, below.parent):
            culprit.chmod(0o757)
            self.expect_refused(culprit, "0757")
            culprit.chmod(0o755)
        self.expect_taken()
        self.file.chmod(0o777)
        self.expect_taken(GDBENCH_ALLOW_WRITABLE_PLUGINS="1")

    def test_what_a_manifest_names(self):
        self.file.unlink()
        self.file = self.plugins / "mine.adapter.json"
        self.file.write_text('{"command": ["python3", "mine.py"]}', encoding="utf-8")
        (self.plugins / "mine.py").write_text("")
        (self.plugins / "mine.py").chmod(0o646)
        self.expect_refused(self.plugins / "mine.py", "0646")

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_what_others_own(self):
        self.file.chmod(0o775)
        self.expect_taken()
        os.chown(self.file, 0, 54321)
        self.expect_refused(self.file, "0775", "group 54321")
        self.file.chmod(0o755)
        os.chown(self.plugins, 54321, 0)
        self.expect_refused(self.plugins, "owner 54321")

    def test_a_folder_of_the_user(self):
        self.expect_taken(plugins="", XDG_DATA_HOME=str(self.folder))
        self.plugins.rename(self.plugins.parent / "elsewhere")
        self.call("run", *self.FAKE, "--dry-run", status=2)
