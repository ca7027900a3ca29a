"""Runs that are stopped: what was measured is kept, and no process stays."""

import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest, environment, processes_in, read_process, soon

# Long enough to be stopped in the middle, whatever the machine.
LONG = ("run", "--launches", "100000", "--impl", "hand/naive", "--impl", "hand/eigen", "--impl", "tape/eigen",
        "--scenario", "mlp-10-50-1", "--out", "x.json")
JOURNAL = "x.journal.jsonl"


class Interrupts(ProgramTest):
    def measuring(self):
        """A run that has some samples in its journal, with workers alive."""
        process = self.start(*LONG)
        journal = self.folder / JOURNAL
        self.assertTrue(soon(lambda: journal.exists() and journal.read_text().count('"sample"') > 30, 60))
        self.assertTrue(soon(lambda: len(processes_in(self.folder)) > 1))
        return process

    def expect_kept(self, process):
        output, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        samples = sum(len(cell["samples"]) for cell in self.read_json("x.json")["cells"])
        self.assertRegex(
            errors,
            r"^gdbench: the run takes about \d+ min\nreport: x\.json\n"
            rf"gdbench: interrupted; x\.json keeps 3 cells and {samples} samples; "
            r"to go on: \S*gdbench run .* --out x\.json --resume\n$",
        )
        self.assertIn("interrupted", output)
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "interrupted")
        for cell in report["cells"]:
            self.assertEqual(cell["status"]["state"], "ok", cell["status"]["reason"])
            self.assertGreater(len(cell["samples"]), 3)
        self.assertEqual(self.files(), ["x.json"])
        self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def test_interrupt_and_termination(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                process = self.measuring()
                process.send_signal(number)
                self.expect_kept(process)
                (self.folder / "x.json").unlink()

    def test_interrupt_of_the_whole_group(self):
        """As a terminal sends it: to the program and to whatever is in its process group."""
        with subprocess.Popen(
            [PROGRAM, "run", "--no-html", "--no-ceilings", *LONG[1:]], cwd=self.folder, env=environment(),
            stdin=subprocess.DEVNULL, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:
            self.addCleanup(process.kill)
            journal = self.folder / JOURNAL
            self.assertTrue(soon(lambda: journal.exists() and journal.read_text().count('"sample"') > 30, 60))
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

        # Another run does not replace what this one had measured, unless it is told to.
        small = ("run", "--launches", "1", "--impl", "hand/naive", "--scenario", "linreg-300x2", "--out", "x.json")
        _, errors = self.call(*small, status=2)
        self.assertRegex(errors,
                         rf"^gdbench: {JOURNAL}: found \d+ samples of a run that is killed, .*--resume.*--overwrite")
        self.assertEqual((self.folder / JOURNAL).read_bytes(), whole)
        self.call(*small, "--overwrite")
        self.assertEqual(self.files(), ["torn.jsonl", "x.json"])

    def test_interrupt_after_the_report(self):
        """While the program waits for who reads what it prints. Nothing was stopped, and nothing is to go on with."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writing, b"x" * 4096)
        os.set_blocking(writing, True)
        with subprocess.Popen(
            [PROGRAM, "run", "--no-html", "--no-ceilings", "--launches", "1", *LONG[3:]], cwd=self.folder,
            env=environment(), stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, text=True,
        ) as process:
            self.addCleanup(process.kill)
            os.close(writing)
            self.assertTrue(soon(lambda: self.files() == ["x.json"], 60))
            process.send_signal(signal.SIGINT)
            with open(reading, "rb") as printed:
                printed.read()
            _, errors = process.communicate(timeout=30)
        self.assertEqual((process.returncode, errors), (0, "report: x.json\n"))
        self.assertEqual(self.read_json("x.json")["run"]["status"], "complete")

    def test_interrupt_of_verify_and_train(self):
        for arguments in (
            ("verify", "--scenario", "linreg-300x2", "--impl", "fake/hang"),
            ("train", "linreg-300x2", "--impl", "fake/hang", "--steps", "5"),
        ):
            process = self.start(*arguments, plugins=os.environ["GDBENCH_FAKES"])
            self.assertTrue(soon(lambda: len(processes_in(self.folder)) == 2 and self.hangs(process), 30))
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130, errors)
            self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def test_interrupt_before_all_plugins_were_asked(self):
        """Cells would be missing, so nothing is begun that could be gone on with."""
        plugins = self.folder / "plugins"
        plugins.mkdir()
        command = ["sh", "-c", "touch asked; exec sleep 60"]
        self.write_json("plugins/slow.adapter.json", {"command": command})
        process = self.start(*LONG, "--allow-write", str(self.folder), plugins=str(plugins))
        self.assertTrue(soon((self.folder / "asked").exists, 30))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual((process.returncode, errors), (130, "gdbench: interrupted\n"))
        self.assertEqual(self.files(), ["asked", "plugins"])
        self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def hangs(self, process):
        """Whether a child of the process has loaded the plugin that hangs and sleeps in it."""
        for pid in processes_in(self.folder):
            if pid != process.pid and "fake_hang.so" in read_process(pid, "maps"):
                return True
        return False


class Stops(ProgramTest):
    """A run that is stopped again and again, and gone on with."""

    CELLS = ("--impl", "hand/naive", "--impl", "graph/naive", "--scenario", "mlp-10-50-1", "--scenario", "linreg-300x2",
             "--out", "x.json")
    ARGUMENTS = ("run", "--launches", "12", *CELLS)

    def kept(self):
        """What lies in the journal's whole lines or, without a journal, in the report."""
        journal = self.folder / JOURNAL
        if journal.exists() and journal.read_bytes().count(b"\n") > 0:
            self.call("report", JOURNAL, "--json", "kept.json")
            report = self.read_json("kept.json")
            (self.folder / "kept.json").unlink()
        elif (self.folder / "x.json").exists():
            report = self.read_json("x.json")
        else:
            return {}
        return {cell["id"]: self.samples(cell) for cell in report["cells"]}

    def samples(self, cell):
        found = [(sample["launch"], sample["round"], sample["real_ns"]) for sample in cell["samples"]]
        places = [(launch, round_) for launch, round_, _ in found]
        self.assertEqual(len(places), len(set(places)), "a sample counts twice")
        return set(found)

    def test_no_sample_is_lost_or_counted_twice(self):
        generator = random.Random(2)
        for stop in range(int(os.environ.get("GDBENCH_STOPS", "5"))):
            before = self.kept()
            process = self.start(*self.ARGUMENTS, "--resume")
            time.sleep(generator.uniform(0, 1))
            process.send_signal(generator.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)))
            _, errors = process.communicate(timeout=30)
            self.assertTrue(soon(lambda: processes_in(self.folder) == []))
            after = self.kept()
            for cell, samples in before.items():
                self.assertLessEqual(samples, after[cell], f"stop {stop}: {errors}")
            # What was taken over is said, unless the signal came before that.
            found = re.search(r"went on with x\S+: \d+ cells? and (\d+) samples were taken over", errors)
            if found:
                self.assertEqual(int(found[1]), sum(map(len, before.values())))
        before = self.kept()
        _, errors = self.call(*self.ARGUMENTS, "--resume")
        self.assertIn(f" and {sum(map(len, before.values()))} samples were taken over", errors)
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "complete")
        for cell in report["cells"]:
            self.assertLessEqual(before[cell["id"]], self.samples(cell))
            self.assertGreaterEqual(len({sample["launch"] for sample in cell["samples"]}), 12)

    def test_resume_alone_goes_on_with_the_command_that_was_stopped(self):
        process = self.start("run", "--launches", "2", *self.CELLS)
        journal = self.folder / JOURNAL
        self.assertTrue(soon(lambda: journal.exists() and journal.read_text().count('"sample"') > 20, 60))
        process.kill()
        process.communicate()
        output, errors = self.call("report", "x.json")
        self.assertIn("x.json: not there", errors)
        self.assertIn("killed", output)
        _, errors = self.call("run", "--out", "x.json", "--resume")
        self.assertRegex(errors, r"goes on with: \S*gdbench run --launches 2 --impl hand/naive .*\n"
                                 r"(.*\n)*.*samples were taken over")
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "complete")
        self.assertEqual({cell["implementation"] for cell in report["cells"]}, {"hand/naive", "graph/naive"})
        self.assertGreater(report["run"]["measuring_seconds"], 0)

    def test_a_kill_after_the_last_sample(self):
        """Before the report was written, the journal has all of it; afterwards, the report."""
        small = ("run", "--launches", "1", "--impl", "hand/naive", "--scenario", "linreg-300x2", "--out", "x.json")
        self.call(*small)
        report = self.read_json("x.json")
        end = {"event": "end", "status": "complete", "finished_at": report["run"]["finished_at"]}
        events = [{"event": "run", "report": report}, end]
        journal = "".join(json.dumps(event) + "\n" for event in events)
        (self.folder / "x.json").unlink()
        self.write(JOURNAL, journal)
        _, errors = self.call(*small, status=2)
        self.assertRegex(errors, rf"^gdbench: {JOURNAL}: found 14 samples .* expected --resume to go on with it, ")
        self.call(*small, "--resume")
        self.assertEqual(self.files(), ["x.json"])
        for before, after in zip(report["cells"], self.read_json("x.json")["cells"]):
            self.assertEqual(self.samples(before), self.samples(after))
        self.write(JOURNAL, journal)
        for words in ((), ("--resume",)):
            _, errors = self.call(*small, *words, status=2)
            self.assertRegex(errors, r"^gdbench: x\.json: found (14 samples of )?a run that is complete, ")
        self.assertEqual(self.files(), ["x.json"])

    def test_the_journal_of_another_run(self):
        process = self.start(*self.ARGUMENTS)
        journal = self.folder / JOURNAL
        self.assertTrue(soon(lambda: journal.exists() and journal.stat().st_size > 0, 30))
        process.kill()
        process.communicate()
        _, errors = self.call(*self.ARGUMENTS, "--resume", "--seed", "5", status=2)
        self.assertEqual(errors.count("\n"), 1)
        self.assertIn("/run/seed", errors)


