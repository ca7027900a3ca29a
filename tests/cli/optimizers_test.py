"""`gdbench verify` on optimizers: a right implementation passes everywhere, each classic mistake is rejected, with the
step at which it leaves the reference and by how much."""

import itertools
import re

from program import CATALOGUE, FAKES, ProgramTest, linear_scenario, options

PLUGINS = FAKES + "/optimizers"
RIGHT = "fake/optimizers"

# The third batch of an epoch has 2 of the 10 rows; in parts it is split like the others.
MINI_BATCHES = {"rows": 4, "seed": 5}
DROPPING = {"rows": 4, "seed": 5, "drop_last": True}
PARTS = {"rows": 4, "seed": 5, "micro_batches": 3}

# An epsilon that f32 can tell from none.
OPTIMIZERS = {
    "sgd": {"kind": "sgd", "learning_rate": 0.05},
    "momentum": {"kind": "momentum", "learning_rate": 0.02, "momentum": 0.8},
    "nesterov": {"kind": "nesterov", "learning_rate": 0.02},
    "adagrad": {"kind": "adagrad", "learning_rate": 0.05, "epsilon": 1e-2},
    "rmsprop": {"kind": "rmsprop", "learning_rate": 0.01, "epsilon": 1e-2},
    "adam": {"kind": "adam", "learning_rate": 0.01, "epsilon": 1e-2},
    "adagrad-inside": {"kind": "adagrad", "learning_rate": 0.05, "epsilon": 1e-2, "epsilon_place": "inside"},
    "rmsprop-inside": {"kind": "rmsprop", "learning_rate": 0.01, "epsilon": 1e-2, "epsilon_place": "inside"},
    "adam-hat": {"kind": "adam", "learning_rate": 0.01, "epsilon": 1e-2, "epsilon_place": "hat"},
    "adamw-hat": {"kind": "adamw", "learning_rate": 0.01, "epsilon": 1e-2, "epsilon_place": "hat", "weight_decay": 0.1},
    "adamw": {"kind": "adamw", "learning_rate": 0.01, "weight_decay": 0.1},
    "nadam": {"kind": "nadam", "learning_rate": 0.01, "epsilon": 1e-2, "momentum_decay": 0.1},
    "radam": {"kind": "radam", "learning_rate": 0.01, "epsilon": 1e-1, "weight_decay": 0.1},
    "radam-decoupled": {"kind": "radam", "learning_rate": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True},
    "schedule-free": {"kind": "schedule_free_sgd", "learning_rate": 0.05, "momentum": 0.8, "weight_decay": 0.1},
    "lion": {"kind": "lion", "learning_rate": 0.01, "weight_decay": 0.1},
    "adam-decay": {"kind": "adam", "learning_rate": 0.01, "weight_decay": 0.1},
    "sgd-decoupled": {"kind": "sgd", "learning_rate": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True},
    "step": {"kind": "sgd", "learning_rate": 0.05, "schedule": {"kind": "step", "every": 2, "factor": 0.5}},
    "warm-up": {
        "kind": "schedule_free_sgd", "learning_rate": 0.05, "schedule": {"kind": "constant", "warm_up": 4},
    },
    "cosine": {
        "kind": "adam", "learning_rate": 0.02,
        "schedule": {"kind": "cosine", "steps": 20, "warm_up": 3, "final_rate": 0.001},
    },
}

# Mistake, where it shows, and the first step at which it can.
MISTAKES = [
    ("epsilon-inside-root", "adam", "full", 1), ("epsilon-inside-root", "rmsprop", "full", 1),
    ("epsilon-inside-root", "adagrad", "full", 1), ("epsilon-inside-root", "adam-hat", "full", 1),
    ("epsilon-always-outside", "adam-hat", "full", 1), ("epsilon-always-outside", "adamw-hat", MINI_BATCHES, 1),
    ("epsilon-always-outside", "rmsprop-inside", "full", 1), ("epsilon-always-outside", "adagrad-inside", "full", 1),
    ("no-bias-correction", "adam", "full", 1), ("no-bias-correction", "adamw", MINI_BATCHES, 1),
    ("late-bias-correction", "adam", "full", 2), ("coupled-decay", "adamw", "full", 1),
    ("coupled-decay", "lion", "full", 1), ("decoupled-decay", "adam-decay", "full", 1),
    ("epsilon-inside-root", "nadam", "full", 1), ("late-bias-correction", "nadam", "full", 2),
    ("constant-momentum", "nadam", MINI_BATCHES, 1), ("sign-of-momentum", "lion", 1, 2),
    ("no-rectification", "radam", "full", 1), ("division-after-four", "radam", MINI_BATCHES, 5),
    ("unrectified-without-division", "radam", "full", 1), ("epsilon-inside-root", "radam", "full", 6),
    ("epsilon-always-outside", "radam", "full", 6), ("late-bias-correction", "radam", "full", 2),
    ("decoupled-decay", "radam", "full", 2), ("coupled-decay", "radam-decoupled", "full", 2),
    ("no-bias-correction", "schedule-free", MINI_BATCHES, 1), ("late-bias-correction", "schedule-free", "full", 2),
    ("nesterov-look-ahead", "nesterov", "full", 1), ("dampened-momentum", "momentum", "full", 1),
    ("sum-instead-of-mean", "sgd", "full", 1), ("sum-instead-of-mean", "momentum", MINI_BATCHES, 1),
    ("dropped-last-batch", "sgd", MINI_BATCHES, 3), ("partial-batch-by-full-rows", "sgd", MINI_BATCHES, 3),
    ("kept-last-batch", "sgd", DROPPING, 3),
    ("accumulation-without-division", "sgd", PARTS, 1), ("accumulation-without-weights", "sgd", PARTS, 1),
    ("late-schedule", "step", "full", 3), ("late-schedule", "cosine", MINI_BATCHES, 2),
]


