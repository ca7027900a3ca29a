"""Libraries for automatic differentiation: what is offered without them, what a tape may take, and where it lies."""

import re

from program import FAKES, ProgramTest, linear_scenario, options

OWN = FAKES + "/own"
IDS = ["adolc/retape", "adolc/replay", "sacado/rad", "stan/scalar", "stan/matrix", "casadi/graph", "casadi/generated"]


def network(rows, width):
    return linear_scenario(
        model={
            "kind": "multilayer_perceptron",
            "layers": [{"width": width, "activation": "relu"}, {"width": 1, "activation": "identity"}],
        },
        data={"source": "synthetic", "kind": "teacher", "rows": rows, "features": width}, dtype="f64",
    )


class Autodiff(ProgramTest):
    def rows(self, scenario, implementations, *arguments, status=None):
        """Implementation -> the rest of its row."""
        self.write_json("mine.json", scenario)
        chosen = ("--scenario", "./mine.json", *options("--impl", implementations), *arguments)
        output, _ = self.call("verify", *chosen, plugins=OWN, status=status)
        return dict(re.findall(r"^  (\S+/\S+) +(.+)$", output, re.MULTILINE))

    def test_each_is_right_or_says_what_to_install(self):
        rows = self.rows(network(30, 20), IDS)
        self.assertEqual(sorted(rows), sorted(IDS))
        for name, row in rows.items():
            library = name.split("/")[0]
            package = rf"(apt-get install lib\S*{library}-dev|scripts/frameworks {library})"
            self.assertRegex(row, rf"^(ok .*|unsupported +not installed: {package}, then build)$", name)

    def test_a_header_that_somebody_brings_along(self):
        for dtype in ("f32", "f64"):
            self.assertRegex(self.rows(linear_scenario(), ["own/*"], "--set", f"dtype={dtype}")["own/tape"], "^ok ")
        profile, _ = self.call("profile", "./mine.json", "--impl", "own/tape", plugins=OWN)
        for phase in ("record the loss", "gradient", "update"):
            self.assertRegex(profile, rf"(?m)^ .* {phase} .* \d", profile)
        # It takes part, as the libraries do, where a glob names it.
        output, _ = self.call("run", "--scenario", "./mine.json", "--dry-run", plugins=OWN)
        self.assertIn("mine/hand/naive", output)
        self.assertNotRegex(output, "adolc/|own/")

    def test_a_tape_beyond_the_limit_is_refused(self):
        rows = self.rows(network(25, 1000), ["own/*", "adolc/*", "sacado/*", "stan/scalar"], status=4)
        refused = r"^unsupported +(a step would record about \d{4} MB of tape; the limit is 1000 MB|not installed: .*)$"
        self.assertEqual(len(rows), 5)
        for name, row in rows.items():
            self.assertRegex(row, refused, name)

    def test_tapes_lie_in_memory_alone(self):
        # Six times what the buffers hold that ADOL-C has unless it is told.
        for row in self.rows(network(20, 280), ["adolc/*"]).values():
            self.assertRegex(row, "^(ok |unsupported +not installed)")
        self.assertEqual(self.files(), ["mine.json"])
