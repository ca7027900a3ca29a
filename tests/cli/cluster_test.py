"""A matrix in parts by each way of examples/cluster."""

import json
import os
import shutil
import signal
import subprocess
import unittest

from program import PROGRAM, SOURCE, ProgramTest, processes_in, read_process, soon

EXAMPLES = SOURCE / "examples" / "cluster"
ONE_MACHINE = SOURCE / "scripts" / "one-machine-slurm"
REFRAME = SOURCE / "build" / "reframe" / "bin" / "reframe"
os.environ["PATH"] += ":/usr/sbin"  # where Debian has the daemons, and not every user looks
HAS_SLURM = all(map(shutil.which, ("munged", "slurmctld", "slurmd", "sbatch")))
MATRIX = ("--scenario", "linreg-3*", "--impl", "loop/plain", "--impl", "hand/eigen")
CELLS = 8
FAST = ("--no-html", "--no-ceilings")
# Ranks and jobs beside each other may disturb each other so much that cells are untrusted: these ways are not timed.
QUICK = (*MATRIX, *FAST, "--quick")
MPIRUNS = [name for name in ("mpirun.openmpi", "mpirun.mpich") if shutil.which(name)]


class ClusterTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.variables = {"GDBENCH": PROGRAM}

    def shell(self, *command, status=0):
        """Runs it in the test's folder, and returns what it writes."""
        return self.run_other(*command, status=status, stderr=subprocess.STDOUT).stdout

    def begin_slurm(self):
        folder = self.folder / "slurm"
        # The daemons must not keep a pipe of this test open.
        with open(self.folder / "up.log", "w", encoding="utf-8") as log:
            subprocess.run([ONE_MACHINE, "up", folder], stdout=log, stderr=log, check=True, timeout=120)
        self.daemons = {file.stem: int(file.read_text()) for file in folder.glob("*.pid")}
        self.assertEqual(sorted(self.daemons), ["munged", "slurmctld", "slurmd-node1", "slurmd-node2"])
        self.addCleanup(self.end_slurm, folder)
        self.variables["SLURM_CONF"] = str(folder / "slurm.conf")

    def end_slurm(self, folder):
        subprocess.run([ONE_MACHINE, "down", folder], check=True, timeout=120)
        self.assertFalse(folder.exists())
        for name, process in self.daemons.items():
            self.assertEqual(read_process(process, "cmdline"), "", name)  # nor has a zombie any

    def expect_whole(self, files):
        self.call("merge", *map(str, files), "--out", "merged.json", "--overwrite")
        cells = self.cells_of(self.read_json("merged.json"))
        self.assertEqual(len({cell["id"] for cell in cells}), CELLS)
        self.assertEqual(len(cells), CELLS)
        for cell in cells:
            self.assertTrue(cell["samples"], cell["id"])


def keys_of(samples):
    return [(sample["launch"], sample["round"], sample["position"]) for sample in samples]


