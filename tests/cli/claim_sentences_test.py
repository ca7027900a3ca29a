"""Every figure and every verdict of `gdbench claims` follows from the report's samples. Reports are random, and so are
the claims; the report's scenarios are those of a run, for a claim names scenarios and a report has their identities."""

import functools
import json
import unittest

import claim_checker
import lies
from checked_outputs import FIRST_SEED, REPORTS, CheckedOutputs
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
        """(judgements, arguments) of random claims about a random report."""
        document = random_report(seed, scenarios=lambda: scenarios, failures=(0.0, 0.0, 0.1)[seed % 3], gaps=0.0)
        place = lambda record: frozenset((("data.rows", str(record["rows"])), ("dtype", record["resolved"]["dtype"])))
        keys = {(SCENARIO, place(record)): record["key"] for record in scenarios}
        claims = random_claims(document, SCENARIO, seed, CLAIMS)
        names = [self.write_json(f"{claim['id']}.json", claim) for claim in claims]
        self.write_json("x.json", document)
        cells = Cells(Report(document), keys)
        return [Judgement(claim, cells) for claim in claims], ("claims", "x.json", *(f"./{name}" for name in names))

    def answered(self, name):
        """What `gdbench answer` says of a claim, and `gdbench explain` of the cells that it explains."""
        answer = self.render("answer", name, "x.json", "--json")
        explained = None
        for explanation in json.loads(answer).get("explanations", []):
            cells = ("--a", explanation["a"], "--b", explanation["b"])
            explained = json.loads(self.render("explain", "x.json", *cells, "--json"))
        return answer, explained

    def test_no_verdict_on_random_claims_lies(self):
        scenarios, verdicts = self.real_scenarios(), set()
        for seed in range(FIRST_SEED, FIRST_SEED + REPORTS // 2):
            judgements, arguments = self.judged(seed, scenarios)
            with self.subTest(seed=seed):
                output = self.render(*arguments, "--json")
                self.expect_none(claim_checker.check(judgements, output), output)
                for judgement, name in zip(judgements, arguments[2:]):
                    answer, explained = self.answered(name)
                    self.expect_none(claim_checker.check_answer(judgement, explained, answer), answer)
            verdicts.update(judgement.verdict for judgement in judgements)
        if REPORTS >= 40:
            self.assertEqual(verdicts, set(claim_checker.VERDICTS), "every verdict comes out somewhere")

    def test_no_lie_gets_past_the_checker(self):
        scenarios = self.real_scenarios()
        for seed in range(FIRST_SEED, FIRST_SEED + LYING_REPORTS):
            judgements, arguments = self.judged(seed, scenarios)
            output = self.render(*arguments, "--json")
            check = functools.partial(claim_checker.check, judgements)
            self.tell_json_lies(check, output, seed)
            known = {cell.implementation for cell in judgements[0].report.cells}
            names = lambda text, lines, known=known: lies.names(text, lines, known)
            self.tell_lies(check, output, seed, (lies.figures, lies.counts, lies.words, names))
            answer, explained = self.answered(arguments[2])
            check = functools.partial(claim_checker.check_answer, judgements[0], explained)
            self.tell_json_lies(check, answer, seed)
            self.tell_lies(check, answer, seed, (lies.figures, lies.counts))


if __name__ == "__main__":
    unittest.main()
