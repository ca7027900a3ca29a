"""Files of one's own as implementations: --impl ./mine.py and ./mine.cpp, right ones, wrong ones, and broken ones."""

import json
import unittest

from program import ProgramTest

LINEAR = ("--scenario", "linreg-300x2")

STEPS = '''
import gdbench


@gdbench.step
def mean(w, x, y, rate):
    """Plain descent in NumPy"""
    return w - rate * 2 / len(y) * (x.T @ (x @ w - y))


@gdbench.step
def half(w, x, y, rate):
    return w - rate / len(y) * (x.T @ (x @ w - y))


@gdbench.step
def total(w, x, y, rate):
    return w - rate * 2 * (x.T @ (x @ w - y))


@gdbench.step
def climbs(w, x, y, rate):
    return w + rate * 2 / len(y) * (x.T @ (x @ w - y))


@gdbench.step
def stays(parameters, x, y, rate):
    parameters = [parameter.copy() for parameter in parameters]
    return parameters


@gdbench.step
def doubles(w, x, y, rate):
    return w.astype("f8") - rate * 2 / len(y) * (x.T @ (x @ w - y))


@gdbench.step
def flat(w, x, y, rate):
    return (w - rate * 2 / len(y) * (x.T @ (x @ w - y)))[:1]


@gdbench.step
def fails(w, x, y, rate):
    return w - rate * y.missing


@gdbench.step(losses=["half_mse"])
def limited(w, x, y, rate):
    return w


@gdbench.step
def too_many(a, b, c, x, y, rate):
    return a
'''
# Function -> its state, and a part of its reason.
STEP_ROWS = {
    "mean": ("ok", ""),
    "half": ("wrong", "at step 1: its step is 0.5 times the reference's: half of the square, or a gradient without"),
    "total": ("wrong", "its step is 300 times the reference's: a sum over rows in the place of their mean?"),
    "climbs": ("wrong", "its step is -1 times the reference's: it climbs: subtract the gradient"),
    "stays": ("wrong", "its step is 0 times the reference's: nothing moves"),
    "doubles": ("crashed", "returned w0 as float64, expected float32, the scenario's type"),
    "flat": ("crashed", "ValueError: matmul"),
    "fails": ("crashed", "AttributeError: 'numpy.ndarray' object has no attribute 'missing' (mine.py:44 in fails)"),
    "limited": ("unsupported", "loss mse"),
    "too_many": ("unsupported", "takes (a, b, c, x, y, rate); expected (w0, x, y, learning_rate)"),
}

LOOPS = '''
import numpy

import gdbench


def network(problem, changed=lambda gradients: gradients):
    """A loop that keeps its parameters in a list and changes them in place."""
    parameters = [numpy.zeros(shape, problem.dtype) for shape in problem.shapes]
    slots = [[numpy.zeros(shape, problem.dtype) for shape in problem.shapes]]

    def step(x, y):
        outputs = x @ parameters[0]
        gradients = changed([2 / y.size * (x.T @ (outputs - y))])
        for parameter, velocity, gradient in zip(parameters, slots[0], gradients):
            velocity[...] = problem.optimizer.momentum * velocity + gradient
            parameter -= problem.learning_rate * velocity

    return step, parameters, slots


@gdbench.training(optimizers=["momentum"])
def momentum(problem):
    return network(problem)


@gdbench.training(optimizers=["sgd", "momentum"])
def sums_up(problem):
    kept = [numpy.zeros(shape, problem.dtype) for shape in problem.shapes]

    def changed(gradients):
        kept[0] += gradients[0]
        return kept

    problem.optimizer.momentum = 0
    step, parameters, _ = network(problem, changed)
    return step, parameters


@gdbench.training
def copies(problem):
    parameters = [numpy.zeros(shape, problem.dtype) for shape in problem.shapes]
    own = [parameter.copy() for parameter in parameters]

    def step(x, y):
        own[0] -= problem.learning_rate * 2 / len(y) * (x.T @ (x @ own[0] - y))

    return step, parameters


@gdbench.training
def warms_up(problem):
    step, parameters, _ = network(problem)
    problem.optimizer.momentum = 0
    done = []

    def first_twice(x, y):
        for _ in range(1 if done else 2):
            step(x, y)
        done.append(1)

    return first_twice, parameters


@gdbench.training
def no_model(problem):
    return lambda x, y: None


@gdbench.training
def other_model(problem):
    return (lambda x, y: None), "a model"
'''
LOOP_ROWS = {
    "momentum": ("unsupported", "optimizer sgd"),
    "sums_up": ("wrong", "the same block ends elsewhere when it is run again: what does it draw, change or keep?"),
    "copies": ("wrong", "nothing moves"),
    "warms_up": ("wrong", "at step 5: it ends where one step more leads: a warm-up that is not undone?"),
    "no_model": ("crashed", "returned no model; expected step, model: without it nothing can be set or verified"),
    "other_model": ("unsupported", "found a model of the type str, expected a torch.nn.Module, a keras.Model, or a"),
}