@unittest.skipUnless(HAS_SLURM, "scripts/setup --cluster installs Slurm")
class slurm(ClusterTest):
    LAUNCHES = ("--launches", "8")

    def cut_the_power(self, part):
        """Of the node that measures this part, once it has some samples. Returns its name and the samples."""
        journal = self.folder / f"part{part}.journal.jsonl"
        self.assertTrue(soon(lambda: self.has_samples(40, journal.name), 90))
        measuring = processes_in(self.folder)
        variables = "".join(read_process(process, "environ") for process in measuring).split("\0")
        node = next(text.partition("=")[2] for text in variables if text.startswith("SLURMD_NODENAME="))
        stats = [read_process(process, "stat").rpartition(") ")[2].split() for process in measuring]
        parents = {int(stat[1]) for stat in stats if stat}
        daemons = {process for process in parents if read_process(process, "comm") == "slurmstepd\n"}
        self.assertEqual(len(daemons), 1)
        for process in (self.daemons[f"slurmd-{node}"], *daemons, *measuring):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue  # a worker, which dies with its run
        self.assertTrue(soon(lambda: not processes_in(self.folder)))
        events = [json.loads(line) for line in journal.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return node, [(event["cell"], *keys_of([event["sample"]])[0]) for event in events if event["event"] == "sample"]

    def test_parts_of_which_one_loses_its_node(self):
        self.begin_slurm()
        words = self.shell(EXAMPLES / "slurm-submit", "4%1", *MATRIX, *FAST, *self.LAUNCHES)
        job = words.split("job ")[1].split(";")[0]
        node, before = self.cut_the_power(part=2)
        self.shell("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=power")
        self.assertTrue(soon(lambda: not self.shell("squeue", "--noheader"), 90), self.shell("squeue"))
        self.assertTrue((self.folder / "report.json").exists(), self.shell("sh", "-c", "tail *.log"))

        # It went on on the other node, with every sample that it had.
        state = self.shell("scontrol", "show", "job", f"{job}_2")
        self.assertIn("Restarts=1", state)
        self.assertIn(f"NodeList={ {'node1': 'node2', 'node2': 'node1'}[node] }\n", state)
        self.assertIn(f" and {len(before)} samples were taken over", (self.folder / "part2.log").read_text())
        parts = [self.read_json(f"part{part}.json") for part in (1, 2, 3, 4)]
        after = {(cell["id"], *key) for cell in parts[1]["cells"] for key in keys_of(cell["samples"])}
        self.assertLessEqual(set(before), after)

        # The whole has each sample of the parts once.
        merged = self.read_json("report.json")
        self.assertEqual(len(self.cells_of(merged)), CELLS)
        of_parts = {cell["id"]: cell for part in parts for cell in part["cells"]}
        for cell in merged["cells"]:
            keys = keys_of(cell["samples"])
            self.assertEqual(len(set(keys)), len(keys), cell["id"])
            launches = [launch["launch"] for launch in cell["launches"]]
            self.assertEqual(len(set(launches)), len(launches), cell["id"])
            self.assertEqual(cell["samples"], of_parts[cell["id"]]["samples"])

        # Once more, and nothing is measured again.
        self.shell(EXAMPLES / "slurm-submit", "4", *MATRIX, *FAST, *self.LAUNCHES)
        self.assertTrue(soon(lambda: not self.shell("squeue", "--noheader"), 90), self.shell("squeue"))
        self.assertEqual([self.read_json(f"part{part}.json") for part in (1, 2, 3, 4)], parts)

    def test_a_part_that_fails_ends_the_merge_too(self):
        self.begin_slurm()
        self.shell(EXAMPLES / "slurm-submit", "2", *MATRIX, "--budget", "soon")
        self.assertTrue(soon(lambda: not self.shell("squeue", "--noheader"), 60), self.shell("squeue"))
        self.assertIn("--budget", self.read("part1.log"))
        self.assertNotIn("report.json", self.files())

    def test_what_is_no_number_of_parts(self):
        for parts in ("", "0", "x", "4%", "sizes"):
            self.assertIn("expected a number of parts", self.shell(EXAMPLES / "slurm-submit", parts, status=2))


@unittest.skipUnless(MPIRUNS, "Debian's packages are openmpi-bin and mpich")
class mpi(ClusterTest):
    def test_a_part_for_each_rank(self):
        for mpirun in MPIRUNS:
            with self.subTest(mpirun):
                options = ("--allow-run-as-root", "--oversubscribe") if mpirun == "mpirun.openmpi" else ()
                options = (*options, "-n", "2", "--bind-to", "none")
                for file in self.folder.glob("part*.json"):
                    file.unlink()
                self.shell(mpirun, *options, EXAMPLES / "mpi.sh", *QUICK)
                self.expect_whole(["part1.json", "part2.json"])


@unittest.skipUnless(shutil.which("parallel"), "scripts/setup --cluster installs GNU parallel")
class parallel(ClusterTest):
    def test_a_part_for_each_job(self):
        self.shell("parallel", "--jobs", "1", "--quote", EXAMPLES / "part", "{}/2", *QUICK, ":::", "1", "2")
        self.expect_whole(["part1.json", "part2.json"])
        before = self.read_json("part1.json")
        self.shell(EXAMPLES / "part", "1/2", *QUICK)
        self.assertEqual(self.read_json("part1.json"), before)

    def test_what_is_no_part(self):
        self.assertIn("expected a part such as 3/8", self.shell(EXAMPLES / "part", "sizes", status=2))
        self.assertIn("--shard", self.shell(EXAMPLES / "part", "3/2", *QUICK, status=2))


@unittest.skipUnless(REFRAME.exists(), "scripts/reframe installs ReFrame")
class reframe(ClusterTest):
    def setUp(self):
        super().setUp()
        self.variables["TMPDIR"] = str(self.folder)  # for its log

    def expect_two_tests(self, system):
        self.variables.update(GDBENCH_PARTS="2", GDBENCH_ARGUMENTS=" ".join(QUICK))
        output = self.shell(SOURCE / "scripts" / "reframe", "--checkpath", EXAMPLES / "reframe_parts.py", "--system",
                            system, "--exec-policy", "serial", "--run", "--performance-report")
        self.assertIn("Ran 2/2 test case(s)", output)
        self.assertEqual(output.count("P: linreg-3"), CELLS)
        self.assertEqual(output.count(" ns/step\n"), CELLS)
        self.expect_whole(sorted((self.folder / "output").rglob("part*.json")))

    def test_on_this_machine(self):
        self.expect_two_tests("cluster:here")

    @unittest.skipUnless(HAS_SLURM, "scripts/setup --cluster installs Slurm")
    def test_on_slurm(self):
        self.begin_slurm()
        self.expect_two_tests("cluster:slurm")

    def test_no_test_is_no_success(self):
        self.write("empty.py", "")
        output = self.shell(SOURCE / "scripts" / "reframe", "--checkpath", "empty.py", "--run", status=2)
        self.assertIn("found no test", output)
