"""A training that diverges is the scenario's fault: one line names the key, the losses and the stable rate, the exit
status is 2, and no implementation is timed, ranked or blamed."""

import json
import re
import unittest

from program import ProgramTest, csv_scenario

PAIR = ("--impl", "hand/eigen", "--impl", "loop/plain")
LINE = re.compile(
    r"gdbench: (?:\./)?raw\.json: /optimizer/learning_rate: found 0\.0004, at which training diverges: its loss grows "
    r"from \S+e\+04 to \S+ in 100 steps; expected less than (\S+), the largest stable rate, which is 1 for "
    r"standardised features \(/standardise/features\)"
)


class Divergence(ProgramTest):
    def setUp(self):
        super().setUp()
        # y = 5 x + 3, x from 0 to 100 as it is.
        x = [2 * i for i in range(51)]
        self.write("table.csv", "x,y\n" + "".join(f"{value},{5 * value + 3}\n" for value in x))
        scenario = csv_scenario()
        scenario.update({"name": "raw", "dtype": "f64", "model": {"kind": "linear_regression", "bias": True}})
        scenario["optimizer"] = {"learning_rate": 0.0004}
        self.write_json("raw.json", scenario)
        # The larger eigenvalue of 2 / n X'X.
        a, b, d = (2 / len(x) * sum(value**power for value in x) for power in (2, 1, 0))
        self.stable = 2 / ((a + d) / 2 + (((a - d) / 2) ** 2 + b**2) ** 0.5)

    def expect_refused(self, *arguments):
        output, errors = self.call(*arguments, status=2)
        lines = [line for line in errors.splitlines() if line.startswith("gdbench: ")]
        self.assertEqual(len(lines), 1, errors)
        found = LINE.match(lines[0])
        self.assertTrue(found, lines[0])
        self.assertEqual(found.group(1), f"{self.stable:.4g}")
        self.assertNotRegex(output + errors, r"untrusted|wins|fastest|[0-9] ns|--resume")

    def test_every_command_says_it(self):
        self.expect_refused("run", "--scenario", "./raw.json", *PAIR, "--launches", "1", "--out", "out.json")
        self.assertEqual([cell["samples"] for cell in self.read_json("out.json")["cells"]], [[]] * 3)
        self.expect_refused("verify", "--scenario", "./raw.json", *PAIR)
        sides = ("--a", "hand/eigen", "--b", "loop/plain")
        self.expect_refused("crossover", "raw.json", *sides, "--axis", "steps")
        self.expect_refused("ablate", "raw.json", "--impl", "graph/eigen")
        self.expect_refused("profile", "raw.json", "--impl", "hand/eigen")
        claim = {"id": "mine", "sentence": "One is faster.", "source": "me", "purpose": "To be refused."}
        axes = {"scenario": ["./raw.json"], "implementation": ["hand/eigen", "loop/plain"]}
        relation = {"kind": "ratio", "quantity": "step", "a": {"implementation": "hand/eigen"}}
        relation.update({"b": {"implementation": "loop/plain"}, "at_most": 0.9, "points": "all"})
        claim["experiments"] = [{"matrix": {"axes": axes}, "relations": [relation]}]
        self.write_json("mine.json", claim)
        self.expect_refused("claims", "run", "mine.json", "--out", "claims.json")

    def test_train_shows_the_losses_and_says_it(self):
        output, errors = self.call("train", "raw.json")
        self.assertRegex(output, r"^loss \S+ -> \S+e\+\d\d after 100 steps\n$")
        self.assertRegex(errors, LINE)

    def test_a_stream_names_standardisation(self):
        scenario = self.read_json("raw.json")
        scenario["data"]["source"] = "stream"
        scenario["batch"] = {"rows": 51, "shuffle": False}
        self.write_json("raw.json", scenario)
        _, errors = self.call("verify", "--scenario", "./raw.json", *PAIR, status=2)
        self.assertRegex(errors, r"; expected a smaller one, or features near 1 \(/standardise/features\)")

    def test_what_is_stable_is_timed(self):
        written = ("--out", "out.json", "--overwrite")
        arguments = ("run", "--scenario", "./raw.json", *PAIR, "--launches", "1", *written)
        rate = f"learning_rate={0.99 * self.stable:.6g}"
        self.call(*arguments, "--set", rate)
        self.assertEqual({cell["status"]["state"] for cell in self.read_json("out.json")["cells"]}, {"ok"})
        # Beyond the bound for so few steps that nothing has grown; longer blocks have a reduced rate.
        self.call(*arguments, "--set", "learning_rate=0.0004", "--set", "steps=2")
        self.assertEqual({cell["status"]["state"] for cell in self.read_json("out.json")["cells"]}, {"ok"})
        report = json.dumps(self.read_json("out.json"))
        self.assertIn('"reduced_learning_rate": true', report)


if __name__ == "__main__":
    unittest.main()
