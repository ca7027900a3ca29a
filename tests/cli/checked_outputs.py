"""What the tests of checkers share: outputs must pass, and whatever lie is told in one must be caught."""

import functools
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
    """(place, line) of the lines in which something is claimed."""
    place = 0
    for line in output.split("\n"):
        if not re.match(r'[ "]*(?:text": ")?(?:title|New: |Base: |More: )', line):
            yield place, line
        place += len(line) + 1


def kinds_of_lies(*names):
    """Of words and figures, and of names of each kind."""
    return (lies.figures, lies.words, *(functools.partial(lies.names, known=known) for known in names))


class CheckedOutputs(ProgramTest):
    def render(self, *arguments, width=100):
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
            env={**environment(), "COLUMNS": str(width)}, stdin=subprocess.DEVNULL,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def prove(self, check, output, seed, kinds=(), with_values=False):
        """It passes, and lies of these kinds in it do not; as many as of all kinds of words in the values of a JSON."""
        if complaints := check(output):
            self.fail("\n".join([output, *complaints[:5]]))  # last: of a long message its end is what is read
        for kind in kinds:
            told = list(kind(output, list(lines_of(output))))
            for words, lie in random.Random(seed).sample(told, min(LIES, len(told))):
                false = lies.told(output, lie)
                with self.subTest(seed=seed, lie=words):
                    self.assertNotEqual(check(false), [], set(false.split("\n")).difference(output.split("\n")))
        if with_values:
            document = json.loads(output)
            told = list(lies.values(document))
            for words, lie in random.Random(seed).sample(told, min(3 * LIES, len(told))):
                with self.subTest(seed=seed, lie=words):
                    self.assertNotEqual(check(lies.told_value(document, lie)), [], words)