SOURCE = """
#include <gdbench/loop.h>

struct Mine {
  static constexpr int64_t max_layers = 1;
  static constexpr uint32_t losses = GDBENCH_BIT(GDBENCH_MSE);
  std::vector<float> gradient;

  explicit Mine(const gdbench::Problem& problem) : gradient(problem.layers[0].inputs) {}

  void step(const gdbench::Batch<float>& batch, gdbench::Model<float>& model, double rate) {
    const std::span<float> w = model[0];
    std::ranges::fill(gradient, 0.0f);
    for (int64_t row = 0; row < batch.rows; ++row) {
      const float* x = batch.x + row * w.size();
      float error = -batch.y[row];
      for (size_t i = 0; i < w.size(); ++i) error += x[i] * w[i];
      for (size_t i = 0; i < w.size(); ++i) gradient[i] += error * x[i];
    }
    for (size_t i = 0; i < w.size(); ++i) w[i] -= rate * FACTOR / batch.rows * gradient[i];
  }
};

GDBENCH_LOOP("mine/loop", Mine)
"""


class OwnFile(ProgramTest):
    def setUp(self):
        super().setUp()
        # Debian's Python, which has NumPy where the tests' packages are installed.
        self.variables = {"XDG_CACHE_HOME": str(self.folder / "cache"), "GDBENCH_PYTHON": "/usr/bin/python3"}

    def cells(self, name, *selection):
        return self.by_function(json.loads(self.call("verify", "--impl", name, *selection, "--json", status=None)[0]))

    def timed_cells(self, name, *selection):
        self.call("run", "--quick", "--impl", name, *selection, "--out", "x.json", status=None)
        return self.by_function(self.read_json("x.json"))

    def by_function(self, report):
        return {cell["implementation"].split("/")[1]: cell for cell in self.cells_of(report)}

    def assert_rows(self, cells, rows):
        self.assertEqual(set(cells), set(rows))
        for function, (state, reason) in rows.items():
            with self.subTest(function=function):
                status = cells[function]["status"]
                self.assertEqual(status["state"], state, status)
                self.assertIn(reason, status["reason"])


