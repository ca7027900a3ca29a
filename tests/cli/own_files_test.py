"""Files of one's own as implementations: --impl ./mine.py and ./mine.cpp, right ones, wrong ones, and broken ones."""

import re

from program import SOURCE, ProgramTest, options

LINEAR = ("--scenario", "linreg-300x2")

STEPS = '''
import gdbench

@gdbench.step
def mean(w, x, y, rate):
    """Plain descent in NumPy"""
    return w - rate * 2 / len(y) * (x.T @ (x @ w - y))

@gdbench.step
def total(w, x, y, rate):
    return w - rate * 2 * (x.T @ (x @ w - y))

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
    "total": ("wrong", "its step is 300 times the reference's: a sum over rows in the place of their mean?"),
    "stays": ("wrong", "its step is 0 times the reference's: nothing moves"),
    "doubles": ("crashed", "returned w0 as float64, expected float32, the scenario's type"),
    "flat": ("crashed", "ValueError: matmul"),
    "fails": ("crashed", "AttributeError: 'numpy.ndarray' object has no attribute 'missing' (mine.py:28 in fails)"),
    "limited": ("unsupported", "loss mse"),
    "too_many": ("unsupported", "takes (a, b, c, x, y, rate); expected (w0, x, y, learning_rate)"),
}

LOOPS = '''
import gdbench
import numpy

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

# The example of the page, with something to go wrong and with what a class may say of itself.
CPP = re.search(r"```cpp\n(.*?)```", (SOURCE / "docs" / "own_loop.md").read_text(encoding="utf-8"), re.DOTALL)[1]
CPP = CPP.replace("2 / batch.rows", "FACTOR / batch.rows").replace("struct Mine {\n", """struct Mine {
  static constexpr int64_t max_layers = 1;
  static constexpr uint32_t losses = GDBENCH_BIT(GDBENCH_MSE);
""")


class OwnFile(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "cache").mkdir()
        # Debian's Python, which has NumPy where the tests' packages are installed.
        self.variables = {"XDG_CACHE_HOME": str(self.folder / "cache"), "GDBENCH_PYTHON": "/usr/bin/python3"}

    def cells(self, name, *selection):
        """{function: cell} of a verification."""
        report = self.json_of("verify", "--impl", name, *LINEAR, *selection, status=None)
        return {cell["implementation"].split("/")[1]: cell for cell in report["cells"]}

    def timed_states(self, *implementations, settings):
        """{implementation: status} of a run."""
        chosen = (*options("--impl", implementations), *options("--set", settings))
        self.call("run", "--quick", *chosen, *LINEAR, "--out", "x.json", "--overwrite", status=None)
        return {name: cell["status"] for name, cell in self.cells_by_name().items()}

    def assert_rows(self, cells, rows):
        self.assertEqual(set(cells), set(rows))
        for function, (state, reason) in rows.items():
            with self.subTest(function=function):
                status = cells[function]["status"]
                self.assertEqual(status["state"], state, status)
                self.assertIn(reason, status["reason"])


class Python(OwnFile):
    def test_steps_are_right_or_it_is_said_why_not(self):
        cells = self.cells(f"./{self.write('mine.py', STEPS)}")
        self.assert_rows(cells, STEP_ROWS)
        repeat = "gdbench run --scenario linreg-300x2 --impl ./mine.py:mean --python /usr/bin/python3"
        self.assertEqual(cells["mean"]["repeat"], repeat)
        self.assertIn("CPython", cells["mean"]["build"])

    def test_loops_are_right_or_it_is_said_why_not(self):
        name = f"./{self.write('mine.py', LOOPS)}"
        self.assert_rows(self.cells(name), LOOP_ROWS)
        states = self.timed_states(f"{name}:momentum", f"{name}:copies",
                                   settings=["optimizer=momentum", "batch.rows=32"])
        self.assertEqual(states["mine/momentum"], {"state": "ok", "reason": ""})
        self.assertIn("returned no optimizer, expected one as the scenario has the optimizer momentum",
                      states["mine/copies"]["reason"])

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
        self.expect_error(["run", "--impl", "./mine.py:meen"], './mine.py: found nothing called "meen"', "mean")
        self.expect_error(["run", "--impl", "./none.py"], "gdbench: ./none.py: found no such file\n")
        self.write("hand.py", "import gdbench\n@gdbench.step\ndef naive(w, x, y, rate): return w\n")
        self.expect_error(["run", "--impl", "./hand.py"], "gdbench: ./hand.py: offers hand/naive, which is another ",
                          "implementation here, expected a name of its own: rename the file\n")
        self.write("mine.py", "import gdbench, no_such_library\n@gdbench.step\ndef f(w, x, y, rate): return w\n")
        self.assert_rows(self.cells("./mine.py"), {"f": ("unsupported", "has no no_such_library")})

    def test_modules_of_its_folder_come_before_the_runners_own(self):
        for module in ("training", "runner", "arrays", "own_models"):
            self.write(f"{module}.py", "def factor(rows): return 2 / rows\n")
        self.write("mine.py", "import gdbench, arrays, own_models, runner\nfrom training import factor\n"
                              "@gdbench.step\ndef mean(w, x, y, rate):\n"
                              "    assert arrays.factor(1) == own_models.factor(1) == runner.factor(1)\n"
                              "    return w - rate * factor(len(y)) * (x.T @ (x @ w - y))\n")
        self.assert_rows(self.cells("./mine.py"), {"mean": ("ok", "")})
        self.assert_rows(self.cells(f"./{self.write('training.py', STEPS)}:mean"), {"mean": ("ok", "")})


class Cpp(OwnFile):
    def test_is_compiled_once_and_right(self):
        self.write("mine.cpp", CPP.replace("FACTOR", "2"))
        _, errors = self.call("verify", "--impl", "./mine.cpp", *LINEAR)
        command = r"\S+ -std=c\+\+20 -O3 -march=native -fPIC \S+ -shared \./mine\.cpp -o \S+"
        self.assertRegex(errors, rf"^gdbench: {command}\n$")
        states = self.timed_states("./mine.cpp", settings=["batch.rows=32"])
        self.assertEqual(states, {"mine/loop": {"state": "ok", "reason": ""}})
        _, errors = self.call("verify", "--impl", "./mine.cpp", *LINEAR)
        self.assertEqual(errors, "")

    def test_what_does_not_compile_is_said(self):
        self.write("mine.cpp", CPP)
        _, errors = self.call("run", "--impl", "./mine.cpp", status=2)
        self.assertIn("FACTOR", errors)
        self.assertRegex(errors, r"(?m)^gdbench: \./mine\.cpp: cannot be compiled by .*: exit status 1$")
        self.variables["CXX"] = "no-such-compiler"
        self.expect_error(["run", "--impl", "./mine.cpp"], "gdbench: ./mine.cpp: found no compiler no-such-compiler ",
                          "to compile it by, expected one on PATH or in $CC or $CXX\n")
        del self.variables["CXX"]
        self.variables["CXXFLAGS"] = "-DFACTOR=2 -fopenmp"
        self.assertIn("ok", self.call("plugin", "check", "./mine.cpp")[0])