class Outputs(ProgramTest):
    """Where results go, and what lies there."""

    SMALL = ("run", "--launches", "1", "--impl", "hand/naive", "--scenario", "linreg-300x2")

    def refused(self, *words):
        before = (self.folder / "x.json").read_bytes()
        _, errors = self.call(*self.SMALL, "--out", "x.json", status=2)
        for word in words:
            self.assertIn(word, errors)
        self.assertEqual(errors.count("\n"), 1)
        self.assertEqual((self.folder / "x.json").read_bytes(), before)

    def test_samples_are_not_replaced_unasked(self):
        self.call(*self.SMALL, "--out", "x.json")
        self.refused("x.json: found 14 samples of a run that is complete", "expected --overwrite or another --out")
        _, errors = self.call(*self.SMALL, "--out", "x.json", "--resume", status=2)
        self.assertIn("x.json: found a run that is complete", errors)
        self.call(*self.SMALL, "--out", "x.json", "--overwrite")
        report = self.read_json("x.json")
        report["run"]["status"] = "interrupted"
        self.write_json("x.json", report)
        self.refused("a run that is interrupted", "--resume to go on with it")
        report["environment"]["cpu"]["model"] = "Abacus"
        self.write_json("x.json", report)
        _, errors = self.call(*self.SMALL, "--out", "x.json", "--resume", status=2)
        self.assertRegex(errors,
                         r'^gdbench: x\.json: it was begun on another kind of machine: cpu/model: found .*"Abacus"')
        self.assertEqual(self.read_json("x.json"), report)

    def test_another_file_is_not_replaced_unasked(self):
        self.write_json("x.json", {"name": "a scenario"})
        self.refused("x.json: found a file that is no report of gdbench")
        self.write("x.json", "")
        self.call(*self.SMALL, "--out", "x.json")

    def test_nothing_to_go_on_with(self):
        _, errors = self.call(*self.SMALL, "--out", "x.json", "--resume")
        self.assertIn("found neither x.journal.jsonl nor x.json; a new run begins", errors)

    def test_two_runs_into_one_file(self):
        process = self.start(*LONG)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        journal = self.folder / JOURNAL
        self.assertTrue(soon(lambda: journal.exists() and journal.read_text().count('"sample"') > 0, 60))
        _, errors = self.call(*LONG, "--resume", status=2)
        self.assertIn(f"{JOURNAL}: found a run that is still going on", errors)

    def test_output_that_does_not_come_through(self):
        self.call(*self.SMALL, "--out", "x.json")
        for arguments in (("report", "x.json"), ("report", "x.json", "--csv", "-"), ("list", "scenarios"), ("--help",)):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(
                    [PROGRAM, *arguments], cwd=self.folder, env=environment(), stdout=full, stderr=subprocess.PIPE,
                    text=True, check=False,
                )
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("stdout: cannot be written", done.stderr)
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [PROGRAM, "report", "x.json"], cwd=self.folder, env=environment(), stdout=writing, stderr=subprocess.PIPE,
            text=True, check=False,
        )
        os.close(writing)
        self.assertEqual(done.returncode, 2)
        self.assertIn("stdout: cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
