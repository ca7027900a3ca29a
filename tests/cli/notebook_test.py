"""examples/notebook/own_loop.ipynb as Jupyter runs it."""

import json
import os
import unittest

from program import PROGRAM, SOURCE, ProgramTest

PYTHON = SOURCE / "build/frameworks/notebook/bin/python"
NOTEBOOK = SOURCE / "examples/notebook/own_loop.ipynb"
PACKAGE = os.path.join(os.path.dirname(PROGRAM), "../lib/gdbench/python")
RUN = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=120).execute()
print(nbformat.writes(notebook))
"""


@unittest.skipUnless(PYTHON.exists(), "nbclient is not installed: scripts/frameworks notebook")
class Notebook(ProgramTest):
    def test_its_cells_show_page_verdict_and_table(self):
        self.variables = {"GDBENCH_PROGRAM": PROGRAM, "PYTHONPATH": PACKAGE, "XDG_CACHE_HOME": str(self.folder)}
        notebook = json.loads(self.run_other(PYTHON, "-c", RUN, NOTEBOOK).stdout)
        outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
        shown = [output["data"] for output in outputs if output["output_type"] == "execute_result"]
        self.assertEqual(len(shown), 4)
        page, verdict, table, own = shown
        for one in (page, own):
            self.assertTrue("".join(one["text/html"]).startswith('<iframe srcdoc="&lt;!DOCTYPE html'))
        self.assertRegex("".join(verdict["text/plain"]), r"^linreg-300x2/mine/mine takes \S+x \[.*\] as long as")
        self.assertEqual("".join(table["text/plain"]).count(" ok "), 3)
        self.assertIn("mine/mine", "".join(own["text/plain"]))
