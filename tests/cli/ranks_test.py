"""Trainings by several processes, through each library that starts them: what is right, what is wrong, and what is left
of them when any of the processes ends."""

import itertools
import os
import pathlib
import re
import shutil
import signal
import unittest

from program import FAKES, MAY_MOUNT, PAUSES, PROGRAM, STATES, ProgramTest
from program import options, processes_in, read_process, soon

TRANSPORTS = pathlib.Path(PROGRAM).parents[1] / "lib" / "gdbench" / "ranks"
LIBRARIES = [
    name for name in ("openmpi", "mpich") if (TRANSPORTS / f"{name}.so").exists() and shutil.which(f"mpirun.{name}")
]
if not LIBRARIES:
    raise unittest.SkipTest("there is no MPI (Debian: libopenmpi-dev openmpi-bin, libmpich-dev mpich)")

PLUGINS = os.path.join(FAKES, "ranks")
# The last batch of an epoch is a smaller one, and 64 rows are no multiple of 3 or 5.
SCENARIO = ("--scenario", "linreg-300x10", "--set", "batch.rows=64")
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")


def rank_of(process):
    values = dict(variable.partition("=")[::2] for variable in read_process(process, "environ").split("\0"))
    return next((int(values[name]) for name in RANK_VARIABLES if name in values), None)


class Ranks(ProgramTest):
    def verify(self, *arguments, status):
        """{implementation and its options: (state, reason)} of a verification."""
        output, _ = self.call("verify", *SCENARIO, *arguments, plugins=PLUGINS, status=status)
        rows = re.findall(rf"^  (\S+?)((?: \w+=\w+)*)  +({STATES})  +(.*)$", output, re.M)
        return {name + options: (state, reason) for name, options, state, reason in rows}

    def test_any_number_of_ranks_is_right(self):
        settings = [f"impl.ranks={count}" for count in (1, 2, 3, 5)] + [f"impl.mpi={name}" for name in LIBRARIES]
        rows = self.verify("--impl", "fake/ranks+mpi", *options("--set", settings), status=0)
        self.assertEqual([state for state, _ in rows.values()], ["ok"] * 4 * len(LIBRARIES))

    def test_each_fault_is_found(self):
        rows = self.verify("--impl", "fake/*+mpi", "--set", "impl.ranks=3", "--timeout", "4", status=3)
        found = {name.split()[0].removeprefix("fake/").removesuffix("+mpi"): row for name, row in rows.items()}
        leaves = ("wrong", "leaves the reference at step 1:")
        for name, (state, reason) in {
            "mean-of-means": leaves, "counted-twice": leaves, "stale": leaves, "ranks": ("ok", "^"),
            "update-before-sum": ("untrusted", "^rank 1 ended with other parameters than rank 0, in tensor 0$"),
            "drifting": ("untrusted", "^rank 2 ended with other parameters than rank 0, in tensor 0$"),
            "threaded": ("untrusted", "^rank 2 has 2 threads, declared 1$"),
            "failing": ("crashed", "^rank 2: is out of luck$"),
            "waiting": ("timed out", r"rank 2 \(process \d+\) did not reach all-reduce 4, where others wait$"),
        }.items():
            with self.subTest(fault=name):
                self.assertEqual(found[name][0], state)
                self.assertRegex(found[name][1], reason)

    @unittest.skipUnless(MAY_MOUNT, "no file system may be mounted here")
    def test_no_room_for_what_they_share(self):
        script = 'mount -t tmpfs -o size=4m none /dev/shm && exec "$@"'
        verify = (PROGRAM, "verify", *SCENARIO, "--impl", "hand/naive+mpi", "--set", "impl.ranks=2")
        done = self.run_other("unshare", "-m", "sh", "-c", script, "sh", *verify, status=3)
        found = r"crashed  +/dev/shm: found \d+ KiB free, expected at least 8 MiB for what ranks share"
        self.assertRegex(done.stdout, found)

    def test_a_run_says_what_exchanging_takes(self):
        self.call("run", *SCENARIO, "--impl", "fake/ranks+mpi", "--impl", "hand/naive", "--set", "impl.ranks=1",
                  "--set", "impl.ranks=64", "--quick", "--out", "x.json", plugins=PLUGINS)
        cells = {(cell["implementation"], cell.get("ranks")): cell for cell in self.cells_of(self.read_json("x.json"))}
        one = cells["fake/ranks+mpi", 1]
        self.assertEqual(one["status"]["state"], "ok")
        self.assertRegex(one["runtime"]["ranks"], r"^1 by (Open MPI|MPICH)")
        for sample in one["samples"]:
            self.assertGreater(sample["exchange_ns"], 0)
            self.assertLess(sample["exchange_ns"], sample["real_ns"])
            self.assertNotIn("page_faults", sample, "those of ranks are not the worker's")
        many = cells["fake/ranks+mpi", 64]["status"]
        self.assertEqual(many["state"], "unsupported")
        self.assertRegex(many["reason"], r"^this machine has \d+ processor\(s\) for 64 ranks of 1 thread\(s\)")
        self.assertEqual(cells["hand/naive", None]["status"]["state"], "ok")

    def test_nobody_meets_them_unasked(self):
        output, _ = self.call("run", "--dry-run", "--impl", "*", *SCENARIO, plugins=PLUGINS)
        self.assertIn("hand/naive", output)
        self.assertNotIn("+mpi", output)
        for count in ("0", "5000", "two"):
            self.expect_error(["verify", *SCENARIO, "--impl", "fake/ranks+mpi", "--set", f"impl.ranks={count}"],
                              f'gdbench: impl.ranks: found "{count}", expected ', plugins=PLUGINS)


