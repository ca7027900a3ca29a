"""`gdbench explain --check-comparison`: what is unequal between two descriptions, and what is refused."""

import json
import unittest

from program import SOURCE, ProgramTest

EXAMPLES = [str(SOURCE / "examples" / "check-comparison" / name)
            for name in ("numpy_loop.json", "tensorflow_tape.json")]
OPTION = "--check-comparison"


class CheckComparison(ProgramTest):
    def test_the_examples(self):
        words, _ = self.call("explain", OPTION, *EXAMPLES)
        self.assertIn("3200 updates of 32 rows", words)
        self.assertIn("\nNot fair. First, give prediction and target of TensorFlow tape one shape.\n", words)
        self.assertIn("Not fair. First, ", self.call("explain", OPTION, *EXAMPLES, "--html", "-")[0])
        document = json.loads(self.call("explain", OPTION, *EXAMPLES, "--json")[0])
        self.assertEqual(document["verdict"], "unfair")
        self.assertEqual((document["findings"][0]["rule"], document["findings"][0]["side"]), ("broadcast", "b"))

    def test_what_is_refused(self):
        good = self.write_json("good.json", {"name": "good"})
        self.write_json("key.json", {"name": "x", "bach": 32})
        self.write_json("rate.json", {"name": "x", "optimizer": {"learning_rate": "fast"}})
        self.write("torn.json", '{"name": ')
        for arguments, parts in (
            ((OPTION, "key.json", good), ("key.json: /bach: found an unknown key", "did you mean batch?")),
            ((OPTION, good, "rate.json"), ('rate.json: /optimizer/learning_rate: found "fast", expected a positive',)),
            ((OPTION, good, "torn.json"), ("torn.json: line 1",)),
            ((OPTION, good, "nosuch.json"), ("nosuch.json: found no such file",)),
            ((OPTION, good, good), ('good.json: /name: found "good"', "expected another name")),
            ((OPTION, good), (OPTION,)), ((OPTION, good, good, "report.json"), (OPTION,)),
            ((OPTION, good, good, "--a", "x", "--b", "y"), (OPTION,)),
            ((), ("found no report, expected a report or --check-comparison",)),
        ):
            with self.subTest(arguments=arguments):
                self.expect_error(["explain", *arguments], *parts)


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