class OptimizersTest(ProgramTest):
    def verify(self, implementation, cases, status):
        """Of scenarios that are called OPTIMIZER-0, OPTIMIZER-1 ...; `cases`: (optimizer, batch)."""
        scenarios = []
        for number, (optimizer, batch) in enumerate(cases):
            scenario = linear_scenario(
                name=f"{optimizer}-{number}", model={"kind": "linear_regression", "bias": True}, batch=batch,
                data={"source": "synthetic", "kind": "linear", "rows": 10, "features": 3, "outputs": 2},
                optimizer=OPTIMIZERS[optimizer],
            )
            scenarios.append(self.write_json(f"{number}.json", scenario))
        settings = options("--set", ("dtype=f32", "dtype=f64"))
        return self.call("verify", *options("--scenario", scenarios), "--impl", implementation, *settings,
                         plugins=PLUGINS, status=status)[0]

    def test_the_right_one_passes_everywhere(self):
        kinds = set(CATALOGUE["optimizers"]) - {"muon"}  # of deeper networks: tests/unit/verify/muon_test.cpp
        self.assertEqual({settings["kind"] for settings in OPTIMIZERS.values()}, kinds)
        self.assertEqual({OPTIMIZERS[optimizer]["kind"] for _, optimizer, _, _ in MISTAKES}, kinds)
        cases = list(itertools.product(OPTIMIZERS, ("full", 1, MINI_BATCHES, DROPPING, PARTS)))
        count = 2 * len(cases)
        self.assertIn(f"\n{count} cells: {count} ok\n", self.verify(RIGHT, cases, 0))

    def test_each_mistake_is_rejected_where_it_begins(self):
        for mistake in {mistake for mistake, *_ in MISTAKES}:
            own = [case for name, *case in MISTAKES if name == mistake]
            output = self.verify("fake/" + mistake, [(optimizer, batch) for optimizer, batch, _ in own], 3)
            for number, (optimizer, _, step) in enumerate(own):
                for dtype in ("f32", "f64"):
                    with self.subTest(mistake=mistake, optimizer=optimizer, dtype=dtype):
                        cell = output.partition(f"\n{optimizer}-{number}[dtype={dtype}]\n")[2].partition("\n\n")[0]
                        self.assertRegex(cell, rf"leaves the reference at step {step}: .* off by \S+, .* of its norm")

    def test_brief_tells_cell_by_cell_only_what_is_wrong(self):
        batch = {"source": "synthetic", "kind": "linear", "rows": 10, "features": 3}
        self.write_json("scenario.json", linear_scenario(data=batch, optimizer=OPTIMIZERS["adam"], dtype="f64"))
        selection = ("--scenario", "scenario.json", "--impl", "fake/*-bias-correction", "--impl", RIGHT)
        output, _ = self.call("verify", *selection, "--brief", plugins=PLUGINS, status=3)
        self.assertRegex(output, r"(?m)^  mine +1 ok, 2 wrong +fake/")
        self.assertEqual(len(re.findall(r"(?m)^  fake/\S+ +wrong +leaves the reference", output)), 2, output)
        self.assertNotRegex(output, "fake/optimizers +ok")

    def test_a_mistake_that_cannot_show_is_not_seen(self):
        # Otherwise the test above could be passed by rejecting everything.
        self.verify("fake/no-bias-correction", [("sgd", "full")], 0)
        self.verify("fake/accumulation-without-weights", [("sgd", MINI_BATCHES)], 0)
