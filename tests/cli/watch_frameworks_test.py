"""watch, of trainings by a real framework: one that keeps a part of each step, one whose graph grows, ones that compile
again and again, and one whose numbers become denormal. Scripts without gdbench say what there is to be found."""

import json
import unittest

from framework_rows import ENVIRONMENTS, MISSING, is_installed
from program import ProgramTest, options

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


# A graph to which every step adds, because the sum of the losses is what is differentiated.
SUMS = '''
import gdbench
import torch

torch.set_num_threads(1)
total = 0


@gdbench.step
def sums_up(w, x, y, rate):
    global total
    w = w.detach().requires_grad_()
    total = total + ((x @ w - y) ** 2).mean()
    total.backward(retain_graph=True)
    return (w - rate * w.grad).detach()
'''
# Compiled for every rate, which is a number of Python's, and every number of rows.
COMPILES = {
    "tensorflow": '''
import gdbench
import tensorflow as tf

traced = []


@gdbench.step
@tf.function
def compiles(w, x, y, rate):
    traced.append(rate)
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_mean((x @ w - y) ** 2)
    return w - rate * tape.gradient(loss, w)
''',
    "jax": '''
import functools

import gdbench
import jax

traced = []


@gdbench.step
@functools.partial(jax.jit, static_argnums=3)
def compiles(w, x, y, rate):
    traced.append(rate)
    return w - rate * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
''',
}
ALONE = '''
import sys
import types

import numpy

sys.modules["gdbench"] = types.SimpleNamespace(step=lambda function: function)
import mine

rows = 300
random = numpy.random.default_rng(1)
x = random.normal(size=(rows, 2)).astype("f4")
y = x @ numpy.ones((2, 1), "f4")
w = numpy.zeros((2, 1), "f4")
'''
# Bytes that a step adds, after the first fifth of them.
GROWTH = ALONE + '''
import torch


def resident():
    with open("/proc/self/statm") as file:
        return 4096 * int(file.read().split()[1])


steps = int(sys.argv[1])
fifth, w, x, y = steps // 5, torch.from_numpy(w), torch.from_numpy(x), torch.from_numpy(y)
bytes = []
for _ in range(steps):
    w = mine.sums_up(w, x, y, 0.01)
    bytes.append(resident())
print((bytes[-1] - bytes[fifth]) / (steps - 1 - fifth))
'''
# How often the body runs, which is whenever the function is compiled, in the first steps and in all of them.
COUNT = ALONE + '''
every, batch, *ends = map(int, sys.argv[1:])
counts = []
for step in range(ends[-1]):
    first = step * batch % (-(-rows // batch) * batch)
    w = mine.compiles(w, x[first : first + batch], y[first : first + batch], 0.01 * 0.9 ** (step // every))
    if step + 1 in ends:
        counts.append(len(mine.traced))
print(*counts)
'''


class Watched(ProgramTest):
    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}

    def watched(self, *arguments, status):
        output, _ = self.call("watch", *arguments, "--json", status=status)
        return json.loads(output)

    def watched_file(self, framework, text, *arguments, status):
        """Of a file of one's own, in the framework's environment."""
        self.write("mine.py", text)
        python = str(ENVIRONMENTS / framework / "bin" / "python")
        return self.watched("linreg-300x2", "--impl", "./mine.py", "--python", python, *arguments, status=status)

    def of_script(self, framework, script, *arguments):
        """Numbers that a script prints, which imports the same file."""
        python = ENVIRONMENTS / framework / "bin" / "python"
        path = self.folder / self.write("alone.py", script)
        return [float(word) for word in self.run_other(python, path, *map(str, arguments)).stdout.split()]


@unittest.skipUnless(is_installed("pytorch"), MISSING + "pytorch")
class WatchPyTorch(Watched):
    def test_what_a_step_keeps_is_found(self):
        record = self.watched_file("pytorch", LEAKS, "--steps", "6000", status=1)
        self.assertGreater(record["memory"]["bytes_per_step"], KEPT_BYTES)
        self.assertLess(record["memory"]["bytes_per_step"], 1.2 * KEPT_BYTES)
        self.assertIn("Memory grows by ", " ".join(record["document"]["answer"]))

    def test_a_graph_that_grows_is_found(self):
        steps = 400
        record = self.watched_file("pytorch", SUMS, "--steps", str(steps), status=1)
        (step_bytes,) = self.of_script("pytorch", GROWTH, steps)
        self.assertGreater(step_bytes, 1000)
        self.assertAlmostEqual(record["memory"]["bytes_per_step"] / step_bytes, 1, delta=0.25)
        self.assertIn("Memory grows by ", " ".join(record["document"]["answer"]))

    def test_denormal_numbers_are_seen(self):
        settings = ("rows=64", "width=8", "optimizer.weight_decay=5", "learning_rate=0.02")
        chosen = options("--set", settings)
        record = self.watched("denormals-mlp", "--impl", "pytorch/eager", *chosen, "--steps", "4000", status=None)
        looks = [block["subnormals"]["state"] for block in record["blocks"] if "subnormals" in block]
        self.assertEqual(looks[0], 0)
        self.assertGreater(looks[-1], 0.9)
        self.assertIn("are denormal, at first hardly any are", " ".join(record["document"]["answer"]))


class WatchCompilers(Watched):
    def test_every_compilation_is_counted(self):
        steps, every, batch = 2400, 200, 70
        schedule = {"kind": "step", "every": every, "factor": 0.9, "steps": steps}
        chosen = options("--set", (f"batch={batch}", "optimizer.schedule=" + json.dumps(schedule)))
        for framework, text in COMPILES.items():
            with self.subTest(framework=framework):
                if not is_installed(framework):
                    self.skipTest(MISSING + framework)
                record = self.watched_file(framework, text, *chosen, "--steps", str(steps), status=None)
                first, every_one = self.of_script(framework, COUNT, every, batch, record["warm_up_steps"], steps)
                self.assertEqual(every_one, 2 * steps // every)
                self.assertEqual(record["traces"], every_one - first)
                self.assertIn(f"It compiled {every_one - first:.0f} times while it trained, the last one after step ",
                              " ".join(record["document"]["answer"]))


if __name__ == "__main__":
    unittest.main()
