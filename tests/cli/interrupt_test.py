"""Runs that are stopped: what was measured is kept, and no process stays."""

import os
import pathlib
import signal
import subprocess
import unittest

from program import PROGRAM, ProgramTest, environment, processes_in, soon

# Long enough to be stopped in the middle, whatever the machine.
LONG = ("run", "--launches", "100000", "--impl", "hand/naive", "--impl", "hand/eigen", "--impl", "hand/null", "--scenario", "linreg-3x2", "--out", "x.json")
JOURNAL = "x.journal.jsonl"


class Interrupts(ProgramTest):
    def measuring(self):
        """A run that has some samples in its journal, with workers alive."""
        process = self.start(*LONG)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        journal = self.folder / JOURNAL
        self.assertTrue(soon(lambda: journal.exists() and journal.read_text().count('"sample"') > 60, 60))
        self.assertTrue(soon(lambda: len(processes_in(self.folder)) > 1))
        return process

    def expect_kept(self, process):
        output, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(errors, "report: x.json\n")
        self.assertIn("interrupted", output)
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "interrupted")
        for cell in report["cells"]:
            self.assertEqual(cell["status"]["state"], "ok")
            self.assertGreater(len(cell["samples"]), 3)
        self.assertEqual(self.files(), ["x.json"])
        self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def test_interrupt(self):
        process = self.measuring()
        process.send_signal(signal.SIGINT)
        self.expect_kept(process)

    def test_termination(self):
        process = self.measuring()
        process.send_signal(signal.SIGTERM)
        self.expect_kept(process)

    def test_interrupt_of_the_whole_group(self):
        """As a terminal sends it: to the program and to whatever is in its process group."""
        with subprocess.Popen(
            [PROGRAM, *LONG], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:
            self.addCleanup(process.kill)
            journal = self.folder / JOURNAL
            self.assertTrue(soon(lambda: journal.exists() and journal.read_text().count('"sample"') > 60, 60))
            os.killpg(process.pid, signal.SIGINT)
            self.expect_kept(process)

    def test_kill(self):
        process = self.measuring()
        process.kill()
        self.assertTrue(soon(lambda: processes_in(self.folder) == [], 1), "a process survived its coordinator")
        self.assertEqual(self.files(), [JOURNAL])
        output, _ = self.call("report", JOURNAL)
        self.assertIn("killed", output)
        self.assertIn("hand/naive", output)
        # Torn off in the middle of a line, as a full disk or a power cut leaves it.
        whole = (self.folder / JOURNAL).read_bytes()
        (self.folder / "torn.jsonl").write_bytes(whole[: len(whole) * 2 // 3])
        self.assertIn("killed", self.call("report", "torn.jsonl")[0])

        # The next run keeps what this one had measured.
        small = ("run", "--launches", "1", "--impl", "hand/naive", "--scenario", "linreg-3x2", "--out", "x.json")
        _, errors = self.call(*small)
        self.assertIn(f"{JOURNAL}.1", errors)
        self.assertEqual(self.files(), ["torn.jsonl", "x.journal.jsonl.1", "x.json"])
        self.assertEqual((self.folder / f"{JOURNAL}.1").read_bytes(), whole)

    def test_interrupt_of_verify_and_train(self):
        for arguments in (
            ("verify", "--scenario", "linreg-3x2", "--impl", "fake/hang"),
            ("train", "linreg-3x2", "--impl", "fake/hang", "--steps", "5"),
        ):
            process = self.start(*arguments, plugins=os.environ["GDBENCH_FAKES"])
            self.assertTrue(soon(lambda: len(processes_in(self.folder)) == 2 and self.hangs(process), 30))
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130, errors)
            self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def hangs(self, process):
        """Whether a child of the process has loaded the plugin that hangs and sleeps in it."""
        for pid in processes_in(self.folder):
            try:
                mapped = pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
            except OSError:
                continue
            if pid != process.pid and "fake_hang.so" in mapped:
                return True
        return False


if __name__ == "__main__":
    unittest.main()
