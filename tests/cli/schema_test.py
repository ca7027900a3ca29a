"""The schema of reports that the program prints: it takes the report that stands for all, and refuses broken ones."""

import copy
import unittest

from program import SOURCE, ProgramTest, jsonschema, schema_of

# What is wrong, and how the report comes to have exactly that fault.
FAULTS = {
    "a text for a number": lambda r: r["cells"][0]["samples"][0].update(real_ns="18"),
    "an unknown key of a sample": lambda r: r["cells"][0]["samples"][0].update(extra=1),
    "an unknown key of the report": lambda r: r.update(colour="red"),
    "no samples": lambda r: r["cells"][0].pop("samples"),
    "an unknown state": lambda r: r["cells"][0]["status"].update(state="fine"),
    "an unknown verdict": lambda r: r["cells"][1]["summary"]["ratio"]["comparison"].update(verdict="?"),
    "another major version": lambda r: r["schema_version"].update(major=2),
    "another schema": lambda r: r.update(schema="other"),
    "a negative count": lambda r: r["cells"][0]["block"].update(steps=-1),
    "no threads": lambda r: r["cells"][0].update(threads=0),
    "a null id": lambda r: r["cells"][0].update(id=None),
    "a ceiling without levels": lambda r: r["ceilings"]["measurements"][0]["widths"][0].pop("levels"),
}


class Schema(ProgramTest):
    def setUp(self):
        super().setUp()
        # What write_report writes (tests/unit/answers checks that).
        self.report = self.read_json(SOURCE / "tests/golden/answers/report.json")
        self.schema = schema_of("report")

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is missing")
    def test_what_is_valid(self):
        kind = jsonschema.validators.validator_for(self.schema)
        kind.check_schema(self.schema)
        validator = kind(self.schema)
        errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(self.report)]
        self.assertEqual(errors, [])
        for what, edit in FAULTS.items():
            broken = copy.deepcopy(self.report)
            edit(broken)
            self.assertFalse(validator.is_valid(broken), what)

    def test_comments_are_descriptions(self):
        self.assertEqual(self.schema["title"], f"gdbench-report, version 1.{self.report['schema_version']['minor']}")
        definitions = self.schema["$defs"]
        for key, begins in (("total_seconds", "spawn to exit"), ("import_seconds", "Since 1.4.")):
            self.assertTrue(definitions["Launch"]["properties"][key]["description"].startswith(begins), key)
        self.assertTrue(definitions["CostFit"]["description"].startswith("time of a step = step_ns + call_ns"))
