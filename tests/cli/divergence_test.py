"""A training that diverges is the scenario's fault: one line names the key, the losses and the stable rate, the exit
status is 2, and no implementation is timed, ranked or blamed."""

import json
import re

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
        self.write("table.csv", "x,y\n" + "".join(f"{value},{5 * value + 3}\n" for value in range(0, 101, 2)))
        scenario = csv_scenario()
        scenario.update({"name": "raw", "dtype": "f64", "model": {"kind": "linear_regression", "bias": True}})
        scenario["optimizer"] = {"learning_rate": 0.0004}
        self.write_json("raw.json", scenario)

    def expect_refused(self, *arguments):
        output, errors = self.call(*arguments, status=2)
        lines = [line for line in errors.splitlines() if line.startswith("gdbench: ")]
        self.assertEqual(len(lines), 1, errors)
        found = LINE.match(lines[0])
        self.assertTrue(found, lines[0])
        self.assertEqual(found[1], "0.000297", "2 / the larger eigenvalue of 2 / n X'X")
        self.assertNotRegex(output + errors, r"untrusted|wins|fastest|[0-9] ns|--resume")

    def test_every_command_says_it(self):
        self.expect_refused("run", "--scenario", "./raw.json", *PAIR, "--launches", "1", "--out", "out.json")
        self.assertEqual([cell["samples"] for cell in self.read_json("out.json")["cells"]], [[]] * 3)
        sides = {side: {"implementation": name} for side, name in (("a", "hand/eigen"), ("b", "loop/plain"))}
        axes = {"scenario": ["./raw.json"], "implementation": ["hand/eigen", "loop/plain"]}
        relation = {"kind": "ratio", "quantity": "step", "at_most": 0.9, "points": "all", **sides}
        self.write_json("mine.json", {
            "id": "mine", "sentence": "One is faster.", "source": "me", "purpose": "To be refused.",
            "experiments": [{"matrix": {"axes": axes}, "relations": [relation]}],
        })
        for words in (
            f"verify --scenario ./raw.json {' '.join(PAIR)}",
            "crossover raw.json --a hand/eigen --b loop/plain --axis steps", "ablate raw.json --impl graph/eigen",
            "profile raw.json --impl hand/eigen", "claims run mine.json --out claims.json",
        ):
            with self.subTest(words=words):
                self.expect_refused(*words.split())
        # A training shows its losses, too.
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

    def test_steps_in_which_nothing_has_grown_are_timed(self):
        """Longer blocks have a reduced rate."""
        self.call("run", "--scenario", "./raw.json", *PAIR, "--launches", "1", "--set", "steps=2", "--out", "out.json")
        self.assertEqual({cell["status"]["state"] for cell in self.read_json("out.json")["cells"]}, {"ok"})
        self.assertIn('"reduced_learning_rate": true', json.dumps(self.read_json("out.json")))
