"""Implementations that cheat, or harm others, one way each (tests/fakes/attacks): none is ranked, no rival is hurt."""
import unittest

from program import FAKES, ProgramTest

# What the reason says, whichever of several checks finds it first.
FOUND = {
    "lazy": "a timed block",
    "half": "a timed block",
    "extrapolate": "a timed block",
    "bent5": "a timed block",
    "stretch": "a timed block",
    "moves-start": "a timed block",
    "powers": "twice as many steps take only|a step takes|a timed block",
    "set-state": "outside the clock of a block|a timed block",
    "leaves": "outside the clock of a block|a timed block|and the answer came after",
    "leaves-half": "outside the clock of a block|a timed block|and the answer came after",
    "clock": "and the answer came after|outside the clock|time stamps",
    "comes-between": "and the answer came after|outside the clock|time stamps",
    "child": "process.es. below its own",
    "orphan": "process.es. below its own|threads",
    "timer": "without a request|and the answer came after",
    "flatters": "loss",
    "writes-ahead": "answered request",
    "writes-without-end": "longer than",
    "dies": "exit status 0",
}
# Honest rows of implementations that try to harm others.
HARMLESS = (
    "kill", "data", "pins-siblings", "starves-siblings", "limits-siblings", "halts-siblings", "scribbles-siblings",
    "limits-parents-files", "limits-parents-memory", "starves-parent", "halts-parent", "leaves-holder",
)
HONEST = ("hand/naive", "hand/eigen", "loop/plain")


class Attacks(ProgramTest):
    def run_beside_honest_ones(self, attacks, status):
        selection = [word for name in attacks for word in ("--impl", f"attack/{name}")]
        selection += [word for name in HONEST for word in ("--impl", name)]
        self.call("run", "--scenario", "linreg-300x10", *selection, "--launches", "1", "--out", "x.json", "--overwrite",
                  plugins=FAKES + "/attacks", status=status)
        cells = {cell["id"].split("/", 1)[1]: cell for cell in self.read_json("x.json")["cells"]}
        for name in HONEST:
            self.assertEqual(cells[name]["status"]["state"], "ok", cells[name]["status"])
            self.assertIn("summary", cells[name])
        return cells

    def test_no_cheat_is_ranked(self):
        cells = self.run_beside_honest_ones(FOUND, 3)
        for name, words in FOUND.items():
            status = cells[f"attack/{name}"]["status"]
            self.assertIn(status["state"], ("untrusted", "wrong", "crashed"), f"{name}: {status}")
            self.assertRegex(status["reason"], words, name)
            self.assertNotIn("summary", cells[f"attack/{name}"], name)

    def test_no_rival_is_hurt(self):
        if "signals" not in self.confinement():
            self.skipTest("the kernel has no rules for signals (Linux 6.12 has)")
        cells = self.run_beside_honest_ones(HARMLESS, 0)
        for name in HARMLESS:
            self.assertEqual(cells[f"attack/{name}"]["status"]["state"], "ok", cells[f"attack/{name}"]["status"])

    def confinement(self):
        output, _ = self.call("doctor")
        return next(line for line in output.splitlines() if "confinement" in line)


if __name__ == "__main__":
    unittest.main()
