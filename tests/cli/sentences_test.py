"""Every figure and every claim that gdbench prints of a report follows from the report's samples. Reports are random, a
fixed seed apart: GDBENCH_RANDOM_REPORTS says how many (default 40), GDBENCH_RANDOM_SEED the first one's seed."""

import functools
import json
import unittest

import comparison_checker
import sentence_checker
from checked_outputs import FIRST_SEED, REPORTS, UNBROKEN, CheckedOutputs, kinds_of_lies
from random_reports import later_report, random_report
from report_figures import Report

LYING_REPORTS = 8


class Sentences(CheckedOutputs):
    def outputs(self, seed, document):
        """(output, its checker) of one random report: of its document and first screen, then of its CSV and JSON."""
        report, name = Report(document), f"{seed}.json"
        self.write_json(name, document)
        self.render("report", name, "--document", "document", "--csv", "csv", "--json", "json")
        said, table, values = ((self.folder / file).read_text(encoding="utf-8") for file in ("document", "csv", "json"))
        proof = sentence_checker.Proof(report, json.loads(values).get("attribution", {}).get("fits", ()))
        yield sentence_checker.read_parts(said), proof.check_document
        yield self.render("report", name, width=UNBROKEN), functools.partial(proof.check_screen, json.loads(said))
        yield table, functools.partial(sentence_checker.check_csv, report)
        yield values, functools.partial(sentence_checker.check_json, report)

    def test_no_sentence_of_random_reports_lies_and_no_lie_gets_past_the_checker(self):
        for seed in range(FIRST_SEED, FIRST_SEED + REPORTS):
            report = random_report(seed)
            known = {cell["implementation"] for cell in report["cells"]}
            kinds = kinds_of_lies(known, {scenario["label"] for scenario in report["scenarios"]})
            for number, (output, check) in enumerate(self.outputs(seed, report)):
                with self.subTest(seed=seed, output=number):
                    self.prove(check, output, seed, kinds if seed < FIRST_SEED + LYING_REPORTS and number < 2 else ())

    def comparisons(self, seed):
        """(output, its checker) of `gdbench compare` for two runs, and for the builds of one where there are two."""
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
            yield said, functools.partial(comparison_checker.check_comparison, *reports, margin)

    def test_no_comparison_of_random_reports_lies(self):
        for seed in range(FIRST_SEED, FIRST_SEED + REPORTS // 4):
            for output, check in self.comparisons(seed):
                with self.subTest(seed=seed):
                    self.prove(check, output, seed, kinds_of_lies())


if __name__ == "__main__":
    unittest.main()
