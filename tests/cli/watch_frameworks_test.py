"""watch, of trainings by a real framework: one that keeps a part of each step, and one whose numbers become denormal."""

import json
import sys
import unittest

from framework_rows import ENVIRONMENTS, is_installed
from program import ProgramTest, options

if not is_installed("pytorch"):
    print("skipped: not installed: scripts/frameworks pytorch")
    sys.exit(77)

KEPT_BYTES = 8000  # of each step: a thousand numbers, and what PyTorch needs for a tensor
LEAKS = '''
import gdbench
import torch

results = []


@gdbench.step
def leaks(w, x, y, rate):
    w = w.detach().requires_grad_()
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    results.append(torch.ones(1000, dtype=torch.float64))
    return (w - rate * w.grad).detach()
'''


class WatchPyTorch(ProgramTest):
    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}

    def watched(self, *arguments, status):
        output, _ = self.call("watch", *arguments, "--json", status=status)
        return json.loads(output)

    def test_what_a_step_keeps_is_found(self):
        self.write("mine.py", LEAKS)
        python = str(ENVIRONMENTS / "pytorch" / "bin" / "python")
        record = self.watched("linreg-300x2", "--impl", "./mine.py", "--python", python, "--steps", "6000", status=1)
        self.assertGreater(record["memory"]["bytes_per_step"], KEPT_BYTES)
        self.assertLess(record["memory"]["bytes_per_step"], 1.2 * KEPT_BYTES)
        self.assertIn("Memory grows by ", " ".join(record["document"]["answer"]))

    def test_denormal_numbers_are_seen(self):
        settings = ("rows=64", "width=8", "optimizer.weight_decay=5", "learning_rate=0.02")
        record = self.watched("denormals-mlp", "--impl", "pytorch/eager", *options("--set", settings), "--steps", "4000", status=None)
        looks = [block["subnormals"]["state"] for block in record["blocks"] if "subnormals" in block]
        self.assertEqual(looks[0], 0)
        self.assertGreater(looks[-1], 0.9)
        self.assertIn("are denormal, at first hardly any are", " ".join(record["document"]["answer"]))


if __name__ == "__main__":
    unittest.main()
