"""What the tests of the program share: it runs in a folder of its own, with nothing of the caller's around it."""

import copy
import functools
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None  # Debian's python3-jsonschema is missing

PROGRAM = os.environ["GDBENCH_PROGRAM"]
SOURCE = pathlib.Path(os.environ["GDBENCH_SOURCE"])
FAKES = os.environ["GDBENCH_FAKES"]
ADAPTERS = str(SOURCE / "tests" / "fakes" / "adapters")
FRAMEWORKS = pathlib.Path(PROGRAM).parents[1] / "lib" / "gdbench" / "frameworks"
# What harness/abi/catalogue.h knows, as the build exports it.
CATALOGUE = json.loads((FRAMEWORKS / "catalogue.json").read_text(encoding="utf-8"))

HAS_JIT = (FRAMEWORKS.parent / "libgdbench_jit.so").exists()  # there is none without LLVM

# Whether a test may have file systems of its own: `unshare -m COMMAND` runs it where others do not see them.
MAY_MOUNT = subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0

# How /proc/PROCESS/syscall begins while it pauses: the number of pause(2), or of ppoll, by which AArch64 does it.
PAUSES = {"x86_64": "34 ", "aarch64": "73 "}.get(platform.machine())

STATES = "ok|wrong|crashed|untrusted|timed out|unsupported"  # of a row of a verification, for a regular expression


def environment(plugins="", variables=None):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GDBENCH_")}
    return {
        **kept,
        "GDBENCH_SCENARIO_PATH": str(SOURCE / "scenarios"),
        "GDBENCH_PLUGIN_PATH": plugins,
        "GDBENCH_ALLOW_WRITABLE_PLUGINS": "1",  # the sources may be somebody else's than what is built of them
        "XDG_DATA_HOME": "/nowhere",
        **(variables or {}),
    }


def options(flag, values):
    """The words `flag VALUE` for each of the values."""
    return [word for value in values for word in (flag, value)]


