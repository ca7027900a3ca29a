"""Trainings by several processes of an adapter, which meet by themselves."""

import os
import pathlib
import re
import signal

from program import ADAPTERS, PAUSES, STATES, ProgramTest, options, processes_in, read_process, soon

PLUGINS = str(pathlib.Path(ADAPTERS).parent / "rank_adapters")
SCENARIO = ("--scenario", "linreg-3x2", "--set", "rows=7")
IMPLEMENTATION = ("--impl", "script/meeting")


class AdapterRanks(ProgramTest):
    def verify(self, *arguments, status):
        """(state, reason) of each row of a verification."""
        output, _ = self.call("verify", *SCENARIO, *IMPLEMENTATION, *arguments, plugins=PLUGINS, status=status)
        return re.findall(rf"^  script/meeting.*?  +({STATES})  +(.*)$", output, re.M)

    def test_what_is_right_and_what_is_not(self):
        right = [("ok", "^")] * 4
        apart = ("untrusted", "^rank 1 ended with other parameters than rank 0, in tensor 0$")
        ended = ("crashed", r"^rank 1 \(process \d+\) ended with exit status 1: nothing goes on$")
        for settings, expected, status in (([f"impl.ranks={count}" for count in (1, 2, 3, 9)], right, 0),
                                           (["impl.fault=drift"], [apart], 3), (["impl.fault=exit"], [ended], 3)):
            with self.subTest(settings=settings):
                rows = self.verify(*options("--set", settings), status=status)
                self.assertEqual([state for state, _ in rows], [state for state, _ in expected])
                for (_, reason), (_, words) in zip(rows, expected):
                    self.assertRegex(reason, words)

    def test_nobody_meets_them_unasked(self):
        output, _ = self.call("run", "--dry-run", "--impl", "*", *SCENARIO, plugins=PLUGINS)
        self.assertNotIn("script/meeting", output)
        self.expect_error(["run", "--dry-run", "--impl", "*/meet*", *SCENARIO], plugins=PLUGINS)

    def test_a_run_has_their_time(self):
        self.call("run", *SCENARIO, *IMPLEMENTATION, "--set", "impl.ranks=2", "--quick", "--out", "x.json",
                  plugins=PLUGINS)
        (cell,) = self.cells_of(self.read_json("x.json"))
        if len(os.sched_getaffinity(0)) < 2:
            self.assertEqual(cell["status"]["state"], "unsupported")
            return
        self.assertEqual(cell["status"]["state"], "ok")
        self.assertEqual((cell["ranks"], cell["ranked"], cell["runtime"]["ranks"]), (2, False, "2"))


class Ends(ProgramTest):
    """The last of two ranks waits for a signal, and the first one for the last."""

    def expect_end_of(self, which, number, pattern):
        program = self.start("verify", *SCENARIO, *IMPLEMENTATION, "--set", "impl.fault=wait", "--timeout", "4",
                             plugins=PLUGINS)
        found = {}

        def begun():
            found.clear()
            for process in sorted(processes_in(self.folder)):
                words = read_process(process, "cmdline").split("\0")
                name = "meeting.py" if words[0].endswith("python3") else words[1] if len(words) > 1 else ""
                found.setdefault(name, []).append(process)
            adapters = found.get("meeting.py", [])
            return len(adapters) == 2 and read_process(adapters[1], "syscall").startswith(PAUSES)

        self.assertTrue(soon(begun, 30), found)
        os.kill(found[which][-1], number)
        self.assert_failed_cell(program, pattern)

    def test_whichever_process_ends(self):
        for which, number, pattern in (
            ("meeting.py", signal.SIGKILL, r"crashed  +rank 1 \(process \d+\) ended with signal 9 \(Killed\)"),
            ("meeting.py", signal.SIGSTOP, r"timed out  +.*rank 1 \(process \d+\) is stopped"),
            ("worker", signal.SIGKILL, r"crashed  +run: killed from outside, .*: signal 9"),
        ):
            with self.subTest(which=which, signal=number):
                self.expect_end_of(which, number, pattern)
