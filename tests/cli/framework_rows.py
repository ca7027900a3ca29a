"""Rows of frameworks: which are installed, scenarios for them, and what a verification says of them."""

import importlib
import itertools
import subprocess
import sys
import unittest

from program import CATALOGUE, FRAMEWORKS, SOURCE, ProgramTest, options

ENVIRONMENTS = SOURCE / "build" / "frameworks"
MISSING = "not installed: scripts/frameworks "


def is_installed(framework):
    return (ENVIRONMENTS / framework / "requirements.txt").exists()


def importable(*modules):
    command = ["/usr/bin/python3", "-c", "import " + ", ".join(modules)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def has(implementation):
    framework = implementation.split("/", maxsplit=1)[0]
    return framework == "loop" or is_installed(framework) or framework == "numpy" and importable("numpy")


def network(activation, loss, outputs, **keys):
    layers = [{"width": 7, "activation": activation}, {"width": outputs, "activation": "identity", "bias": False}]
    kind = "blobs" if loss == "softmax_cross_entropy" else "teacher"
    return {
        "name": "net", "model": {"kind": "multilayer_perceptron", "layers": layers}, "loss": loss,
        "data": {"source": "synthetic", "kind": kind, "rows": 50, "features": 5, "outputs": outputs, "seed": 3},
        "batch": {"rows": 16, "shuffle": True, "seed": 2}, "optimizer": {"kind": "sgd", "learning_rate": 0.05}, **keys,
    }


class Frameworks(ProgramTest):
    def verify(self, *arguments, status=0):
        """Its rows."""
        output, _ = self.call("verify", *arguments, status=status)
        return [line.strip() for line in output.splitlines() if "/" in line]

    def verify_net(self, scenario, *implementations, status=0):
        """Its rows of a scenario of one's own."""
        self.write_json("net.json", scenario)
        return self.verify("--scenario", "./net.json", *options("--impl", implementations), status=status)

    def assert_all_ok(self, rows, count):
        self.assertEqual([row for row in rows if " ok " not in row], [])
        self.assertEqual(len(rows), count)

    def assert_net_ok(self, count, implementations, *keys, **settings):
        """Of a network with these settings, which `network` has."""
        self.assert_all_ok(self.verify_net(network(*keys, **settings), *implementations), count)

    def assert_nets_ok(self, count, implementations, activations, **settings):
        """With each activation and each loss."""
        for activation, loss in zip(activations, itertools.cycle(CATALOGUE["losses"])):
            outputs = 4 if CATALOGUE["losses"][loss]["takes_labels"] else 2
            self.assert_net_ok(count, implementations, activation, loss, outputs, **settings)


class Installed(Frameworks):
    """Those of scripts/frameworks."""

    variables = {"GDBENCH_FRAMEWORKS": str(ENVIRONMENTS)}


class Modules(unittest.TestCase):
    """Tests of what frameworks share, without one."""

    def setUp(self):
        self.addCleanup(setattr, sys, "path", list(sys.path))
        sys.path.insert(0, str(FRAMEWORKS))

    def module(self, name):
        return importlib.import_module(name)