class Ends(ProgramTest):
    """The last of two ranks waits for a signal, and the first one for the last."""

    def waiting(self, library, timeout):
        """A verification whose ranks have begun to wait: {which: process}."""
        program = self.start("verify", *SCENARIO, "--impl", "fake/waiting+mpi", "--set", f"impl.mpi={library}",
                             "--timeout", str(timeout), plugins=PLUGINS)
        found = {}

        def begun():
            found.clear()
            found["program"] = program.pid
            for process in processes_in(self.folder):
                words = read_process(process, "cmdline").split("\0")
                if words[0].startswith("mpirun"):
                    found["launcher"] = process
                elif words[1:2] == ["rank"]:
                    found[f"rank {rank_of(process)}"] = process
                elif words[1:2] == ["worker"]:
                    found["worker"] = process
            return len(found) == 5 and read_process(found.get("rank 1", 0), "syscall").startswith(PAUSES)

        self.assertTrue(soon(begun, 30), found)
        return program, found

    def test_whichever_process_ends(self):
        ended = r"crashed  +rank \d \(process \d+\) was ended by signal "
        for library, (which, number, pattern) in itertools.product(LIBRARIES, (
            ("rank 1", signal.SIGKILL, ended + r"9 \(Killed\)"),
            ("rank 1", signal.SIGSEGV, ended + r"11 \(Segmentation fault\)"),
            ("rank 1", signal.SIGSTOP, r"timed out  +run: no answer within 3 s, .*: rank 1 \(process \d+\) is stopped"),
            ("launcher", signal.SIGKILL, r"crashed  +rank \d \(process \d+\) ended, mpirun.{} with signal 9"),
            ("worker", signal.SIGKILL, r"crashed  +run: killed from outside, .*: signal 9"),
        )):
            with self.subTest(library=library, which=which, signal=number):
                program, found = self.waiting(library, 3 if number == signal.SIGSTOP else 30)
                os.kill(found[which], number)
                self.assert_failed_cell(program, pattern.replace("{}", library))
            self.assert_nothing_left()

    def test_a_program_that_is_killed(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                program, _ = self.waiting(library, 30)
                program.kill()
                program.wait()
                self.assertTrue(soon(lambda: processes_in(self.folder) == []), processes_in(self.folder))
            self.assert_nothing_left()

    def assert_nothing_left(self):
        """What a killed worker left in memory, the ranks of the next one have removed, once its zombie is gone, too."""

        def nothing_left():
            self.call("verify", *SCENARIO, "--impl", "fake/ranks+mpi", plugins=PLUGINS)
            left = pathlib.Path("/dev/shm").glob("gdbench-ranks-*")
            return all((pathlib.Path("/proc") / path.name.split("-")[2]).exists() for path in left)

        self.assertTrue(soon(nothing_left))