def soon(condition, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


def read_process(process, name):
    """A file of /proc/PROCESS; empty where the process has ended since it was listed."""
    try:
        return (pathlib.Path("/proc") / str(process) / name).read_text(encoding="utf-8")
    except OSError:
        return ""


def processes_in(folder):
    """Processes, zombies left out, whose working folder is `folder`: a run and its workers."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            is_in = entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder)
        except OSError:
            continue
        state = read_process(entry.name, "stat").rpartition(") ")[2][:1] if is_in else ""
        found += [int(entry.name)] if state not in ("", "Z") else []
    return found


class ProgramTest(unittest.TestCase):
    """Each test has an empty working folder; `variables` are set for the program."""

    variables = None
    # Those of the machine are measured at the beginning and at the end of a run, which takes seconds.
    ceilings = False
    # A run writes its report as a page, too, which few tests are about.
    pages = False
    shared_report = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gdbench-cli-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *arguments, plugins="", **ways):
        """`ways`: of subprocess.Popen, in the place of the usual ones."""
        if arguments[:1] == ("run",):
            left_out = ("--no-ceilings",) * (not self.ceilings) + ("--no-html",) * (not self.pages)
            arguments = ("run", *left_out, *arguments[1:])
        usual = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        program = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=environment(plugins, self.variables),
                                   text=True, **{**usual, **ways})
        for stream in filter(None, (program.stdout, program.stderr)):
            self.addCleanup(stream.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program

    def has_samples(self, more_than, name="x.journal.jsonl"):
        """Whether the journal of a run has more samples than that."""
        journal = self.folder / name
        return journal.exists() and journal.read_text(encoding="utf-8").count('"sample"') > more_than

    def assert_failed_cell(self, program, pattern):
        """It ends with a cell's failure, which it prints, and nothing of it goes on."""
        output, errors = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 3, errors)
        self.assertRegex(output, pattern)
        self.assertTrue(soon(lambda: processes_in(self.folder) == []), processes_in(self.folder))

    def call(self, *arguments, plugins="", status=0):
        """Runs to the end; the exit status must be `status` unless that is None. Returns stdout and stderr."""
        with self.start(*arguments, plugins=plugins) as process:
            output, errors = process.communicate(timeout=240)
        if status is not None:
            self.assertEqual(process.returncode, status, f"{arguments}\n{output}\n{errors}")
        return output, errors

    def run_other(self, *command, status=0, **ways):
        """Another program in the folder, with the variables of the test; `ways`: of subprocess.run."""
        usual = {"cwd": self.folder, "env": environment(variables=self.variables), "stdin": subprocess.DEVNULL,
                 "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 240}
        done = subprocess.run(command, check=False, **{**usual, **ways})
        if status is not None:
            self.assertEqual(done.returncode, status, f"{command[:6]}\n{done.stdout}{done.stderr}")
        return done

    def json_of(self, *arguments, **options_of_call):
        """What a command prints as JSON."""
        return json.loads(self.call(*arguments, "--json", **options_of_call)[0])

    def measured_once(self, name, *arguments):
        """The report of a run, which all tests of a class share, to be changed; as a file, too."""
        own = type(self)
        if own.shared_report is None:
            self.call("run", *arguments, "--no-html", "--out", name)
            own.shared_report = self.read_json(name)
        self.write_json(name, own.shared_report)
        return copy.deepcopy(own.shared_report)

    def expect_error(self, arguments, *parts, plugins="", status=2):
        """One line on stderr that has these parts, and nothing was written."""
        before = self.files()
        output, errors = self.call(*arguments, plugins=plugins, status=status)
        self.assertEqual((output, errors.count("\n")), ("", 1), errors)
        self.assertTrue(errors.startswith("gdbench: ") and errors.endswith("\n"), errors)
        for part in parts:
            self.assertIn(part, errors)
        self.assertEqual(self.files(), before, "something was written")

    def write(self, name, text):
        """In a folder that is made where it is missing."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def write_json(self, name, content):
        return self.write(name, json.dumps(content))

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def read_json(self, name):
        return json.loads(self.read(name))

    def cells_by_name(self, name="x.json"):
        """{implementation: cell} of a report's file, without its A/A controls."""
        return {cell["implementation"]: cell for cell in self.cells_of(self.read_json(name))}

    @staticmethod
    def cells_of(report):
        """Without its A/A controls."""
        return [cell for cell in report["cells"] if cell["arm"] != "control"]

    @staticmethod
    def launched_again(report, step_ns, times=8):
        """As if every cell of a run of one launch had launched so many times, each step in step_ns[implementation] and
        in the same memory."""
        for cell in report["cells"]:
            taken = dict.fromkeys(("real_ns", "cpu_ns"), step_ns[cell["implementation"]])
            cell["samples"] = [{**sample, **taken, "launch": n} for n in range(times) for sample in cell["samples"]]
            cell["launches"] = [{**launch, "launch": n, "peak_resident_bytes": 2**24, "peak_anonymous_bytes": 2**22}
                                for n in range(times) for launch in cell["launches"]]
        return report

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())


def slowed(report, factor, implementation=None):
    """A copy, as if the steps of that implementation, or of all, had taken `factor` times as long."""
    slow = copy.deepcopy(report)
    for cell in slow["cells"]:
        for sample in cell["samples"] if implementation in (None, cell["implementation"]) else ():
            sample["real_ns"] *= factor
    return slow


def linear_scenario(**changes):
    return {
        "name": "mine", "model": {"kind": "linear_regression"},
        "data": {"source": "synthetic", "kind": "linear", "rows": 20, "features": 3},
        "optimizer": {"learning_rate": 0.05}, **changes,
    }


def csv_scenario(path="table.csv"):
    return linear_scenario(data={"source": "csv", "path": path, "targets": ["y"]})


@functools.lru_cache(maxsize=None)
def schema_of(document):
    command = [PROGRAM, "help", f"{document}.schema.json"]
    return json.loads(subprocess.run(command, env=environment(), check=True, stdout=subprocess.PIPE).stdout)


def assert_valid(content, document):
    """By the schema that the program prints, where python3-jsonschema is installed."""
    if jsonschema is not None:
        jsonschema.validate(content, schema_of(document))
