"""`gdbench explain`: finds a delay where it was put, finds none between twins, and refuses what it cannot know."""

import json
import unittest

from program import FAKES, ProgramTest

PHASES = f"{FAKES}/phases"
SMALL = ("run", "--scenario", "linreg-300x2", "--impl", "hand/naive", "--impl", "hand/eigen", "--out", "x.json")

# Implementation -> the phase and op that hold its delay.
DELAYS = {
    "delay-data/fake": ("data", "gather"), "delay-record/fake": ("record", "record"),
    "delay-forward/fake": ("forward", "product"), "delay-backward/fake": ("backward", "product"),
    "delay-update/fake": ("update", "sgd"), "repeat-forward/fake": ("forward", "product"),
}


class Delays(ProgramTest):
    ATTEMPTS = 5  # other work on the machine may hide a delay; it does not invent one five times

    def explain(self, a, b):
        output, _ = self.call("explain", "x.json", "linreg-3x2", "--a", a, "--b", b, "--json")
        (explanation,) = json.loads(output)["explanations"]
        return explanation

    def mistakes_about(self, implementation, phase, op):
        explanation = self.explain(implementation, "plain/fake")
        if explanation["whole"]["comparison"]["verdict"] != "slower":
            return [f"{implementation} is not slower"]
        phases = explanation["profiles"]["phases"]
        mistakes = []
        if (phases[0]["phase"], phases[0]["standing"]) != (phase, "cause"):
            mistakes.append(f"{implementation}: {phases[0]} comes first")
        if any(part["standing"] == "cause" for part in phases[1:]):
            mistakes.append(f"{implementation}: causes beside the delay: {phases}")
        first = explanation["profiles"]["ops"][0]
        if (first["phase"], first["op"], first["standing"]) != (phase, op, "cause"):
            mistakes.append(f"{implementation}: {first} comes first")
        calls = abs(first["by_calls_ns"]) > abs(first["by_length_ns"])
        if calls != implementation.startswith("repeat"):
            mistakes.append(f"{implementation}: more and longer calls are mixed up: {first}")
        return mistakes

    def mistakes_about_twins(self):
        explanation = self.explain("twin/fake", "plain/fake")
        verdict = explanation["whole"]["comparison"]["verdict"]
        mistakes = [] if verdict in ("equivalent", "inconclusive") else [f"the twin is {verdict}"]
        if explanation["paths"] or "calls" in explanation or "profiles" in explanation or "start" in explanation:
            mistakes.append("twins are given a cause")
        return mistakes

    def test_are_found_and_twins_are_not_told_apart(self):
        mistakes = []
        for _ in range(self.ATTEMPTS):
            selection = ("--scenario", "linreg-3x2", "--impl", "*/fake", "--launches", "4", "--out", "x.json")
            self.call("run", *selection, "--overwrite", plugins=PHASES)
            for cell in self.cells_of(self.read_json("x.json")):
                self.assertEqual(cell["status"]["state"], "ok", cell["status"])
                self.assertIn("profile", cell, "run stores no profile")
            mistakes = self.mistakes_about_twins()
            for implementation, (phase, op) in DELAYS.items():
                mistakes += self.mistakes_about(implementation, phase, op)
            if not mistakes:
                break
        self.assertEqual(mistakes, [])
        output, _ = self.call("explain", "x.json", "--a", "delay-backward/fake", "--b", "plain/fake")
        self.assertRegex(output, r"(?s)  share\n  backward .*\n    backward, product: ")


