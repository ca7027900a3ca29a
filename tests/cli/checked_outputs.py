"""What the tests of checkers share: outputs must pass, and whatever lie is told in one must be caught."""

import json
import os
import random
import re
import subprocess

import lies
from program import PROGRAM, ProgramTest, environment

REPORTS = int(os.environ.get("GDBENCH_RANDOM_REPORTS", "40"))
FIRST_SEED = int(os.environ.get("GDBENCH_RANDOM_SEED", "0"))
LIES = 5  # of each kind in each output
UNBROKEN = 1_000_000  # a width at which no line is broken


def lines_of(output):
    """(place, line) of the lines in which something is claimed: neither the legend nor what is said of the machine."""
    place = 0
    for line in output.split("\n"):
        if not re.sub(r'^[ "]*(?:text": ")?', "", line).startswith(
            ("title", "New: ", "Base: ", "Left out of", "More: ", "What the columns", "run ", "Abacus", "note: ",
             "- note: ", "warning", "- warning")
        ):
            yield place, line
        place += len(line) + 1


def difference(true, false):
    known = set(true.split("\n"))
    return "\n".join(line for line in false.split("\n") if line not in known)


class CheckedOutputs(ProgramTest):
    def render(self, *arguments, width=100):
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
            env={**environment(), "COLUMNS": str(width)}, stdin=subprocess.DEVNULL,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def expect_none(self, complaints, output):
        if complaints:
            self.fail("\n".join([output, *complaints[:5]]))  # last: of a long message its end is what is read

    def tell_lies(self, check, output, seed, kinds):
        lines = list(lines_of(output))
        for kind in kinds:
            told = list(kind(output, lines))
            for words, lie in random.Random(seed).sample(told, min(LIES, len(told))):
                false = lies.told(output, lie)
                with self.subTest(seed=seed, lie=words):
                    self.assertNotEqual(check(false), [], difference(output, false))

    def tell_json_lies(self, check, output, seed):
        """As many as of all kinds of words together."""
        document = json.loads(output)
        told = list(lies.values(document))
        for words, lie in random.Random(seed).sample(told, min(3 * LIES, len(told))):
            with self.subTest(seed=seed, lie=words):
                self.assertNotEqual(check(lies.told_value(document, lie)), [], words)
