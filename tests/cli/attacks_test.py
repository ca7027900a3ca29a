"""Implementations that cheat, or harm others, one way each (tests/fakes/attacks): none is ranked, no rival is hurt."""
import re
import sys

from program import FAKES, SOURCE, ProgramTest, options

# What the reason says, whichever of several checks finds it first.
BLOCK = "a timed block|a step takes|twice as many steps take only|that a block took"
OUTSIDE = "outside the clock of a block|a timed block|and the answer came after"
CLOCK = "and the answer came after|outside the clock|time stamps|answers a request of no step"
FOUND = {
    "lazy": BLOCK, "half": BLOCK, "warm-up": BLOCK, "extrapolate": BLOCK, "bent3": BLOCK, "bent5": BLOCK,
    "stretch": BLOCK, "watches": BLOCK, "moves-start": BLOCK, "powers": BLOCK, "set-state": OUTSIDE, "leaves": OUTSIDE,
    "leaves-half": OUTSIDE, "device": OUTSIDE, "clock": CLOCK, "overhead": CLOCK, "overhead-behind": CLOCK,
    "comes-between": CLOCK, "child": "process.es. below its own", "orphan": "process.es. below its own|threads",
    "helper": "process.es. below its own|threads", "timer": "without a request|and the answer came after",
    "flatters": "loss", "writes-ahead": "answered request", "writes-escapes": "not a JSON object",
    "writes-without-end": "longer than", "dies": "exit status 0",
}
# Honest rows of implementations that try to harm others.
HARMLESS = (
    *("kill", "data", "starts-process", "shrinks", "by-guest", "brother", "uses-segments", "leaves-holder"),
    *("pins-siblings", "starves-siblings", "limits-siblings", "halts-siblings", "scribbles-siblings"),
    *("limits-parents-files", "limits-parents-memory", "starves-parent", "halts-parent"),
)
HONEST = ("hand/naive", "hand/eigen", "loop/plain")
# Adapters that cheat, and what is said of them.
ADAPTERS = {
    "leaves": OUTSIDE, "early": OUTSIDE, "shifted": "time stamps", "nan": "found .NaN", "cries": "exit status 3"
}


class Attacks(ProgramTest):
    def run_beside_honest_ones(self, attacks, status, honest=HONEST, plugins=FAKES + "/attacks",
                               scenario="linreg-300x10"):
        selection = options("--impl", (*attacks, *honest))
        self.call("run", "--scenario", scenario, *selection, "--launches", "1", "--out", "x.json", "--overwrite",
                  "--memory-cap", "0.5", plugins=plugins, status=None)
        cells = {cell["id"].split("/", 1)[1]: cell for cell in self.read_json("x.json")["cells"]}
        said = {name: cell["status"] for name, cell in cells.items() if cell["status"]["state"] != "ok"}
        for name in honest:
            self.assertIn("summary", cells[name], said)
            self.assertNotIn(name, said)
        self.assertEqual(status, 3 if said else 0, said)
        return cells

    def assert_found(self, cells, name, words):
        status = cells[name]["status"]
        self.assertIn(status["state"], ("untrusted", "wrong", "crashed", "timed out"), f"{name}: {status}")
        self.assertRegex(status["reason"], words, name)
        self.assertNotIn("summary", cells[name], name)

    def test_no_cheat_is_ranked(self):
        cells = self.run_beside_honest_ones([f"attack/{name}" for name in FOUND], 3)
        for name, words in FOUND.items():
            self.assert_found(cells, f"attack/{name}", words)

    def test_no_training_to_a_target_is_cut_short(self):
        cells = self.run_beside_honest_ones(["attack/hurries"], 3, ["hand/naive"], scenario="linreg-300x10-target")
        self.assert_found(cells, "attack/hurries", "in its training to the target, after 0 steps")

    def test_memory_that_is_mapped_nowhere_is_counted(self):
        cells = self.run_beside_honest_ones(["attack/hoards"], 3, ["hand/naive"])
        self.assert_found(cells, "attack/hoards", "of memory, the cap is 512 MiB")

    def test_no_rival_is_hurt(self):
        if not re.search("confinement.*signals", self.call("doctor")[0]):
            self.skipTest("the kernel has no rules for signals (Linux 6.12 has)")
        self.run_beside_honest_ones([f"attack/{name}" for name in HARMLESS], 0)

    def test_no_adapter_that_cheats_is_ranked(self):
        script = SOURCE / "tests" / "fakes" / "attacks" / "adapters" / "attack.py"
        for way in ADAPTERS:
            self.write_json(f"{way}.adapter.json", {"command": [sys.executable, str(script), way]})
        names = [f"attack/adapter-{way}" for way in ADAPTERS]
        cells = self.run_beside_honest_ones(names, 3, ["hand/naive"], str(self.folder), "linreg-3x2")
        for way, words in ADAPTERS.items():
            self.assert_found(cells, f"attack/adapter-{way}", words)
