"""`gdbench ablate`: structure and exit statuses."""

from program import FAKES, ProgramTest


class Ablate(ProgramTest):
    def test_every_pass_is_switched_off_once(self):
        found = self.json_of("ablate", "linreg-300x2", "--impl", "graph/naive", "--launches", "1")
        self.assertEqual((found["schema"], found["option"]), ("gdbench-ablation", "passes"))
        first, *others, last = found["variants"]
        self.assertEqual((first["variant"], first["value"]), ("as it is", "all"))
        self.assertNotIn("comparison", first)
        self.assertEqual((last["variant"], last["value"]), ("all off", "none"))
        (options,) = (entry["options"] for entry in self.json_of("list", "implementations")["implementations"]
                      if entry["name"] == "graph/naive")
        names = next(option["choices"] for option in options if option["key"] == "passes")
        self.assertEqual([variant["without"] for variant in others], names)
        fired = {variant["without"]: variant["fired"] for variant in others}
        self.assertEqual((fired["dead-code"], fired["transposes"]), (2, 0))
        for variant in (*others, last):
            self.assertEqual(variant["status"]["state"], "ok")
            # Without a part that did nothing there is nothing to measure.
            self.assertEqual("step_ns" in variant, variant.get("fired") != 0)
            if "step_ns" in variant:
                self.assertEqual(variant["comparison"]["verdict"], "inconclusive")

    def test_table_page_and_report(self):
        arguments = ("linreg-3x2", "--impl", "graph/naive", "--set", "impl.passes=none,+dead-code,+algebra")
        text, errors = self.call("ablate", *arguments, "--launches", "3", "--out", "x.json", "--html", "x.html")
        self.assertEqual(errors, "report: x.json\n")
        for part in ("impl.passes=none,+dead-code,+algebra", "as it is", "without dead-code", "without algebra",
                     "all off", "  dead-code: removes what nothing needs\n"):
            self.assertIn(part, text)
        self.assertNotIn("without fusion", text)
        for part in ("without dead-code", "without algebra", "all off"):
            self.assertIn(part + "</text>", self.read("x.html"))
        cells = self.read_json("x.json")["cells"]
        # Side by side: every variant has every launch, and its own place in each round.
        self.assertEqual([[launch["launch"] for launch in cell["launches"]] for cell in cells], [[0, 1, 2]] * 4)
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

    def test_a_part_that_pays_and_variants_that_are_wrong(self):
        # Without "prompt" each step of a fraction of a microsecond waits two.
        fake = ("ablate", "linreg-3x2", "--impl", "fake/switches")
        found = self.json_of(*fake, "--launches", "8", plugins=FAKES, status=3)
        variants = {variant.get("without", variant["variant"]): variant for variant in found["variants"]}
        self.assertEqual(list(variants), ["as it is", "prompt", "exact", "all off"])
        self.assertEqual(variants["prompt"]["comparison"]["verdict"], "slower")
        self.assertGreater(variants["prompt"]["difference_ns"]["interval"]["low"], 1000)
        for name in ("exact", "all off"):
            self.assertEqual(variants[name]["status"]["state"], "wrong")
            self.assertNotIn("step_ns", variants[name])
        # Nothing is compared with a cell that is wrong.
        _, errors = self.call(*fake, "--set", "impl.parts=-exact", "--launches", "1", "--out", "x.json", plugins=FAKES,
                              status=3)
        self.assertIn("fake/switches?parts=-exact is wrong: ", errors)
        self.assertTrue(all(not cell["samples"] for cell in self.read_json("x.json")["cells"]))

    def test_input_errors(self):
        graph = ("linreg-3x2", "--impl", "graph/naive")
        for arguments, parts in {
            ("linreg-3x2",): ("found no --impl, expected implementation",),
            ("linreg-3x2", "--impl", "graph/nave"): ("--impl", '"graph/nave"', "did you mean graph/naive?"),
            ("linreg-3x2", "--impl", "hand/naive"): ("hand/naive", "declares no parts", "expected one of graph/"),
            (*graph, "--set", "impl.passes=-fussion"): ("-fussion", "fusion"),
            (*graph, "--set", "impl.passes=none"): ("passes=none", "everything off"),
        }.items():
            with self.subTest(arguments=arguments):
                self.expect_error(["ablate", *arguments], *parts)
