"""`gdbench ablate`: structure and exit statuses."""

import json
import unittest

from program import FAKES, ProgramTest


class Ablate(ProgramTest):
    def ablate(self, *arguments, plugins="", status=0):
        output, errors = self.call("ablate", *arguments, "--json", plugins=plugins, status=status)
        return json.loads(output), errors

    def test_every_pass_is_switched_off_once(self):
        found, errors = self.ablate("linreg-300x2", "--impl", "graph/naive", "--launches", "1")
        self.assertEqual(errors, "")
        self.assertEqual((found["schema"], found["option"]), ("gdbench-ablation", "passes"))
        variants = found["variants"]
        self.assertEqual((variants[0]["variant"], variants[0]["value"]), ("as it is", "all"))
        self.assertEqual((variants[-1]["variant"], variants[-1]["value"]), ("all off", "none"))
        names = self.names_of("graph/naive")
        self.assertIn("dead-code", names)
        self.assertEqual([variant["without"] for variant in variants[1:-1]], names)
        fired = {variant["without"]: variant["fired"] for variant in variants[1:-1]}
        self.assertEqual(fired["dead-code"], 2)
        self.assertEqual(fired["transposes"], 0)
        for variant in variants[1:]:
            self.assertEqual(variant["status"]["state"], "ok")
            # Without a part that did nothing there is nothing to measure.
            self.assertEqual("step_ns" in variant, variant.get("fired") != 0)
            if variant.get("fired") == 0:
                continue
            self.assertGreater(variant["step_ns"]["value"], 0)
            self.assertEqual(variant["comparison"]["verdict"], "inconclusive")
            difference = variant["difference_ns"]
            self.assertLessEqual(difference["interval"]["low"], difference["value"])
        self.assertNotIn("comparison", variants[0])

    def names_of(self, implementation):
        listed = json.loads(self.call("list", "implementations", "--json")[0])["implementations"]
        options = next(entry["options"] for entry in listed if entry["name"] == implementation)
        return next(option["choices"] for option in options if option["key"] == "passes")

    def test_table_and_report(self):
        arguments = ("linreg-3x2", "--impl", "graph/naive", "--set", "impl.passes=none,+dead-code,+algebra")
        text, errors = self.call("ablate", *arguments, "--launches", "3", "--out", "x.json", "--html", "x.html")
        self.assertEqual(errors, "report: x.json\n")
        for part in ("impl.passes=none,+dead-code,+algebra", "as it is", "without dead-code", "without algebra",
                     "all off"):
            self.assertIn(part, text)
        self.assertNotIn("without fusion", text)
        page = (self.folder / "x.html").read_text(encoding="utf-8")
        for part in ("without dead-code", "without algebra", "all off"):
            self.assertIn(part + "</text>", page)
        cells = self.read_json("x.json")["cells"]
        self.assertEqual(len(cells), 4)
        # Side by side: every variant has every launch, and its own place in each round.
        for cell in cells:
            self.assertEqual([launch["launch"] for launch in cell["launches"]], [0, 1, 2])
        places = {(s["launch"], s["round"], s["position"]) for cell in cells for s in cell["samples"]}
        self.assertEqual(len(places), 4 * 3 * 7)

    def test_a_page_that_cannot_be_written(self):
        passes = ("--set", "impl.passes=none,+algebra")
        arguments = ("linreg-3x2", "--impl", "graph/naive", *passes, "--launches", "1", "--out", "x.json")
        text, errors = self.call("ablate", *arguments, "--html", "nowhere/x.html", status=2)
        self.assertIn("as it is", text)
        self.assertIn("nowhere/x.html", errors)
        self.assertTrue((self.folder / "x.json").exists(), "what was measured is kept")
        page, _ = self.call("ablate", *arguments, "--overwrite", "--html", "-")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))

    def test_a_part_that_pays(self):
        # Without "prompt" each step of a fraction of a microsecond waits two.
        found, errors = self.ablate("linreg-3x2", "--impl", "fake/switches", "--launches", "8", plugins=FAKES, status=3)
        variants = {variant.get("without", variant["variant"]): variant for variant in found["variants"]}
        self.assertEqual(list(variants), ["as it is", "prompt", "exact", "all off"])
        self.assertEqual(variants["prompt"]["comparison"]["verdict"], "slower")
        self.assertGreater(variants["prompt"]["difference_ns"]["interval"]["low"], 1000)
        self.assertNotIn("fired", variants["prompt"])
        # A variant that is wrong gets no time.
        for name in ("exact", "all off"):
            self.assertEqual(variants[name]["status"]["state"], "wrong")
            self.assertNotIn("step_ns", variants[name])
        self.assertEqual(errors.count("\n"), 1)
        self.assertIn("fake/switches?parts=-exact is wrong: ", errors)

    def test_one_part_has_no_variant_without_all(self):
        arguments = ("linreg-3x2", "--impl", "fake/switches", "--set", "impl.parts=-prompt", "--launches", "1")
        found, _ = self.ablate(*arguments, plugins=FAKES, status=3)
        self.assertEqual([variant["value"] for variant in found["variants"]], ["-prompt", "-prompt,-exact"])

    def test_nothing_is_compared_with_a_cell_that_is_wrong(self):
        arguments = ("linreg-3x2", "--impl", "fake/switches", "--set", "impl.parts=-exact", "--launches", "1")
        found, errors = self.ablate(*arguments, plugins=FAKES, status=3)
        self.assertTrue(all("step_ns" not in variant for variant in found["variants"]))
        self.assertIn("is wrong", errors)

    def test_input_errors(self):
        cases = {
            ("nosuch", "--impl", "graph/naive"): ('"nosuch"', "linreg-3x2"), ("linreg-3x2",): ("--impl",),
            ("linreg-3x2", "--impl", "graph/nave"): ("--impl", '"graph/nave"', "did you mean graph/naive?"),
            ("linreg-3x2", "--impl", "hand/naive"): ("hand/naive", "declares no parts", "expected one of graph/"),
            ("linreg-3x2", "--impl", "graph/naive", "--set", "impl.passes=-fussion"): ("-fussion", "fusion"),
            ("linreg-3x2", "--impl", "graph/naive", "--set", "impl.passes=none"): ("passes=none", "everything off"),
            ("linreg-3x2", "--impl", "graph/naive", "--budget", "soon"): ("--budget", '"soon"'),
        }
        for arguments, parts in cases.items():
            with self.subTest(arguments=arguments):
                self.expect_error(["ablate", *arguments], *parts)


if __name__ == "__main__":
    unittest.main()
