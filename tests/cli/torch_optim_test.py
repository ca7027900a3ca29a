"""Random trainings of native strategies against a reference that shares no code with gdbench: PyTorch's modules, its
autograd and torch.optim, in float64."""

import functools
import json
import random
import subprocess
import sys
import unittest

from framework_rows import ENVIRONMENTS, is_installed
from program import CATALOGUE, HAS_JIT, SOURCE, ProgramTest

if not is_installed("pytorch"):
    print("skipped: not installed: scripts/frameworks pytorch")
    sys.exit(77)

CASES = 300
STEPS = 10
LIMIT = 1e-10
OF_MUON = ("hand/naive", "hand/eigen", "tape/eigen", "graph/eigen")
IMPLEMENTATIONS = OF_MUON + ("graph/jit",) * HAS_JIT
# What torch.optim has; of the others it has no decoupled decay. Muon, of deeper networks, has tests of its own.
OPTIMIZERS = [kind for kind in CATALOGUE["optimizers"] if kind not in ("lion", "muon", "schedule_free_sgd")]
DECOUPLED = ("adam", "nadam", "radam")
SCHEDULES = (
    None,
    {"kind": "cosine", "steps": 12, "final_rate": 0.001},
    {"kind": "step", "every": 3, "factor": 0.5, "steps": 60},
)


def layers_of(choose, outputs, fewest):
    layers = [{"width": choose.choice((1, 3, 8, 17, 33)), "activation": choose.choice(list(CATALOGUE["activations"]))}
              for _ in range(fewest + choose.randrange(4 - fewest))]
    layers.append({"width": outputs, "activation": "identity"})
    for layer in layers:
        layer["bias"] = choose.random() < 0.7
        if layer["width"] > 2 and choose.random() < 0.3:
            layer["normalization"] = "layer"
    return layers


def optimizer_of(choose, kind):
    optimizer = {"kind": kind, "learning_rate": 0.02}
    if choose.random() < 0.5:
        optimizer["weight_decay"] = 0.05
        if kind in DECOUPLED:
            optimizer["decoupled_weight_decay"] = choose.random() < 0.5
    schedule = choose.choice(SCHEDULES)
    return optimizer if schedule is None else {**optimizer, "schedule": schedule}


def random_scenario(seed, kind=None):
    """Of each loss and, unless one is given, of each optimizer in turn."""
    choose = random.Random(seed)
    losses = list(CATALOGUE["losses"])
    loss = losses[seed // len(OPTIMIZERS) % len(losses)]
    labels = loss == "softmax_cross_entropy"
    outputs = choose.randint(2, 9) if labels else choose.randint(1, 4)
    kind = kind or OPTIMIZERS[seed % len(OPTIMIZERS)]
    rows = choose.choice((16, 29, 64, 101))
    size = choose.choice((rows, 1, choose.randint(4, rows)))
    parts = choose.randint(1, min(4, size))
    return {
        "name": f"case-{seed}", "dtype": "f64", "loss": loss, "steps": STEPS, "initial_seed": seed,
        "model": {"kind": "multilayer_perceptron", "layers": layers_of(choose, outputs, 2 * (kind == "muon"))},
        "data": {"source": "synthetic", "kind": "blobs" if labels else "teacher", "rows": rows, "outputs": outputs,
                 "features": choose.choice((1, 2, 7, 16, 31)), "noise": 0.3, "seed": seed},
        "batch": {"rows": size, "micro_batches": parts, "seed": seed, "drop_last": seed % 4 == 0},
        "optimizer": optimizer_of(choose, kind),
    }


class AgainstTorch(ProgramTest):
    def dump(self, seed, offered=IMPLEMENTATIONS, kind=None):
        scenario = self.write_json(f"case-{seed}.json", random_scenario(seed, kind))
        return self.trained(scenario, offered[seed % len(offered)], STEPS, f"dump-{seed}")

    def trained(self, scenario, implementation, steps, folder, *settings):
        self.call("train", scenario, "--impl", implementation, "--steps", str(steps), "--dump", folder, *settings)
        return folder

    def differences(self, folders):
        python = ENVIRONMENTS / "pytorch" / "bin" / "python"
        command = [python, SOURCE / "tests" / "cli" / "torch_trainings.py", *folders]
        output = subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        return [float(line) for line in output.splitlines()]

    def test_random_trainings_end_where_torch_ends(self):
        found = self.differences([self.dump(seed) for seed in range(CASES)])
        self.assertEqual(len(found), CASES)
        print(f"{CASES} trainings, largest relative difference {max(found):.1e}")
        for seed, difference in enumerate(found):
            with self.subTest(implementation=IMPLEMENTATIONS[seed % len(IMPLEMENTATIONS)], **random_scenario(seed)):
                self.assertLess(difference, LIMIT)

    def test_muon_is_torch_s_without_its_casts(self):
        trained = functools.partial(self.trained, "mlp-10-48-64-32-1")
        folders = [trained(name, 20, name.replace("/", "-"), "--set", "dtype=f64") for name in ("loop/plain", *OF_MUON)]
        for folder, difference in zip(folders, self.differences(folders)):
            self.assertLess(difference, 1e-12, folder)
        scenario = self.read_json(f"{folders[0]}/scenario.json")
        scenario["optimizer"]["adamw_rate_factor"] *= 0.999
        self.write(f"{folders[0]}/scenario.json", json.dumps(scenario))
        self.assertGreater(self.differences(folders[:1])[0], 1e-10)

    def test_random_trainings_by_muon_end_where_torch_ends(self):
        found = self.differences([self.dump(seed, OF_MUON, "muon") for seed in range(30)])
        for seed, difference in enumerate(found):
            with self.subTest(implementation=OF_MUON[seed % len(OF_MUON)], **random_scenario(seed, "muon")):
                self.assertLess(difference, LIMIT)

    def test_another_constant_is_seen(self):
        keys = {"momentum": "momentum", "rmsprop": "rho", "adam": "beta2", "nadam": "momentum_decay"}
        for kind, key in keys.items():
            folder = self.dump(OPTIMIZERS.index(kind))
            scenario = self.read_json(f"{folder}/scenario.json")
            scenario["optimizer"][key] *= 0.999
            self.write(f"{folder}/scenario.json", json.dumps(scenario))
            self.assertGreater(self.differences([folder])[0], LIMIT, kind)


if __name__ == "__main__":
    unittest.main()
