"""Every figure and every verdict of `gdbench claims` follows from the report's samples. Reports are random, and so are
the claims; the report's scenarios are those of a run, for a claim names scenarios and a report has their identities."""

import functools
import json
import unittest

import claim_checker
import lies
from checked_outputs import FIRST_SEED, REPORTS, CheckedOutputs, kinds_of_lies
from claim_cells import Cells
from claim_judgements import Judgement
from random_claims import DTYPES, ROWS, random_claims
from random_reports import random_report
from report_figures import Report

SCENARIO = "linreg-300x10-target"
CLAIMS = 6
LYING_REPORTS = 4


class Claims(CheckedOutputs):
    def real_scenarios(self):
        """Records of the scenario with every number of rows and type."""
        settings = [f"rows={rows}" for rows in ROWS] + [f"dtype={dtype}" for dtype in DTYPES]
        sets = [argument for setting in settings for argument in ("--set", setting)]
        verified = self.render("verify", "--scenario", SCENARIO, *sets, "--impl", "hand/naive", "--json")
        return json.loads(verified)["scenarios"]

    def judged(self, seed, scenarios):
        """(judgements, names of the claims' files) of random claims about a random report."""
        document = random_report(seed, scenarios=lambda: scenarios, failures=(0.0, 0.0, 0.1)[seed % 3], gaps=0.0)
        place = lambda record: frozenset((("data.rows", str(record["rows"])), ("dtype", record["resolved"]["dtype"])))
        keys = {(SCENARIO, place(record)): record["key"] for record in scenarios}
        claims = random_claims(document, SCENARIO, seed, CLAIMS)
        names = ["./" + self.write_json(f"{claim['id']}.json", claim) for claim in claims]
        self.write_json("x.json", document)
        cells = Cells(Report(document), keys)
        return [Judgement(claim, cells) for claim in claims], names

    def answered(self, name):
        """What `gdbench answer` says of a claim, and `gdbench explain` of the cells that it explains."""
        answer = self.render("answer", name, "x.json", "--json")
        explained = None
        for explanation in json.loads(answer).get("explanations", []):
            cells = ("--a", explanation["a"], "--b", explanation["b"])
            explained = json.loads(self.render("explain", "x.json", *cells, "--json"))
        return answer, explained

    def test_no_verdict_on_random_claims_lies_and_no_lie_gets_past_the_checker(self):
        scenarios, verdicts = self.real_scenarios(), set()
        for seed in range(FIRST_SEED, FIRST_SEED + REPORTS // 2):
            judgements, names = self.judged(seed, scenarios)
            lying = seed < FIRST_SEED + LYING_REPORTS
            known = {cell.implementation for cell in judgements[0].report.cells}
            with self.subTest(seed=seed):
                kinds = (*kinds_of_lies(known), lies.counts) if lying else ()
                output = self.render("claims", "x.json", *names, "--json")
                self.prove(functools.partial(claim_checker.check, judgements), output, seed, kinds, with_values=lying)
                for judgement, name in zip(judgements, names):
                    lying = lying and name == names[0]
                    answer, explained = self.answered(name)
                    check = functools.partial(claim_checker.check_answer, judgement, explained)
                    kinds = (lies.figures, lies.counts) if lying else ()
                    self.prove(check, answer, seed, kinds, with_values=lying)
            verdicts.update(judgement.verdict for judgement in judgements)
        if REPORTS >= 40:
            self.assertEqual(verdicts, set(claim_checker.VERDICTS), "every verdict comes out somewhere")


if __name__ == "__main__":
    unittest.main()
