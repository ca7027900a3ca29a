"""Implementations that are right and not to be believed: none of them is given a time without a word."""
import os
import socket
import unittest

from program import FAKES, ProgramTest


# By times: which of them tells it first depends on what the machine does meanwhile.
TIMES = "from one where a block began before|of a length that it had not seen|twice as many steps take only"


class Cheats(ProgramTest):
    EXPECTED = {
        "fake/ahead-evaluate": "after an evaluation of it",
        "fake/ahead-get-state": "outside the clock of a block",
        "fake/ahead-set-state": "outside the clock of a block",
        "fake/ahead-thread": "outside the clock of a block",
        # Which check finds it first depends on what the search for the steps of a block happens to measure.
        "fake/device-clock": "by the device's clock and",
        "fake/early": f"the answer came after|outside the clock of a block|{TIMES}",
        "fake/flush": "flushed to zero",
        "fake/remember": TIMES,
        "fake/memoise": TIMES,
        "fake/threads": "has 2 threads, declared 1",
    }

    def test_none_is_believed(self):
        selection = ("--scenario", "linreg-300x10", "--impl", "fake/*", "--impl", "hand/*", "--launches", "1")
        self.call("run", *selection, "--out", "x.json", "--overwrite", plugins=FAKES + "/cheats", status=3)
        cells = {cell["implementation"]: cell for cell in self.read_json("x.json")["cells"]}
        for name, words in self.EXPECTED.items():
            status = cells[name]["status"]
            self.assertEqual(status["state"], "untrusted", f"{name}: {status}")
            self.assertRegex(status["reason"], words, name)
            self.assertNotIn("summary", cells[name], name)
        for name, cell in cells.items():
            if name not in self.EXPECTED:
                self.assertIn(cell["status"]["state"], ("ok", "unsupported"), f"{name}: {cell['status']}")

    # Where a block is a hundred thousand steps, and where it is a few.
    def test_no_work_is_done_outside_the_clock(self):
        for scenario in (("linreg-3x2",), ("mlp-784-128-10", "--set", "width=32")):
            selection = ("--scenario", *scenario, "--impl", "fake/ahead-*", "--impl", "fake/memoise", "--launches", "1")
            self.call("run", *selection, "--out", "y.json", "--overwrite", plugins=FAKES + "/cheats", status=3)
            for cell in self.read_json("y.json")["cells"]:
                self.assertEqual(cell["status"]["state"], "untrusted", f"{cell['id']}: {cell['status']}")

    def test_plugin_check_finds_it_too(self):
        plugin = FAKES + "/cheats/fake_ahead.so"
        output, _ = self.call("plugin", "check", plugin, "--scenario", "linreg-300x10", status=3)
        self.assertIn("outside the clock of a block", output)


class Processors(ProgramTest):
    ceilings = True

    def test_a_share_of_the_ceiling_is_by_what_its_own_launches_measured(self):
        selection = ("--scenario", "linreg-3x2", "--impl", "hand/naive", "--impl", "loop/plain", "--launches", "5")
        self.call("run", *selection, "--quick", "--out", "s.json")
        report = self.read_json("s.json")
        keys = [scenario["key"] for scenario in report["scenarios"]]
        measured = [(launch["launch"], launch["scenarios"]) for launch in report["ceilings"]["launches"]]
        self.assertEqual(measured, [(launch, keys) for launch in range(5)])
        for cell in self.cells_of(report):
            # Operations of a step that wait for each other (docs/ceilings.md); ceilings_test computes them.
            self.assertEqual(cell["summary"]["ceiling"]["bound_by"], "chain")
            self.assertGreater(cell["summary"]["ceiling"]["share"], 0)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "there is one processor")
    def test_two_runs_measure_on_two_processors(self):
        *_, other, last = sorted(os.sched_getaffinity(0))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as taken:
            try:
                taken.bind(f"\0gdbench measures on processor {last}")
            except OSError:
                self.skipTest("another run on this machine measures on the last processor")
            self.call("run", "--scenario", "linreg-3x2", "--impl", "hand/naive", "--quick", "--out", "z.json")
        self.assertEqual(self.read_json("z.json")["ceilings"]["processor"], other)
        self.call("run", "--scenario", "linreg-3x2", "--impl", "hand/naive", "--quick", "--out", "w.json")
        self.assertEqual(self.read_json("w.json")["ceilings"]["processor"], last)
