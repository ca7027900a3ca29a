"""`gdbench claims`: lists, measures what claims need once, judges. Verdicts here rest on counted steps, not time."""

import json

from program import FAKES, SOURCE, ProgramTest

NATIVE = {"implementation": "hand/naive"}
STANDARDISED = {
    "kind": "saving", "quantity": "steps_to_target", "a": {"standardise.features": True},
    "b": {"standardise.features": False}, "at_least": 0.5,
}


def trained(conditions, relations, **axes):
    matrix = {
        "axes": {
            "scenario": ["linreg-300x10-target"], "data.condition": conditions, "standardise.features": [True, False],
            "implementation": ["hand/naive"], **axes,
        }
    }
    return {"matrix": matrix, "relations": relations}


def beside_naive(implementation, **relation):
    matrix = {"axes": {"scenario": ["linreg-3x2"], "implementation": ["hand/naive", implementation]}}
    chosen = {"kind": "ratio", "quantity": "step", "a": NATIVE, "b": {"implementation": implementation},
              "at_most": 0.01}
    return {"matrix": matrix, "relations": [{**chosen, **relation}]}


CLAIMS = {
    "steps-fall": [trained([100], [STANDARDISED])], "steps-fall-always": [trained([1, 100], [STANDARDISED])],
    "time-falls": [trained([100], [{**STANDARDISED, "quantity": "time_to_target"}])],
    "is-near": [beside_naive("loop/plain", at_most=5)], "is-far-away": [beside_naive("far/away")],
    "is-wrong": [beside_naive("fake/wrong")],
}


