"""`gdbench train --dump` against the same training recomputed with NumPy from the dumped files alone."""

import csv
import json
import sys
import unittest

from program import ProgramTest, csv_scenario

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed (Debian: python3-numpy)")
    sys.exit(77)

LIMITS = {"f32": 1e-4, "f64": 1e-12}


def relu(z):
    return numpy.maximum(z, 0)


ACTIVATIONS = {
    "identity": (lambda z: z, lambda z: numpy.ones_like(z)),
    "relu": (relu, lambda z: (z > 0).astype(float)),
    "tanh": (numpy.tanh, lambda z: 1 - numpy.tanh(z) ** 2),
    "sigmoid": (lambda z: 1 / (1 + numpy.exp(-z)), lambda z: numpy.exp(-z) / (1 + numpy.exp(-z)) ** 2),
}


def softmax(z):
    powers = numpy.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


class Recomputation:
    """All arithmetic in float64, whatever the dump's type."""

    def __init__(self, folder):
        self.scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
        model = self.scenario["model"]
        if model["kind"] == "linear_regression":
            self.layers = [("identity", model["bias"])]
        else:
            self.layers = [(layer["activation"], layer["bias"]) for layer in model["layers"]]
        self.x = numpy.load(folder / "x.npy").astype(numpy.float64)
        self.y = numpy.load(folder / "y.npy")
        order = folder / "order.npy"
        self.order = numpy.load(order) if order.exists() else None
        self.parameters = {}
        for index, (_, bias) in enumerate(self.layers):
            for name in (f"w{index}", f"b{index}")[: 1 + bias]:
                self.parameters[name] = numpy.load(folder / f"initial_{name}.npy").astype(numpy.float64)

    def rows_of(self, step):
        count = len(self.x)
        batch = self.scenario["batch"]
        size = count if batch == "full" else batch["rows"]
        steps_per_epoch = -(-count // size)
        first = step % steps_per_epoch * size
        if self.order is None:
            return numpy.arange(count)[first : first + size]
        return self.order[step // steps_per_epoch % len(self.order)][first : first + size]

    def forward(self, rows):
        signals, sums = [self.x[rows]], []
        for index, (activation, bias) in enumerate(self.layers):
            sums.append(signals[-1] @ self.parameters[f"w{index}"] + (self.parameters[f"b{index}"] if bias else 0))
            signals.append(ACTIVATIONS[activation][0](sums[-1]))
        return signals, sums

    def loss(self):
        output = self.forward(numpy.arange(len(self.x)))[0][-1]
        if self.scenario["loss"] == "softmax_cross_entropy":
            return -numpy.log(softmax(output)[numpy.arange(len(self.y)), self.y]).mean()
        return numpy.square(output - self.y).mean() * (0.5 if self.scenario["loss"] == "half_mse" else 1)

    def step(self, number):
        rows = self.rows_of(number)
        signals, sums = self.forward(rows)
        if self.scenario["loss"] == "softmax_cross_entropy":
            upstream = (softmax(signals[-1]) - numpy.eye(signals[-1].shape[1])[self.y[rows]]) / len(rows)
        else:
            factor = 1 if self.scenario["loss"] == "half_mse" else 2
            upstream = factor * (signals[-1] - self.y[rows]) / signals[-1].size
        gradients = {}
        for index in reversed(range(len(self.layers))):
            delta = upstream * ACTIVATIONS[self.layers[index][0]][1](sums[index])
            gradients[f"w{index}"] = signals[index].T @ delta
            gradients[f"b{index}"] = delta.sum(axis=0)
            upstream = delta @ self.parameters[f"w{index}"].T
        for name, parameter in self.parameters.items():
            parameter -= self.scenario["optimizer"]["learning_rate"] * gradients[name]


class Train(ProgramTest):
    def compare(self, scenario, steps, *settings):
        for implementation in ("hand/naive", "hand/eigen"):
            for dtype, limit in LIMITS.items():
                with self.subTest(scenario=scenario, implementation=implementation, dtype=dtype):
                    options = [word for setting in (f"dtype={dtype}", *settings) for word in ("--set", setting)]
                    name = f"{implementation.replace('/', '-')}-{dtype}"
                    arguments = ("--impl", implementation, "--steps", str(steps), "--dump", name)
                    output, _ = self.call("train", scenario, *arguments, *options)
                    self.assertRegex(output, rf"^loss .* -> .* after {steps} steps\n$")
                    self.expect_same(self.folder / name, steps, limit, f"{scenario} {implementation} {dtype}")

    def expect_same(self, folder, steps, limit, what):
        model = Recomputation(folder)
        before = {name: parameter.copy() for name, parameter in model.parameters.items()}
        losses = [model.loss()]
        for step in range(steps):
            model.step(step)
            losses.append(model.loss())
        worst = 0.0
        for name, expected in model.parameters.items():
            actual = numpy.load(folder / f"final_{name}.npy")
            self.assertEqual(actual.shape, expected.shape, name)
            self.assertEqual(actual.dtype.itemsize, 4 if limit > 1e-6 else 8)
            self.assertGreater(numpy.linalg.norm(expected - before[name]), 0, "nothing was trained")
            worst = max(worst, numpy.linalg.norm(actual - expected) / numpy.linalg.norm(expected))
        print(f"{what}: {steps} steps, largest relative difference {worst:.1e}")
        self.assertLess(worst, limit)
        with open(folder / "loss.csv", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in table], list(range(steps + 1)))
        numpy.testing.assert_allclose([float(row["loss"]) for row in table], losses, rtol=limit)
        self.assertLess(losses[-1], losses[0])

    def test_linear_regression(self):
        self.compare("linreg-300x10", 20)
        self.compare("linreg-3x2", 20, "loss=half_mse", "model.bias=true")

    def test_a_dumped_scenario_runs_from_where_it_lies(self):
        self.write("table.csv", "x,y\n" + "".join(f"{i / 10},{i / 5 + 1}\n" for i in range(20)))
        self.write_json("csv.json", csv_scenario())
        first, _ = self.call("train", "csv.json", "--impl", "hand/naive", "--steps", "3", "--dump", "dumped")
        again, _ = self.call("train", "dumped/scenario.json", "--impl", "hand/naive", "--steps", "3")
        self.assertEqual(first, again)

    def test_perceptron(self):
        self.compare("mlp-10-50-1", 20)

    def test_softmax_in_shuffled_batches(self):
        # Two epochs; the last batch of each is a partial one.
        self.compare("mlp-784-128-10", 14, "rows=100", "batch=16", "width=24")

    def test_smooth_activations(self):
        self.compare("mlp-10-50-1", 20, "model.layers.0.activation=tanh", "batch=300")
        self.compare("mlp-10-50-1", 20, "model.layers.0.activation=sigmoid", "model.layers.1.bias=false")

    def test_a_dumped_scenario_can_be_run_again(self):
        self.call("train", "mlp-10-50-1", "--steps", "3", "--set", "dtype=f64", "--dump", "first")
        self.call("train", "first/scenario.json", "--steps", "3", "--dump", "second")
        for name in ("x", "y", "initial_w0", "final_w0", "final_b1"):
            first = (self.folder / "first" / f"{name}.npy").read_bytes()
            self.assertEqual(first, (self.folder / "second" / f"{name}.npy").read_bytes(), name)

    def test_a_dump_that_cannot_be_written(self):
        self.write("file", "in the way")
        for target in ("file", "file/below"):
            _, errors = self.call("train", "linreg-3x2", "--steps", "1", "--dump", target, status=2)
            self.assertEqual(errors.count("\n"), 1)
            self.assertIn(target, errors)


if __name__ == "__main__":
    unittest.main()
