"""`gdbench explain --check-comparison`: what is unequal between two descriptions, and what is refused."""

import json
import unittest

from program import SOURCE, ProgramTest

EXAMPLES = [str(SOURCE / "examples" / "check-comparison" / name)
            for name in ("numpy_loop.json", "tensorflow_tape.json")]
OPTION = "--check-comparison"


class CheckComparison(ProgramTest):
    def check(self, a, b, *arguments):
        files = [self.write_json(f"{side['name']}.json", side) for side in (a, b)]
        output, errors = self.call("explain", OPTION, *files, *arguments)
        self.assertEqual(errors, "")
        return output

    def refuse(self, arguments, *parts):
        self.expect_error(["explain", *arguments], *parts)

    def test_the_examples(self):
        words, _ = self.call("explain", OPTION, *EXAMPLES)
        self.assertIn("3200 updates of 32 rows", words)
        self.assertIn("\nNot fair. First, give prediction and target of TensorFlow tape one shape.\n", words)
        self.assertIn("Not fair. First, ", self.call("explain", OPTION, *EXAMPLES, "--html", "-")[0])
        document = json.loads(self.call("explain", OPTION, *EXAMPLES, "--json")[0])
        self.assertEqual(document["verdict"], "unfair")
        rules = [finding["rule"] for finding in document["findings"]]
        self.assertEqual(rules[0], "broadcast")
        self.assertLessEqual({"rows_of_a_step", "tracing", "gradient_factor"}, set(rules))
        self.assertEqual(document["findings"][0]["side"], "b")

    def test_the_same_twice_is_fair(self):
        side = {"name": "a", "loss": "mse", "threads": 1}
        output = self.check(side, {**side, "name": "b"})
        self.assertIn("\nFair, as far as both say: 2 points compared.\n", output)

    def test_the_learning_rate_that_makes_losses_equal(self):
        side = {"name": "a", "loss": "mse", "optimizer": {"kind": "sgd", "learning_rate": 0.01}}
        half = {**side, "name": "b", "loss": "half_mse"}
        document = json.loads(self.check(side, half, "--json"))
        (finding,) = document["findings"]
        self.assertEqual((finding["rule"], finding["ratio"]), ("gradient_factor", 2))
        half["optimizer"] = {"kind": "sgd", "learning_rate": finding["learning_rate_for_b"]}
        self.assertIn("\nFair, ", self.check(side, half))

    def test_what_is_refused(self):
        good = self.write_json("good.json", {"name": "good"})
        self.write_json("rate.json", {"name": "x", "optimizer": {"learning_rate": "fast"}})
        self.write_json("key.json", {"name": "x", "bach": 32})
        self.write("torn.json", '{"name": ')
        self.refuse([OPTION, good, "rate.json"],
                    'rate.json: /optimizer/learning_rate: found "fast", expected a positive')
        self.refuse([OPTION, "key.json", good], "key.json: /bach: found an unknown key", "did you mean batch?")
        self.refuse([OPTION, good, "torn.json"], "torn.json: line 1")
        self.refuse([OPTION, good, "nosuch.json"], "nosuch.json: found no such file")
        self.refuse([OPTION, good, good], 'good.json: /name: found "good"', "expected another name")
        self.refuse([OPTION, good], OPTION)
        self.refuse([OPTION, good, good, "report.json"], OPTION)
        self.refuse([OPTION, good, good, "--a", "x", "--b", "y"], OPTION)
        self.refuse([], "found no report, expected a report or --check-comparison")


class Scripts(ProgramTest):
    variables = {"GDBENCH_PYTHON": "/usr/bin/python3"}

    def script(self, name, *lines):
        return self.write(name, "\n".join(["import gdbench", "import numpy as np", *lines, ""]))

    def test_describe_themselves_by_what_they_train(self):
        data = ("x, y, w = np.ones((30, 2)), np.ones((30, 1)), np.zeros((2, 1), 'f4')",)
        self.script("a.py", *data, "gdbench.describe(x, y, x @ w, w, {'kind': 'sgd', 'learning_rate': 0.1},",
                    "                 loss='mse')",
                    "raise SystemExit('trained')")
        self.script("b.py", *data, "gdbench.describe(x, y[:, 0], x @ w, w, {'kind': 'sgd', 'learning_rate': 0.2},",
                    "                 loss='mse', updates=5)")
        output, _ = self.call("explain", OPTION, "a.py", "b.py")
        self.assertIn("prediction (N, 1) less target (N,) is (N, N)", output)
        self.assertIn("learning rate", output)

    def test_that_say_nothing_are_told_what_to_say(self):
        self.script("a.py", "print('loss 0.5')")
        self.script("b.py", "x.missing")
        for name, last in (("a.py", r"exit status 0: loss 0\.5"), ("b.py", r"exit status 1: NameError.*")):
            _, errors = self.call("explain", OPTION, name, EXAMPLES[0], status=2)
            found = rf"found no call of gdbench\.describe before its end \({last}\)"
            self.assertRegex(errors, rf"^gdbench: {name}: {found}, expected one, such as [^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
