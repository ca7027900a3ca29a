"""Bad input: one line on stderr that names the culprit, exit status 2, and nothing was measured."""

import os
import pathlib
import shutil
import unittest

from program import FAKES, ProgramTest, csv_scenario, linear_scenario

ONE = ("--impl", "hand/naive")  # so that no framework is asked
SMALL = (*ONE, "--scenario", "linreg-3x2", "--launches", "1")


class InputErrors(ProgramTest):
    def test_names_that_are_unknown(self):
        self.expect_error(["run", *ONE, "--scenario", "nosuch"], 'gdbench: --scenario: found "nosuch"', "linreg-3x2")
        self.expect_error(["run", "--impl", "nosuch/*"], 'gdbench: --impl: found "nosuch/*"', "expected one of",
                          "others")
        self.expect_error(["run", "--impl", "hand/nave"], '"hand/nave"', "did you mean hand/naive?")
        self.expect_error(["verify", "--exclude", "hand/nave"], "--exclude", "did you mean hand/naive?")
        self.expect_error(["run", "defualt"], '"defualt"', "did you mean default?")
        self.expect_error(["run", "nosuch.json"], "nosuch.json: found no such file")
        self.expect_error(["run", *ONE, "--scenario", "./nosuch.json"], "./nosuch.json: found no such file")
        self.expect_error(["train", "nosuch"], '"nosuch"', "linreg-3x2")
        self.expect_error(["train", "linreg-3x2", "--impl", "hand/nave"], '"hand/nave"', "did you mean hand/naive?")
        self.expect_error(["train", "linreg-3x2", "--impl", "hand/*"], "hand/*", "expected one")
        self.expect_error(["report", "nosuch.json"], "nosuch.json: found no such file")
        self.expect_error(["plugin", "check", "nosuch.so"], "nosuch.so")
        self.expect_error(["run", "--build", "nowhere"], "--build nowhere")

    def test_options_of_the_command_line(self):
        self.expect_error(["run", "--frobnicate"], "--frobnicate", "(see gdbench run --help)")
        self.expect_error(["run", *SMALL, "--margin", "5%"], "--margin: found nothing to compare with")
        self.expect_error(["run", "--budgte", "3"], '"--budgte"', "did you mean --budget?")
        self.expect_error(["list", "scenaros"], '"scenaros"', "did you mean scenarios?")
        self.expect_error(["nonsense", "--help"], '"nonsense"')
        self.expect_error([])
        self.expect_error(["frobnicate"])
        self.expect_error(["plugin"])
        self.expect_error(["train"], "found no scenario, expected scenario by name or file")
        self.expect_error(["ablate", "linreg-3x2"], "found no --impl, expected implementation")
        self.expect_error(["run", "default", "another"], 'found "another", expected no further argument')
        self.expect_error(["run", "--budget"], "--budget: found nothing, expected a value")
        self.expect_error(["run", "--quick=x"], '--quick: found "x", expected no value')
        self.expect_error(["completion", "fish"], 'shell: found "fish", expected one of bash, zsh')
        for value in ("abc", "5sx", "-3", "0", "nan", "inf", "1e999", "s"):
            self.expect_error(["run", *SMALL, "--budget", value], "--budget", value)
        for value in ("x", "-1%", "1%%", "inf", "nan%"):
            self.expect_error(["run", *SMALL, "--precision", value], "--precision", value)
        integer, number = "expected an integer from ", "expected a number from "
        for option, value, expected in (
            ("launches", "1.5", integer + "1 to 1000000"),
            ("threads", "0", integer + "1 to 4096"),
            ("seed", "-1", integer + "0 to 9223372036854775807"),
            ("timeout", "nan", number + "0.1 to 86400"),
            ("memory-cap", "abc", number + "0.01 to 1e+06"),
        ):
            self.expect_error(["run", f"--{option}", value], f'--{option}: found "{value}", {expected}')
        self.expect_error(["train", "linreg-3x2", "--steps", "-1"], "--steps")

    def test_settings(self):
        self.expect_error(["run", *SMALL, "--set", "batch"], '"batch"', "KEY=VALUE")
        misspelt = ["run", *SMALL, "--set", "optimizer.learning_rat=1"]
        self.expect_error(misspelt, "learning_rat", "did you mean learning_rate")
        self.expect_error(["run", *SMALL, "--set", "dtype=f8"], "linreg-3x2.json", "dtype", '"f8"', "f32")
        self.expect_error(["run", *SMALL, "--set", "rows=-1"], "rows", "-1")
        self.expect_error(["run", *SMALL, "--set", "batch=0"], "--set batch: found 0")
        axes = {"scenario": ["linreg-3x2"], "implementation": ["hand/naive"], "batch": [0]}
        self.write_json("m.json", {"name": "m", "axes": axes})
        self.expect_error(["run", "./m.json"], "/axes/batch of ./m.json: found 0")
        split = ["verify", *ONE, "--scenario", "mlp-784-128-10", "--set", "task=gradients"]
        self.expect_error(split, "mlp-784-128-10.json: --set task", '"softmax_cross_entropy"', "mse, half_mse")
        self.expect_error(["run", *SMALL, "--set", "impl.tyle=1"], "impl.tyle", "no selected implementation")
        delay = ["run", *SMALL, "--impl", "fake/delay", "--set", "impl.delay_ns=soon"]
        self.expect_error(delay, "impl.delay_ns", '"soon"', "an integer", plugins=FAKES)

    def test_files(self):
        cases = {
            "torn.json": ('{"name": "mine", ', "torn.json: line 1"), "list.json": ("[]", "list.json"),
            "task.json": (linear_scenario(task="flor"), "task.json: /task"),
            "rate.json": (linear_scenario(optimizer={"learning_rate": "fast"}), "rate.json: /optimizer/learning_rate"),
            "unknown.json": (linear_scenario(colour="red"), "unknown.json: /colour"),
            "csv.json": (csv_scenario("nosuch.csv"), "csv.json: /data/path"),
        }
        for name, (content, part) in cases.items():
            self.write(name, content) if isinstance(content, str) else self.write_json(name, content)
            for command in ("run", "verify", "train"):
                scenario = [name] if command == "train" else [*ONE, "--scenario", name]
                self.expect_error([command, *scenario], part)
        self.expect_error(["run", "torn.json"], "torn.json: line 1")
        self.write_json("matrix.json", {"name": "m", "axis": {}})
        self.expect_error(["run", "matrix.json"], "matrix.json: /axis")

    def test_tables(self):
        self.write_json("csv.json", csv_scenario())
        for table, part in {
            "x,y\n1,2\n3,\n": 'table.csv: line 3, column "y": found an empty cell',
            "x,y\n1,2\n3\n": "table.csv: line 3", "x,y\n1,2\nthree,4\n": "table.csv: line 3", "x,z\n1,2\n": "y",
            "": "table.csv",
        }.items():
            self.write("table.csv", table)
            self.expect_error(["run", *ONE, "--scenario", "csv.json"], part)

    def test_outputs_that_cannot_be_written(self):
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe.json")
        self.expect_error(["run", *SMALL, "--out", "nowhere/x.json"], "--out nowhere/x.json")
        self.expect_error(["run", *SMALL, "--out", "folder"], "--out folder")
        self.expect_error(["run", *SMALL, "--out", "pipe.json"], "--out pipe.json")
        self.assertTrue((self.folder / "pipe.json").is_fifo())
        self.expect_error(["run", *SMALL, "--out", "/proc/x.json"], "--out /proc/x.json")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_outputs_that_may_not_be_written(self):
        self.write("x.json", "kept")
        (self.folder / "x.json").chmod(0o400)
        self.expect_error(["run", *SMALL, "--out", "x.json"], "--out x.json")

    def test_reports_that_are_none(self):
        for text in ("", "{}", "hello", '{"schema": "other"}', "[" * 100000):
            self.write("x.json", text)
            self.expect_error(["report", "x.json"], "x.json: ")
        (self.folder / "folder").mkdir()
        self.expect_error(["report", "folder"], "folder: found a folder")