class Reports(ProgramTest):
    def test_one_launch_gives_no_cause(self):
        self.call(*SMALL, "--launches", "1")
        output, errors = self.call("explain", "x.json")
        self.assertEqual(errors, "")
        self.assertRegex(output, "No difference is proven|clear but not confirmed")
        self.assertIn("within one process", " ".join(output.split()))
        self.assertEqual(output.count("]\n"), 1, output)
        self.assertIn("\n    gdbench run --scenario linreg-300x2 --impl ", output, "the command that would tell")
        self.assertEqual(self.call("explain", "x.json", "linreg-300x2")[0], output)

    def test_a_page_says_the_same(self):
        self.call(*SMALL, "--launches", "1")
        text, _ = self.call("explain", "x.json", "--html", "page.html")
        self.assertEqual(text, self.call("explain", "x.json")[0])
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertEqual(self.call("explain", "x.json", "--html", "-")[0], page)
        (explanation,) = json.loads(self.call("explain", "x.json", "--json")[0])["explanations"]
        a, b = (explanation[side].split("/", 1)[1] for side in "ab")
        self.assertIn(f"<h1>linreg-300x2: {a} against {b}</h1>", page)

    def test_the_usual_comparisons(self):
        self.call(*SMALL, "--launches", "1", "--impl", "tape/eigen", "--set", "rows=30")
        explanations = json.loads(self.call("explain", "x.json", "--json")[0])["explanations"]
        label = explanations[0]["scenario"]
        self.assertEqual(len({explanation["a"] for explanation in explanations}), 1, "the fastest comes first")
        for explanation in explanations:
            for cell in ("a", "b"):
                self.assertTrue(explanation[cell].startswith(f"{label}/"), explanation[cell])
        pairs = {frozenset((explanation["a"], explanation["b"])) for explanation in explanations}
        self.assertEqual(len(pairs), len(explanations))

    def test_two_optimizers_of_one_implementation_explain_themselves(self):
        selection = ("--scenario", "linreg-300x10-target", "--impl", "hand/eigen", "--set", "optimizer=sgd")
        settings = ("--set", "optimizer=adam", "--set", "batch=64")
        output, _ = self.call("run", *selection, *settings, "--launches", "7", "--out", "x.json")
        cells = [cell for cell in self.cells_of(self.read_json("x.json")) if "#" not in cell["id"]]
        self.assertEqual(len(cells), 2, "each value of a key that is set twice is a scenario")
        for cell in cells:
            self.assertEqual(len(cell["other_profiles"]), 4, "five processes in seven launches")
        (explanation,) = json.loads(self.call("explain", "x.json", "--json")[0])["explanations"]
        differing = {key["key"]: (key["a"], key["b"]) for key in explanation["differing"]}
        self.assertEqual(differing["optimizer.kind"], ('"adam"', '"sgd"'))
        self.assertFalse(any(key.startswith("batch") for key in differing), differing)
        self.assertIn("target", explanation)
        words, _ = self.call("explain", "x.json")
        self.assertIn("linreg-300x10-target/hand/eigen: optimizer=adam against optimizer=sgd\n", words)
        asked, _ = self.call("explain", "x.json", "--a", "optimizer=adam", "--b", "optimizer=sgd")
        self.assertEqual(asked, words)
        spelled = ("--a", "batch=64,optimizer=adam/hand/eigen", "--b", cells[0]["id"])
        self.assertEqual(self.call("explain", "x.json", *spelled)[0], words)
        self.refuse(["x.json", "--a", "optimizer=adamm", "--b", "optimizer=sgd"], "--a", '"optimizer=adamm"')
        both = ["--set", "optimizer=sgd", "--set", "optimizer.kind=adam"]
        output, errors = self.call("profile", "linreg-300x2", "--impl", "hand/eigen", *both, status=2)
        self.assertIn("--set optimizer.kind: found a second value, expected one of each key", errors)

    def refuse(self, arguments, *parts):
        self.expect_error(["explain", *arguments], *parts)

    def test_what_is_refused(self):
        self.call(*SMALL, "--launches", "1", "--set", "dtype=f64")
        self.refuse(["nosuch.json"], "nosuch.json: found no such file")
        self.refuse(["x.json", "linreg-3x3"], '"linreg-3x3"', "expected one of linreg-300x2[dtype=f64]")
        pair = ["--a", "hand/eigne", "--b", "hand/naive"]
        self.refuse(["x.json", *pair], "--a", '"hand/eigne"', "did you mean hand/eigen?", "hand/naive")
        self.refuse(["x.json", "--a", "hand/naive", "--b", "nosuch"], "--b", '"nosuch"', "hand/eigen")
        self.refuse(["x.json", "--a", "hand/naive", "--b", "hand/naive"], "twice", "expected two cells")
        self.refuse(["x.json", "--a", "hand/naive"], "--b")
        self.refuse(["x.json", "linreg-300x2", "more"], "more")
        report = self.read_json("x.json")
        for cell in report["cells"]:
            if cell["implementation"] == "hand/eigen":
                cell["status"] = {"state": "crashed", "reason": "signal 11"}
        self.write_json("crashed.json", report)
        pair = ["--a", "hand/naive", "--b", "hand/eigen"]
        self.refuse(["crashed.json", *pair], "hand/eigen has no time", "crashed (signal 11)")
        self.refuse(["crashed.json"], "crashed.json: found no two ranked cells")


if __name__ == "__main__":
    unittest.main()
