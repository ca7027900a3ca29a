"""What a run says and keeps where the machine around it fails: no room, no descriptors, no streams, odd clocks."""

import contextlib
import fcntl
import os
import pty
import resource
import select
import struct
import subprocess
import termios
import unittest

from program import FAKES, MAY_MOUNT, PROGRAM, ProgramTest, environment, options

RUN = ("run", "--no-ceilings", "--scenario", "linreg-300x2", "--impl", "hand/naive", "--out", "x.json", "--launches")
JOURNAL = "x.journal.jsonl"
FEW = 3  # samples: less than a run must have kept before what is tested happens
NOBODY = 65534
KEPT = rf"what was measured is in \S*{JOURNAL}, with which --resume goes on"


def samples(report):
    found = ((cell["id"], sample) for cell in report["cells"] for sample in cell["samples"])
    return {(cell, sample["launch"], sample["round"]): sample for cell, sample in found}


class Surroundings(ProgramTest):
    def under(self, command, status, limits=(), variables=None):
        """Runs a command, in which PROGRAM stands for the program, and returns what it said on stderr."""

        def limit():
            for kind, most in limits:
                resource.setrlimit(kind, (most, most))

        words = [PROGRAM if word == "PROGRAM" else word for word in command]
        return self.run_other(*words, status=status, preexec_fn=limit, env=environment("", variables)).stderr

    def expect_refusal(self, errors, pattern):
        self.assertRegex(errors, rf"^gdbench: {pattern}\n$")

    def expect_gone_on_with(self, kept):
        """The run can be gone on with, nothing of it is lost, and no cell is blamed."""
        self.assertGreater(len(kept), FEW)
        self.call(*RUN, str(1 + max(launch for _, launch, _ in kept)), "--resume")
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "complete")
        found = samples(report)
        self.assertEqual(kept, {place: found.get(place) for place in kept})
        self.assertEqual({cell["status"]["state"] for cell in report["cells"]}, {"ok"})
        self.assertNotIn(JOURNAL, self.files())


class Room(Surroundings):
    def test_a_file_that_may_not_grow(self):
        errors = self.under(("PROGRAM", *RUN, "9000"), 2, [(resource.RLIMIT_FSIZE, 50000)])
        said = rf"{JOURNAL}: cannot be written: File too large; x\.json keeps 1 cell and .* --resume"
        self.assertRegex(errors, rf"(?m)^gdbench: {said}$")
        self.expect_gone_on_with(samples(self.read_json("x.json")))

    @unittest.skipUnless(MAY_MOUNT, "no file system may be mounted here")
    def test_a_full_disk(self):
        script = f"""mount -t tmpfs -o size=5m none full && cd full || exit 99
            "$@" --no-html >/dev/null &
            until [ "$(grep -cs '"sample"' {JOURNAL})" -gt {2 * FEW} ] 2>/dev/null || ! kill -0 $!; do sleep 0.01; done
            cat /dev/zero > filler 2>/dev/null
            wait $!
            status=$?
            rm filler
            cp * ..
            exit $status"""
        (self.folder / "full").mkdir()
        errors = self.under(("unshare", "-m", "sh", "-c", script, "sh", "PROGRAM", *RUN, "9000"), 2)
        announced, errors = errors.split("\n", maxsplit=1)
        self.assertRegex(announced, r"^gdbench: the run takes about \d+ min$")
        self.expect_refusal(errors, rf"{JOURNAL}: cannot be written: No space left on device; {KEPT}")
        self.assertEqual(self.files(), ["full", JOURNAL])
        (self.folder / "full").rmdir()
        self.call("report", JOURNAL, "--json", "kept.json")
        self.expect_gone_on_with(samples(self.read_json("kept.json")))

    @unittest.skipUnless(MAY_MOUNT, "no file system may be mounted here")
    def test_no_room_for_a_page(self):
        """What lies there already stays as it is."""
        self.call(*RUN, "1")
        script = """mount -t tmpfs -o size=64k none full && cp x.json full && cd full || exit 99
            echo kept > page.html
            cat /dev/zero > filler 2>/dev/null
            "$@"
            status=$?
            rm filler
            cp * ..
            exit $status"""
        (self.folder / "full").mkdir()
        command = ("PROGRAM", "report", "x.json", "--html", "page.html")
        errors = self.under(("unshare", "-m", "sh", "-c", script, "sh", *command), 2)
        self.expect_refusal(errors, "page.html: cannot be written: No space left on device")
        self.assertEqual(self.read("page.html"), "kept\n")
        self.assertEqual(self.files(), ["full", "page.html", "x.json"])
        # Nor can a file system that is read-only be written.
        script = 'mount -t tmpfs -o ro none full && cd full && exec "$@"'
        errors = self.under(("unshare", "-m", "sh", "-c", script, "sh", "PROGRAM", *RUN, "1"), 2)
        self.expect_refusal(errors, f"{JOURNAL}: cannot be written: Read-only file system")

    def test_no_temporary_folder_for_generated_code(self):
        command = ("PROGRAM", "verify", "--scenario", "linreg-3x2", "--impl", "casadi/generated", "--set", "dtype=f64",
                   "--junit", "x.xml")
        self.under(command, 4, variables={"TMPDIR": "/nowhere"})
        said = "no temporary folder can be made for the C that CasADi writes|not installed: scripts/frameworks casadi"
        self.assertRegex(self.read("x.xml"), said)

    def test_a_cache_that_cannot_be_used(self):
        self.write("cache", "a file")
        self.variables = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        _, errors = self.call("verify", "--scenario", "linreg-300x2", "--impl", "hand/naive")
        self.assertRegex(errors, r"cache/gdbench/reference: references cannot be kept there \(Not a directory\)")

    def test_times_of_earlier_runs(self):
        self.variables = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        times = self.folder / "cache/gdbench/times.json"
        self.call(*RUN, "1", "--no-cache")
        self.assertFalse(times.exists())
        self.call(*RUN, "1", "--overwrite")
        kept = dict(self.read_json(times)["oldest_first"])
        times.write_text("{", encoding="utf-8")
        said, _ = self.call(*RUN, "1", "--overwrite")[1].splitlines()
        self.assertRegex(said, r"^gdbench: \S+/times\.json: line 1, column 2: found text that is no JSON, expected "
                               r"JSON; how long this run takes is guessed$")
        self.assertEqual(dict(self.read_json(times)["oldest_first"]).keys(), kept.keys())

    def test_what_a_killed_process_left_beside_a_report_goes(self):
        self.write("x.json.partial-99999999", "{")
        self.write(f"x.json.partial-{os.getpid()}", "{")
        self.call(*RUN, "1")
        self.assertEqual(self.files(), ["x.json", f"x.json.partial-{os.getpid()}"])