class WritablePlugins(ProgramTest):
    variables = {"GDBENCH_ALLOW_WRITABLE_PLUGINS": "0"}
    FAKE = ("--scenario", "linreg-3x2", "--impl", "fake/*")

    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "plugins"
        for folder in (self.plugins, self.plugins / "kernels", self.plugins / "kernels" / "x86-64-v3"):
            folder.mkdir()
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

    def expect_taken(self, **variables):
        self.variables = {**self.variables, **variables}
        self.assertIn("fake/delay", self.call("run", *self.FAKE, "--dry-run", plugins=str(self.plugins))[0])

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
        self.plugins.chmod(0o755)
        (self.plugins / "mine.py").write_text("")
        self.file.unlink()
        self.file = self.plugins / "mine.adapter.json"
        self.file.write_text('{"command": ["python3", "mine.py"]}', encoding="utf-8")
        (self.plugins / "mine.py").chmod(0o646)
        self.expect_refused(self.plugins / "mine.py", "0646")
        self.expect_error(["list", "implementations"], "mine.py: found mode 0646", plugins=str(self.plugins))

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_what_others_own(self):
        self.file.chmod(0o775)
        self.expect_taken()
        os.chown(self.file, 0, 54321)
        self.expect_refused(self.file, "0775", "group 54321")
        self.file.chmod(0o755)
        self.expect_taken()
        os.chown(self.plugins, 54321, 0)
        self.expect_refused(self.plugins, "owner 54321")

    def test_a_folder_of_the_user(self):
        home = self.folder / "gdbench"
        home.mkdir(mode=0o755)
        self.plugins.rename(home / "plugins")
        self.plugins = ""
        self.expect_taken(XDG_DATA_HOME=str(self.folder))
        (home / "plugins").rename(home / "elsewhere")
        self.call("run", *self.FAKE, "--dry-run", status=2)


if __name__ == "__main__":
    unittest.main()