class Python(OwnFile):
    def test_steps_are_right_or_it_is_said_why_not(self):
        cells = self.cells(f"./{self.write('mine.py', STEPS)}", *LINEAR)
        self.assert_rows(cells, STEP_ROWS)
        repeat = "gdbench run --scenario linreg-300x2 --impl ./mine.py:mean --python /usr/bin/python3"
        self.assertEqual(cells["mean"]["repeat"], repeat)
        self.assertIn("CPython", cells["mean"]["build"])

    def test_loops_are_right_or_it_is_said_why_not(self):
        name = f"./{self.write('mine.py', LOOPS)}"
        self.assert_rows(self.cells(name, *LINEAR), LOOP_ROWS)
        chosen = (f"{name}:momentum", "--impl", f"{name}:copies", *LINEAR)
        rows = self.timed_cells(*chosen, "--set", "optimizer=momentum")
        self.assertEqual(rows["momentum"]["status"], {"state": "ok", "reason": ""})
        self.assertIn("returned no optimizer, expected one as the scenario has the optimizer momentum",
                      rows["copies"]["status"]["reason"])

    def test_takes_batches_in_the_order_of_all(self):
        cells = self.timed_cells(f"./{self.write('mine.py', STEPS)}:mean", *LINEAR, "--set", "batch.rows=32")
        self.assertEqual(cells["mean"]["status"], {"state": "ok", "reason": ""})

    def test_stands_beside_others(self):
        self.write("mine.py", STEPS)
        output, _ = self.call("verify", "--impl", "./mine.py", "--impl", "hand/naive", "--exclude", "mine/*l*", *LINEAR,
                              status=3)
        self.assertRegex(output, r"(?m)^\s*hand/naive\s+ok")
        self.assertRegex(output, r"(?m)^\s*mine/mean\s+ok")
        self.assertNotIn("mine/total", output)

    def test_what_cannot_be_read_is_one_line(self):
        faults = {
            "def f(:": r"mine\.py:1: invalid syntax: def f\(:",
            "import numpy": r"found no function under @gdbench\.training or @gdbench\.step, expected one at least",
            "import gdbench\n@gdbench.step(rows=3)\ndef f(w, x, y, rate): pass":
                r"mine\.py:2: found rows=, expected one of losses",
            "import gdbench\n@gdbench.step(losses=['l2'])\ndef f(w, x, y, rate): pass":
                r'mine\.py:2: losses: found "l2", expected one of mse',
        }
        for text, fault in faults.items():
            with self.subTest(text=text):
                self.write("mine.py", text)
                output, errors = self.call("run", "--impl", "./mine.py", *LINEAR, status=2)
                self.assertEqual(output, "")
                self.assertRegex(errors, rf"^gdbench: \./mine\.py: .*{fault}[^\n]*\n$")
        self.write("mine.py", STEPS)
        _, errors = self.call("run", "--impl", "./mine.py:meen", status=2)
        self.assertRegex(errors, r'^gdbench: \./mine\.py: found nothing called "meen", expected .*mean')
        _, errors = self.call("run", "--impl", "./none.py", status=2)
        self.assertEqual(errors, "gdbench: ./none.py: found no such file\n")

    def test_takes_no_name_that_another_has(self):
        self.write("hand.py", "import gdbench\n@gdbench.step\ndef naive(w, x, y, rate): return w\n")
        _, errors = self.call("run", "--impl", "./hand.py", *LINEAR, status=2)
        self.assertEqual(errors, "gdbench: ./hand.py: offers hand/naive, which is another implementation here, "
                                 "expected a name of its own: rename the file\n")

    def test_modules_of_its_folder_come_before_the_runners_own(self):
        for module in ("training", "runner", "arrays", "own_models"):
            self.write(f"{module}.py", "def factor(rows): return 2 / rows\n")
        self.write("mine.py", "import gdbench, arrays, own_models, runner\nfrom training import factor\n"
                              "@gdbench.step\ndef mean(w, x, y, rate):\n"
                              "    assert arrays.factor(1) == own_models.factor(1) == runner.factor(1)\n"
                              "    return w - rate * factor(len(y)) * (x.T @ (x @ w - y))\n")
        self.assert_rows(self.cells("./mine.py", *LINEAR), {"mean": ("ok", "")})
        self.assert_rows(self.cells(f"./{self.write('training.py', STEPS)}:mean", *LINEAR), {"mean": ("ok", "")})

    def test_what_is_not_installed_is_named(self):
        self.write("mine.py", "import gdbench, no_such_library\n@gdbench.step\ndef f(w, x, y, rate): return w\n")
        cells = self.cells("./mine.py", *LINEAR)
        self.assert_rows(cells, {"f": ("unsupported", "has no no_such_library")})


class Cpp(OwnFile):
    def test_is_compiled_once_and_right(self):
        self.write("mine.cpp", SOURCE.replace("FACTOR", "2"))
        _, errors = self.call("verify", "--impl", "./mine.cpp", *LINEAR)
        command = r"\S+ -std=c\+\+20 -O3 -march=native -fPIC \S+ -shared \./mine\.cpp -o \S+"
        self.assertRegex(errors, rf"^gdbench: {command}\n$")
        cells = self.timed_cells("./mine.cpp", *LINEAR, "--set", "batch.rows=32")
        self.assert_rows(cells, {"loop": ("ok", "")})
        _, errors = self.call("verify", "--impl", "./mine.cpp", *LINEAR)
        self.assertEqual(errors, "")

    def test_a_wrong_one_is_told_what_it_does(self):
        self.write("mine.cpp", SOURCE.replace("FACTOR", "1"))
        cells = self.cells("./mine.cpp", *LINEAR)
        self.assert_rows(cells, {"loop": ("wrong", "its step is 0.5 times the reference's: half of the square, or")})

    def test_what_does_not_compile_is_said(self):
        self.write("mine.cpp", SOURCE)
        _, errors = self.call("run", "--impl", "./mine.cpp", status=2)
        self.assertIn("FACTOR", errors)
        self.assertRegex(errors, r"(?m)^gdbench: \./mine\.cpp: cannot be compiled by .*: exit status 1$")

    def test_a_compiler_that_is_not_there_is_named(self):
        self.write("mine.cpp", SOURCE)
        self.variables["CXX"] = "no-such-compiler"
        _, errors = self.call("run", "--impl", "./mine.cpp", status=2)
        self.assertEqual(errors, "gdbench: ./mine.cpp: found no compiler no-such-compiler to compile it by, expected "
                                 "one on PATH or in $CC or $CXX\n")

    def test_plugin_check_takes_it(self):
        self.write("mine.cpp", SOURCE)
        self.variables["CXXFLAGS"] = "-DFACTOR=2 -fopenmp"
        output, _ = self.call("plugin", "check", "./mine.cpp")
        self.assertIn("ok", output)


if __name__ == "__main__":
    unittest.main()
