"""`gdbench explain`: finds a delay where it was put, finds none between twins, and refuses what it cannot know."""

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
        (explanation,) = self.json_of("explain", "x.json", "linreg-3x2", "--a", a, "--b", b)["explanations"]
        return explanation

    def mistakes_about(self, implementation, phase, op):
        explanation = self.explain(implementation, "plain/fake")
        if explanation["whole"]["comparison"]["verdict"] != "slower":
            return [f"{implementation} is not slower"]
        phases, first = explanation["profiles"]["phases"], explanation["profiles"]["ops"][0]
        mistakes = []
        if (phases[0]["phase"], phases[0]["standing"]) != (phase, "cause"):
            mistakes.append(f"{implementation}: {phases[0]} comes first")
        if any(part["standing"] == "cause" for part in phases[1:]):
            mistakes.append(f"{implementation}: causes beside the delay: {phases}")
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
        if explanation["paths"] or {"calls", "profiles", "start"} & explanation.keys():
            mistakes.append("twins are given a cause")
        return mistakes

    def test_are_found_and_twins_are_not_told_apart(self):
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


class Reports(ProgramTest):
    def test_one_launch_gives_no_cause(self):
        self.call(*SMALL, "--launches", "1")
        output, errors = self.call("explain", "x.json", "--html", "page.html")
        self.assertEqual(errors, "")
        self.assertRegex(output, "No difference is proven|clear but not confirmed")
        self.assertIn("within one process", " ".join(output.split()))
        self.assertIn("\n    gdbench run --scenario linreg-300x2 --impl ", output, "the command that would tell")
        self.assertEqual(self.call("explain", "x.json", "linreg-300x2")[0], output)
        self.assertEqual(self.call("explain", "x.json", "--html", "-")[0], self.read("page.html"))

    def test_two_optimizers_of_one_implementation_explain_themselves(self):
        selection = ("--scenario", "linreg-300x10-target", "--impl", "hand/eigen", "--set", "optimizer=sgd")
        settings = ("--set", "optimizer=adam", "--set", "batch=64")
        self.call("run", *selection, *settings, "--launches", "7", "--out", "x.json")
        cells = self.cells_of(self.read_json("x.json"))
        self.assertEqual(len(cells), 2, "each value of a key that is set twice is a scenario")
        for cell in cells:
            self.assertEqual(len(cell["other_profiles"]), 4, "five processes in seven launches")
        (explanation,) = self.json_of("explain", "x.json")["explanations"]
        differing = {key["key"]: (key["a"], key["b"]) for key in explanation["differing"]}
        self.assertEqual(differing["optimizer.kind"], ('"adam"', '"sgd"'))
        self.assertFalse(any(key.startswith("batch") for key in differing), differing)
        self.assertIn("target", explanation)
        words, _ = self.call("explain", "x.json")
        self.assertIn("linreg-300x10-target/hand/eigen: optimizer=adam against optimizer=sgd\n", words)
        for pair in (("--a", "optimizer=adam", "--b", "optimizer=sgd"),
                     ("--a", "batch=64,optimizer=adam/hand/eigen", "--b", cells[0]["id"])):
            self.assertEqual(self.call("explain", "x.json", *pair)[0], words)
        self.expect_error(["explain", "x.json", "--a", "optimizer=adamm", "--b", "optimizer=sgd"], '"optimizer=adamm"')

    def test_what_is_refused(self):
        """The usual comparisons are those of the fastest with each other one."""
        self.call(*SMALL, "--impl", "tape/eigen", "--launches", "1", "--set", "dtype=f64")
        explanations = self.json_of("explain", "x.json")["explanations"]
        self.assertEqual(len({explanation["a"] for explanation in explanations}), 1, "the fastest comes first")
        self.assertEqual(len({explanation["b"] for explanation in explanations}), len(explanations))
        report = self.read_json("x.json")
        for cell in report["cells"]:
            if cell["implementation"] != "hand/naive":
                cell["status"] = {"state": "crashed", "reason": "signal 11"}
        self.write_json("crashed.json", report)
        for words, *parts in (
            ("nosuch.json", "nosuch.json: found no such file"),
            ("x.json linreg-3x3", '"linreg-3x3"', "expected one of linreg-300x2[dtype=f64]"),
            ("x.json --a hand/eigne --b hand/naive", "--a", '"hand/eigne"', "did you mean hand/eigen?", "hand/naive"),
            ("x.json --a hand/naive --b hand/naive", "twice", "expected two cells"), ("x.json --a hand/naive", "--b"),
            ("crashed.json --a hand/naive --b hand/eigen", "hand/eigen has no time", "crashed (signal 11)"),
            ("crashed.json", "crashed.json: found no two ranked cells"),
        ):
            self.expect_error(["explain", *words.split()], *parts)
