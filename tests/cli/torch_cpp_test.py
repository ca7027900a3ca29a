"""LibTorch as C++ calls it, where scripts/frameworks has made it."""

import os
import unittest

from framework_rows import MISSING, Frameworks, network
from program import CATALOGUE, FRAMEWORKS

TORCH_CPP = FRAMEWORKS.parent / "kernels" / "libgdbench_kernels_torch_cpp.so"


@unittest.skipIf(TORCH_CPP.exists(), "it is installed")
class TorchCppNotInstalled(Frameworks):
    def test_rows_say_what_to_install(self):
        rows = self.verify("--scenario", "linreg-3x2", "--impl", "torch-cpp/*", status=4)
        self.assertEqual([row.split(None, 2) for row in rows],
                         [[f"torch-cpp/{mode}", "unsupported", MISSING + "torch-cpp"] for mode in ("eager", "fused")])


@unittest.skipUnless(TORCH_CPP.exists(), MISSING + "torch-cpp")
class TorchCpp(Frameworks):
    IMPLEMENTATIONS = ("--impl", "torch-cpp/*")

    def test_nobody_meets_it_unasked(self):
        self.assertNotIn("torch-cpp/", self.call("run", "--dry-run")[0])

    def test_every_optimizer(self):
        schedule = {"kind": "cosine", "steps": 20, "final_rate": 0.001}
        for kind in ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"):
            optimizer = {"kind": kind, "learning_rate": 0.01, "weight_decay": 0.01, "schedule": schedule}
            self.assert_net_ok(2, self.IMPLEMENTATIONS, "tanh", "softmax_cross_entropy", 3, optimizer=optimizer,
                               dtype="f64")

    def test_what_it_does_not_have_is_a_reason(self):
        optimizer = {"kind": "adam", "learning_rate": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}
        self.write_json("net.json", network("relu", "mse", 1, optimizer=optimizer))
        for row in self.verify("--scenario", "./net.json", *self.IMPLEMENTATIONS, status=4):
            self.assertRegex(row, "unsupported +torch::optim has no decoupled weight decay for adam")

    def test_activations_and_losses(self):
        self.assert_nets_ok(2, self.IMPLEMENTATIONS, CATALOGUE["activations"])

    def test_the_other_tasks(self):
        for scenario in ("update-601", "mlp-64-64-8-gradients"):
            self.assert_all_ok(self.verify("--scenario", scenario, *self.IMPLEMENTATIONS), 2)
        self.call("run", "floor", *self.IMPLEMENTATIONS, "--quick", "--out", "r.json")
        states = [cell["status"]["state"] for cell in self.cells_of(self.read_json("r.json"))]
        self.assertEqual(states, ["ok", "ok"])

    def test_a_run_tells_phases(self):
        threads = str(min(2, len(os.sched_getaffinity(0))))
        self.call("run", "--scenario", "mlp-784-128-10", "--impl", "torch-cpp/eager", "--threads", threads, "--quick",
                  "--out", "r.json")
        (cell,) = self.cells_of(self.read_json("r.json"))
        phases = {record["phase"] for record in cell["profile"]["records"]}
        self.assertEqual(phases, {"data", "forward", "backward", "update"})
        self.assertIn("libtorch 2.", cell["build"])


if __name__ == "__main__":
    unittest.main()