class Numbers(Surroundings):
    """Of descriptors and of processes."""

    def test_too_few_descriptors(self):
        """To ask a plugin, and for the numbers that a worker's descriptors have."""
        for limit in (6, *range(9, 17)):
            errors = self.under(("PROGRAM", *RUN, "1"), 2, [(resource.RLIMIT_NOFILE, limit)])
            what = "cannot make a pipe to a worker" if limit == 6 else ".*"
            self.expect_refusal(errors, rf"{what}: Too many open files, expected more descriptors \(ulimit -n\)")

    def test_too_few_descriptors_for_workers_side_by_side(self):
        """No cell is at fault, and what was measured before is kept."""
        first = (*RUN, "2", *options("--impl", ("tape/naive", "graph/naive")))
        errors = self.under(("PROGRAM", *first), 2, [(resource.RLIMIT_NOFILE, 25)])
        said = r"cannot .*: Too many open files, expected more descriptors \(ulimit -n\); x\.json keeps .* --resume"
        self.assertRegex(errors, rf"(?m)^gdbench: {said}$")
        report = self.read_json("x.json")
        self.assertEqual(report["run"]["status"], "failed")
        self.assertEqual({cell["status"]["state"] for cell in report["cells"]}, {"ok"})
        self.call(*first, "--resume")
        self.assertEqual(self.read_json("x.json")["run"]["status"], "complete")

    @unittest.skipUnless(os.geteuid() == 0, "another user's processes are to be limited")
    def test_too_few_processes(self):
        os.chown(self.folder, NOBODY, NOBODY)
        as_nobody = ("setpriv", "--reuid", str(NOBODY), "--clear-groups", "PROGRAM")
        if subprocess.run([*as_nobody[:-1], PROGRAM, "--version"], capture_output=True, check=False).returncode != 0:
            self.skipTest("the build is not for everybody to read")
        errors = self.under((*as_nobody, *RUN, "1", "--no-cache"), 2, [(resource.RLIMIT_NPROC, 1)])
        self.expect_refusal(errors, "cannot start a worker: Resource temporarily unavailable, expected more processes "
                                    r"\(ulimit -u\)")


class Streams(Surroundings):
    def test_closed_ones(self):
        for closed, status, said in (
            ("<&-", 0, r"(.*\n)*report: x\.json\n"),
            (">&-", 2, r"(.*\n)*report: x\.json\ngdbench: stdout: cannot be written: .*\n"), ("2>&-", 0, ""),
            ("<&- >&- 2>&-", 2, ""),
        ):
            with self.subTest(closed=closed):
                command = ("sh", "-c", f'exec "$@" {closed}', "sh", "PROGRAM", *RUN, "1", "--overwrite")
                self.assertRegex(self.under(command, status), f"^{said}$")
                report = self.read_json("x.json")
                self.assertEqual(report["run"]["status"], "complete")
                self.assertEqual({cell["status"]["state"] for cell in report["cells"]}, {"ok"})

    def test_a_narrow_terminal(self):
        """What is erased before the next line is written must not have gone on in another one."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 20, 0, 0))
        process = self.start(*RUN, "1", stdin=theirs, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while select.select([ours], [], [], 60)[0]:
                said += os.read(ours, 4096)
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        lines = [line.partition("\n")[0] for line in said.decode().split("\r\x1b[K")]
        self.assertTrue(any("verify" in line for line in lines), said)
        self.assertLess(max(len(line.rstrip()) for line in lines if "%" in line), 20, lines)


class Clocks(Surroundings):
    def test_one_that_is_set_back(self):
        """By an hour at every look at it."""
        self.under(("PROGRAM", *RUN, "3"), 0, variables={"LD_PRELOAD": f"{FAKES}/preload/fake_clock_set_back.so"})
        report = self.read_json("x.json")
        self.assertLess(report["run"]["finished_at"], report["run"]["started_at"])
        self.assertEqual({cell["status"]["state"] for cell in report["cells"]}, {"ok"})
        for launch in (launch for cell in report["cells"] for launch in cell["launches"]):
            self.assertGreater(launch["total_seconds"], 0)
        self.assertNotRegex(self.call("report", "x.json")[0], r"-\d+ s\b")
        self.call("history", "x.json")

    def test_places(self):
        """Neither its language nor its time zone shows."""
        self.call(*RUN, "1")
        usual = self.call("report", "x.json", "--details")
        for name, value in (("TZ", "Pacific/Kiritimati"), ("TZ", "no zone"), ("LC_ALL", "tr_TR.UTF-8")):
            self.variables = {name: value}
            self.assertEqual(self.call("report", "x.json", "--details"), usual, value)