class Claims(ProgramTest):
    """The project's scenarios with the claims of this test."""

    def setUp(self):
        super().setUp()
        for name, experiments in CLAIMS.items():
            claim = {"id": name, "sentence": f"It {name}.", "source": "a page", "purpose": "p",
                     "experiments": experiments}
            self.write_json(f"scenarios/claims/{name}.json", claim)
        self.variables = {"GDBENCH_SCENARIO_PATH": str(self.folder / "scenarios")}

    def verdicts(self, output):
        return {claim["id"]: claim["verdict"] for claim in json.loads(output)["claims"]}

    def test_lists(self):
        text, _ = self.call("claims")
        self.assertIn("It steps-fall.", text)
        self.assertIn("(a page)", text)
        listed = {claim["id"] for claim in self.json_of("claims")["claims"]}
        self.assertTrue(set(CLAIMS) < listed, "its own and the project's")

    def test_verdicts(self):
        chosen = ("steps-fall", "steps-fall-always", "time-falls", "is-far-away")
        output, errors = self.call("claims", "run", *chosen, "--launches", "1", "--out", "c.json", "--json",
                                   "--markdown", "claims.md", "--html", "claims.html")
        self.assertEqual(self.verdicts(output),
                         dict(zip(chosen, ("confirmed", "refuted", "inconclusive", "not run"))))
        self.assertIn("report: c.json", errors)
        judged = {claim["id"]: claim["relations"][0] for claim in json.loads(output)["claims"]}
        (flip,) = judged["steps-fall-always"]["flips"]
        self.assertEqual((flip["from"], flip["to"], flip["holds_at_from"]), ("1", "100", False))
        self.assertEqual(judged["is-far-away"]["judged"][0]["remark"], "no implementation far/away was run")
        cells = self.read_json("c.json")["cells"]
        self.assertEqual(len(cells), 5, "four trainings that claims share, and the one cell of the last")
        self.assertTrue(all(len(cell["launches"]) == 1 for cell in cells))
        deciding = {point[side] for relation in judged.values() for point in relation["judged"] for side in ("a", "b")}
        profiled = {cell["id"] for cell in cells if "profile" in cell}
        self.assertTrue(profiled <= deciding and len(profiled) < len(cells), profiled)
        text, _ = self.call("claims", "c.json")
        self.assertRegex(text, r"(?m)^  steps-fall +confirmed +\d+% ")
        self.assertRegex(text, r"(?m)^  sparse-40 +not run ")
        self.assertIn("## gdbench claims", self.read("claims.md"))
        page = self.read("claims.html")
        self.assertIn("<h2>steps-fall: confirmed</h2>", page)
        self.assertEqual(page, self.call("claims", "c.json", *chosen, "--html", "-")[0], "to stdout it goes alone")
        again = self.json_of("claims", "c.json")["claims"]
        for claim in json.loads(output)["claims"]:
            self.assertIn(claim, again, "a report says what the run said")

    def test_a_wrong_cell_is_not_judged(self):
        run = ("claims", "run", "is-wrong", "--launches", "1", "--out", "c.json")
        (claim,) = self.json_of(*run, plugins=FAKES, status=3)["claims"]
        self.assertEqual(claim["verdict"], "not run")

    def test_launches_end_where_a_claim_is_decided(self):
        arguments = ("is-near", "--until", "decided", "--budget", "60s", "--out", "c.json")
        (claim,) = self.json_of("claims", "run", *arguments)["claims"]
        self.assertEqual((claim["id"], claim["verdict"]), ("is-near", "confirmed"))
        ratio = claim["relations"][0]["judged"][0]["ratio"]
        self.assertEqual(ratio["method"], "at every look")
        self.assertIn(ratio["launches"], range(8, 100), "the budget is for more")
        self.assertTrue(self.read_json("c.json")["run"]["until_decided"])

    def test_a_question_is_answered(self):
        posted = [str(SOURCE / "examples" / "check-comparison" / name)
                  for name in ("numpy_loop.json", "tensorflow_tape.json")]
        advice = {**beside_naive("loop/plain", at_most=5)["relations"][0], "decides": False, "advice": "Write a loop"}
        near = beside_naive("loop/plain", at_most=5)
        near["relations"].append(advice)
        self.write_json("asked.json", {
            "id": "asked", "sentence": "It is near.", "source": "a page", "purpose": "p", "question": "Is it near?",
            "setting": "three rows", "posted": posted, "experiments": [near],
        })
        answer = self.json_of("answer", "./asked.json", "--launches", "3", "--out", "a.json", "--html", "a.html")
        lines = answer["document"]["answer"]
        self.assertRegex(lines[0], r"^True here: time of a step of hand/naive over that of loop/plain is \d")
        self.assertRegex(lines[-1], r"^Write a loop: time of a step of hand/naive over that of loop/plain is \d")
        self.assertIn("profiles", answer["explanations"][0], "it measures where the time goes")
        self.assertEqual(answer["posted"]["findings"][0]["rule"], "broadcast")
        self.assertIn("<title>Is it near?</title>", self.read("a.html"))
        self.assertEqual(self.json_of("answer", "./asked.json", "a.json"), answer, "a report says what the run said")

    def test_questions_are_listed(self):
        self.variables = {}
        text, _ = self.call("answer")
        listed = self.json_of("answer")["questions"]
        self.assertGreaterEqual(len(listed), 15)
        for question in listed:
            self.assertIn(f"{question['id']}: {question['question']}", " ".join(text.split()))
            claim = self.read_json(SOURCE / "scenarios" / "claims" / f"{question['id']}.json")
            relations = [relation for one in claim["experiments"] for relation in one["relations"]]
            for name in claim.get("posted", []):
                self.assertTrue((SOURCE / "scenarios" / "claims" / name).is_file(), name)
            self.assertTrue(any("advice" in relation for relation in relations), question)
        self.expect_error(["answer", "all"], "gdbench: found all, expected the id of a claim or its file\n")

    def test_a_budget_that_is_too_short_says_what_it_left_out(self):
        chosen = ("steps-fall", "steps-fall-always")
        output, _ = self.call("claims", "run", *chosen, "--budget", "0.01s", "--out", "c.json", "--json")
        self.assertEqual(set(self.verdicts(output).values()), {"not run"})
        self.assertIn("the budget left no time for it", output)
        report = self.read_json("c.json")
        self.assertRegex(" ".join(report["notes"]), r"the budget was too short for 3 launches of 1 of \d scenarios")
        self.assertEqual(max(len(cell["launches"]) for cell in report["cells"]), 1)

    def test_dry_run(self):
        output, errors = self.call("claims", "run", "steps-fall", "time-falls", "--dry-run")
        self.assertEqual(len(output.splitlines()), 2, "cells of both claims are the same")
        self.assertRegex(errors, r"2 cells in 2 scenarios, about \d+ s$", "as 20 launches take, not the budget")
        output, _ = self.call("claims", "run", "all", "--dry-run")
        self.assertRegex(output, r"(?m)^mlp-10-50-1\[batch=32.*\]/jax/jit")

    def test_mistakes(self):
        self.expect_error(["claims", "run", "steps-fal"], 'found no claim "steps-fal", expected all, ',
                          "did you mean steps-fall?")
        self.expect_error(["claims", "run"])
        self.expect_error(["claims", "nowhere.json"], "nowhere.json")
        self.write("scenarios/claims/broken.json", '{"id": "broken"}')
        self.expect_error(["claims"], "broken.json: /sentence: found nothing, expected text on one line\n")
