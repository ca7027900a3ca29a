"""A matrix in parts as ReFrame tests: each is a job on a node of its own, and each cell is a performance variable.

The environment says what is measured: GDBENCH_ARGUMENTS (sizes --budget 40m), GDBENCH_PARTS (8), GDBENCH (the program).
"""

import json
import os
import pathlib

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable
from reframe.core.meta import make_test

HERE = pathlib.Path(__file__).resolve().parent
PARTS = int(os.environ.get("GDBENCH_PARTS", "8"))
ARGUMENTS = os.environ.get("GDBENCH_ARGUMENTS", "sizes --budget 40m")
PROGRAM = os.environ.get("GDBENCH", HERE.parents[1] / "build" / "release" / "bin" / "gdbench")


class Part(rfm.RunOnlyRegressionTest):
    part = variable(int)
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    exclusive_access = True
    executable = str(HERE / "part")
    env_vars = {"GDBENCH": str(PROGRAM)}

    @run_before("run")
    def choose_part(self):
        self.report = f"part{self.part}.json"
        self.executable_opts = [f"{self.part}/{PARTS}", ARGUMENTS]
        self.keep_files = [self.report]

    @sanity_function
    def is_complete(self):
        return sn.assert_found(r'"status": "complete"', self.report)

    @run_before("performance")
    def take_cells(self):
        """Only what has a time; a cell that failed is missing, which a reference of it would find."""
        report = json.loads(pathlib.Path(self.stagedir, self.report).read_text(encoding="utf-8"))
        for cell in report["cells"]:
            if cell["arm"] == "new" and "summary" in cell:
                time = sn.defer(cell["summary"]["step_ns"]["value"])
                self.perf_variables[cell["id"]] = sn.make_performance_function(time, "ns/step")


# Each part has a name and so a log of its own, because a log has a column for each cell.
for number in range(1, PARTS + 1):
    rfm.simple_test(make_test(f"gdbench_{number}_of_{PARTS}", (Part,), {"part": number}))
