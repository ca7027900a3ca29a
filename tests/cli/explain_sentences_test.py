"""Every figure and every claim of `gdbench explain` follows from the report's samples and profiles. Reports are random,
as those of the sentences of `gdbench report` are."""

import functools
import random
import unittest

import explanation_checker
import lies
from checked_outputs import FIRST_SEED, REPORTS, CheckedOutputs, kinds_of_lies
from explanations import usual_pairs
from random_profiles import with_profiles
from random_reports import random_report
from report_figures import Report

LYING_REPORTS = 6
ASKED = 3  # pairs of cells of each report


def asked_pairs(report, seed):
    """Cells that a person might compare: of one scenario, or of two with one name."""
    cells = [cell for cell in report.everything if cell.is_timed and cell.keeps_to_its_threads]
    name = lambda cell: report.scenarios[cell.scenario]["name"]
    pairs = [(a, b) for a in cells for b in cells if a is not b and name(a) == name(b)]
    return random.Random(seed).sample(pairs, min(ASKED, len(pairs)))


class Explanations(CheckedOutputs):
    def explained(self, seed):
        """(report, pairs of cells, arguments that ask for them)."""
        document = random_report(seed, **({"launches": 8, "gaps": 0.0, "control": None} if seed % 2 else {}))
        if seed % 4 != 3:
            document = with_profiles(document, seed)
        self.write_json("x.json", document)
        report = Report(document)
        if pairs := usual_pairs(report):
            yield report, pairs, ()
        for a, b in asked_pairs(report, seed):
            yield report, [(a, b)], ("--a", a.id, "--b", b.id)

    def test_no_explanation_of_random_reports_lies_and_no_lie_gets_past_the_checker(self):
        for seed in range(FIRST_SEED, FIRST_SEED + REPORTS // 4 + 4):  # in few are calls the cause
            is_lying = seed < FIRST_SEED + LYING_REPORTS
            for report, pairs, arguments in self.explained(seed):
                kinds = (*kinds_of_lies({cell.implementation for cell in report.cells}), lies.counts)
                with self.subTest(seed=seed, arguments=arguments):
                    values = self.render("explain", "x.json", *arguments, "--json")
                    check = functools.partial(explanation_checker.check_explanations, report, pairs)
                    self.prove(check, values, seed, kinds if is_lying else (), with_values=is_lying)


if __name__ == "__main__":
    unittest.main()
