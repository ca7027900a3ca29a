"""Every figure and every claim of `gdbench crossover` and `gdbench ablate` follows from the samples of the report that
they write. They measure, so these are a few short runs whose outcome is left open; what they say of it is not."""

import functools
import json
import re
import unittest

import lies
import search_checker
from checked_outputs import CheckedOutputs, kinds_of_lies
from program import FAKES
from report_figures import Report
from search_checker import Ablation, Sizes, Steps

SCENARIO = "linreg-3x2"
DELAY = {"impl.delay_ns": "20000"}  # a step of anything else takes less
SIZES = (  # a, b, margin, settings, arguments
    ("hand/naive", "hand/eigen", 0.01, {}, ("--to", "12", "--launches", "3", "--budget", "0.1s")),
    ("hand/naive", "graph/eigen", 1.0, {}, ("--to", "30", "--launches", "8", "--budget", "1s")),
    ("fake/delay", "hand/naive", 0.01, DELAY, ("--to", "4", "--launches", "8")),
)
STEPS = (
    ("graph/eigen", "hand/eigen", 0.01, {}, ("--launches", "3")),
    ("fake/delay", "hand/naive", 0.02, DELAY, ("--launches", "6")),
)
ABLATIONS = (  # implementation, option, settings, launches
    ("graph/naive", "passes", {}, "2"),
    ("graph/naive", "passes", {"impl.passes": "none,+dead-code,+algebra"}, "4"),
    ("fake/switches", "parts", {}, "8"),
)


def sets(settings):
    return [text for key, value in settings.items() for text in ("--set", f"{key}={value}")]


class Searches(CheckedOutputs):
    def measured(self, *arguments):
        """(report, output) of a run; its exit status says what it found."""
        output, errors = self.call(*arguments, "--json", "--out", "x.json", "--overwrite", plugins=FAKES, status=None)
        self.assertIn("report: x.json\n", errors)
        return Report(self.read_json("x.json")), output

    def check(self, search, output, known):
        """The output, and lies about it, and about the names that it compares."""
        output = re.sub(r'(?<="budget_seconds": )[\d.]+', "0", output)  # which no report holds
        check = functools.partial(search_checker.check, search)
        self.prove(check, output, 0, (*kinds_of_lies(known), lies.counts), with_values=True)

    def check_crossovers(self, axis, cases, search):
        """`search`: what the report says of a, b and a margin, and of the label of a scenario with settings."""
        for a, b, margin, settings, arguments in cases:
            label = SCENARIO + "".join(f"[{key}={value}]" for key, value in settings.items())
            options = ("--a", a, "--b", b, "--axis", *axis, "--margin", str(margin), *sets(settings))
            with self.subTest(a=a, axis=axis):
                report, output = self.measured("crossover", SCENARIO, *options, *arguments)
                self.check(search(report, label, a, b, margin), output, {a, b})

    def test_no_sentence_about_sizes_lies(self):
        self.check_crossovers(("rows", "--from", "3"), SIZES, Sizes)

    def test_no_sentence_about_steps_lies(self):
        steps = lambda report, _, *of: Steps(report, *of)
        self.check_crossovers(("steps",), STEPS, steps)

    @staticmethod
    def words_of(listed, implementation, option):
        """Name of a part -> what it does."""
        options = next(entry["options"] for entry in listed if entry["name"] == implementation)
        lines = next(entry["description"] for entry in options if entry["key"] == option).split("\n")[1:]
        return dict(line.split(": ", 1) for line in lines)

    def test_no_sentence_about_parts_lies(self):
        listed = json.loads(self.call("list", "implementations", "--json", plugins=FAKES)[0])["implementations"]
        for implementation, option, settings, launches in ABLATIONS:
            words = self.words_of(listed, implementation, option)
            asked = ("ablate", SCENARIO, "--impl", implementation, *sets(settings), "--launches", launches)
            with self.subTest(implementation=implementation, settings=settings):
                report, output = self.measured(*asked)
                fired = {variant.get("without"): variant.get("fired") for variant in json.loads(output)["variants"]}
                ablation = Ablation(report, option, words, fired)
                self.check(ablation, output, {ablation.without(cell) for cell in report.cells} - {None})


if __name__ == "__main__":
    unittest.main()
