"""Runs that are stopped: what was measured is kept, and no process stays."""

import json
import os
import signal

from program import FAKES, ProgramTest, processes_in, read_process, soon

# Long enough to be stopped in the middle, whatever the machine.
LONG = ("run", "--launches", "100000", "--impl", "hand/naive", "--impl", "hand/eigen", "--impl", "tape/eigen",
        "--scenario", "mlp-10-50-1", "--out", "x.json")
JOURNAL = "x.journal.jsonl"
SMALL = ("run", "--launches", "1", "--impl", "hand/naive", "--scenario", "linreg-300x2", "--out", "x.json")


class Interrupts(ProgramTest):
    def measuring(self, **ways):
        """A run that has some samples in its journal, with workers alive."""
        process = self.start(*LONG, **ways)
        self.assertTrue(soon(lambda: self.has_samples(30), 60))
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
        """A signal for the program alone, and one as a terminal sends it: for all of its process group."""
        for number, send in ((signal.SIGINT, os.kill), (signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)):
            with self.subTest(signal=number, send=send):
                process = self.measuring(start_new_session=True)
                send(process.pid, number)
                self.expect_kept(process)
                (self.folder / "x.json").unlink()

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
        self.expect_error(SMALL, f"gdbench: {JOURNAL}: found ", " samples of a run that is killed, ", "--resume",
                          "--overwrite")
        self.assertEqual((self.folder / JOURNAL).read_bytes(), whole)
        self.call(*SMALL, "--overwrite")
        self.assertEqual(self.files(), ["torn.jsonl", "x.json"])

    def test_interrupt_after_the_report(self):
        """While the program waits for who reads what it prints. Nothing was stopped, and nothing is to go on with."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writing, b"x" * 4096)
        os.set_blocking(writing, True)
        process = self.start("run", "--launches", "1", *LONG[3:], stdout=writing)
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
            process = self.start(*arguments, plugins=FAKES)
            self.assertTrue(soon(lambda: len(processes_in(self.folder)) == 2 and self.hangs(process), 30))
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130, errors)
            self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def test_interrupt_before_all_plugins_were_asked(self):
        """Cells would be missing, so nothing is begun that could be gone on with."""
        self.write_json("plugins/slow.adapter.json", {"command": ["sh", "-c", "touch asked; exec sleep 60"]})
        process = self.start(*LONG, "--allow-write", str(self.folder), plugins=str(self.folder / "plugins"))
        self.assertTrue(soon((self.folder / "asked").exists, 30))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual((process.returncode, errors), (130, "gdbench: interrupted\n"))
        self.assertEqual(self.files(), ["asked", "plugins"])
        self.assertTrue(soon(lambda: processes_in(self.folder) == []))

    def hangs(self, process):
        """Whether a child of the process has loaded the plugin that hangs and sleeps in it."""
        others = (pid for pid in processes_in(self.folder) if pid != process.pid)
        return any("fake_hang.so" in read_process(pid, "maps") for pid in others)


class Stops(ProgramTest):
    """A run that is killed and gone on with; scripts/fault-test stops runs at random moments."""

    CELLS = ("--impl", "hand/naive", "--impl", "graph/naive", "--scenario", "mlp-10-50-1", "--scenario", "linreg-300x2",
             "--out", "x.json")

    def samples(self, cell):
        return [(sample["launch"], sample["round"], sample["real_ns"]) for sample in cell["samples"]]

    def test_resume_alone_goes_on_with_the_command_that_was_stopped(self):
        process = self.start("run", "--launches", "2", *self.CELLS)
        self.assertTrue(soon(lambda: self.has_samples(20), 60))
        process.kill()
        process.communicate()
        output, errors = self.call("report", "x.json")
        self.assertIn("x.json: not there", errors)
        self.assertIn("killed", output)
        self.expect_error(["run", "--launches", "2", *self.CELLS, "--resume", "--seed", "5"], "/run/seed")
        _, errors = self.call("run", "--out", "x.json", "--resume")
        self.assertRegex(errors, r"goes on with: \S*gdbench run --launches 2 --impl hand/naive .*\n"
                                 r"(.*\n)*.*samples were taken over")
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "complete")
        self.assertEqual({cell["implementation"] for cell in report["cells"]}, {"hand/naive", "graph/naive"})
        self.assertGreater(report["run"]["measuring_seconds"], 0)

    def test_a_kill_after_the_last_sample(self):
        """Before the report was written, the journal has all of it; afterwards, the report."""
        self.call(*SMALL)
        report = self.read_json("x.json")
        end = {"event": "end", "status": "complete", "finished_at": report["run"]["finished_at"]}
        events = [{"event": "run", "report": report}, end]
        journal = "".join(json.dumps(event) + "\n" for event in events)
        (self.folder / "x.json").unlink()
        self.write(JOURNAL, journal)
        self.expect_error(SMALL, f"gdbench: {JOURNAL}: found 14 samples ", " expected --resume to go on with it, ")
        self.call(*SMALL, "--resume")
        self.assertEqual(self.files(), ["x.json"])
        for before, after in zip(report["cells"], self.read_json("x.json")["cells"]):
            self.assertEqual(self.samples(before), self.samples(after))
        self.write(JOURNAL, journal)
        for words in ((), ("--resume",)):
            _, errors = self.call(*SMALL, *words, status=2)
            self.assertRegex(errors, r"^gdbench: x\.json: found (14 samples of )?a run that is complete, ")
        self.assertEqual(self.files(), ["x.json"])


class Outputs(ProgramTest):
    """Where results go, and what lies there."""

    def refused(self, *parts, resume=()):
        before = self.read("x.json")
        self.expect_error([*SMALL, *resume], *parts)
        self.assertEqual(self.read("x.json"), before)

    def test_samples_are_not_replaced_unasked(self):
        _, errors = self.call(*SMALL, "--resume")
        self.assertIn("found neither x.journal.jsonl nor x.json; a new run begins", errors)
        self.refused("x.json: found 14 samples of a run that is complete", "expected --overwrite or another --out")
        self.call(*SMALL, "--overwrite")
        report = self.read_json("x.json")
        report["run"]["status"] = "interrupted"
        self.write_json("x.json", report)
        self.refused("a run that is interrupted", "--resume to go on with it")
        report["environment"]["cpu"]["model"] = "Abacus"
        self.write_json("x.json", report)
        self.refused("x.json: it was begun on another kind of machine: cpu/model: found ", '"Abacus"',
                     resume=["--resume"])

    def test_another_file_is_not_replaced_unasked(self):
        self.write_json("x.json", {"name": "a scenario"})
        self.refused("x.json: found a file that is no report of gdbench")
        self.write("x.json", "")
        self.call(*SMALL)

    def test_two_runs_into_one_file(self):
        self.start(*LONG)
        self.assertTrue(soon(lambda: self.has_samples(0), 60))
        self.expect_error([*LONG, "--resume"], f"{JOURNAL}: found a run that is still going on")

    def test_output_that_does_not_come_through(self):
        self.call(*SMALL)
        reading, nobody_reads = os.pipe()
        os.close(reading)
        for stdout in (os.open("/dev/full", os.O_WRONLY), nobody_reads):
            self.addCleanup(os.close, stdout)
            for arguments in (("report", "x.json"), ("report", "x.json", "--csv"), ("list", "scenarios"), ("--help",)):
                with self.subTest(arguments=arguments), self.start(*arguments, stdout=stdout) as process:
                    _, errors = process.communicate(timeout=60)
                    self.assertEqual(process.returncode, 2)
                    self.assertRegex(errors, "^gdbench: stdout: cannot be written[^\n]*\n$")
