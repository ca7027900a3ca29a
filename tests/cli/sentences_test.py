"""Every figure and every claim that gdbench prints of a report follows from the report's samples. Reports are random, a
fixed seed apart: GDBENCH_RANDOM_REPORTS says how many (default 40), GDBENCH_RANDOM_SEED the first one's seed."""

import functools
import json
import unittest

import comparison_checker
import lies
import sentence_checker
from checked_outputs import FIRST_SEED, REPORTS, UNBROKEN, CheckedOutputs
from random_reports import later_report, random_report
from report_figures import Report

LYING_REPORTS = 8


class Sentences(CheckedOutputs):
    def outputs(self, seed):
        """(kind, output, its checker) of one random report."""
        document, name = random_report(seed), f"{seed}.json"
        report = Report(document)
        proof = sentence_checker.Proof(report)
        self.write_json(name, document)
        files = ("--document", "document", "--csv", "csv", "--json", "json")
        screen = self.render("report", name, *files, width=UNBROKEN)
        document, table, values = ((self.folder / file).read_text(encoding="utf-8") for file in files[1::2])
        yield "document", sentence_checker.read_parts(document), proof.check_document
        yield "first screen", screen, proof.check_console
        yield "CSV", table, functools.partial(sentence_checker.check_csv, report)
        yield "JSON", values, functools.partial(sentence_checker.check_json, report)

    def test_no_sentence_of_random_reports_lies_and_no_lie_gets_past_the_checker(self):
        for seed in range(FIRST_SEED, FIRST_SEED + REPORTS):
            report = random_report(seed)
            known = {cell["implementation"] for cell in report["cells"]}
            labels = {scenario["label"] for scenario in report["scenarios"]}
            names = [functools.partial(lies.names, known=of) for of in (known, labels)]
            for kind, output, check in self.outputs(seed):
                with self.subTest(seed=seed, kind=kind):
                    self.expect_none(check(output), output)
                if seed < FIRST_SEED + LYING_REPORTS and kind not in ("CSV", "JSON"):
                    self.tell_lies(check, output, seed, (lies.figures, lies.words, *names))

    def comparisons(self, seed):
        """(its checker, output) of `gdbench compare` for two runs, and for the builds of one where there are two."""
        settings = {"kind": "few", "launches": 12, "scatter": 0.002, "gaps": 0.0, "profiled": 0} if seed % 2 else {}
        document = random_report(seed, **settings)
        later = later_report(document, seed)
        self.write_json("base.json", document)
        self.write_json("later.json", later)
        base = Report(document)
        checks = [(("base.json", "later.json"), 0.03, (base, Report(later)))]
        if {"new", "base"} <= {cell["arm"] for cell in document["cells"]}:
            checks.append((("base.json",), 0.01, (base, base)))
        for names, margin, reports in checks:
            output, _ = self.call("compare", *names, "--json", status=None)
            said = json.dumps({"document": json.loads(output)["document"]}, indent=1)
            yield functools.partial(comparison_checker.check_comparison, *reports, margin), said

    def test_no_comparison_of_random_reports_lies(self):
        for seed in range(FIRST_SEED, FIRST_SEED + REPORTS // 4):
            for check, output in self.comparisons(seed):
                with self.subTest(seed=seed):
                    self.expect_none(check(output), output)
                self.tell_lies(check, output, seed, (lies.figures, lies.words))


if __name__ == "__main__":
    unittest.main()
