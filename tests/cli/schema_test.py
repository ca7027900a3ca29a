"""The schema of reports that the program prints: it takes the report that stands for all, and refuses broken ones."""

import copy
import json
import unittest

from program import SOURCE, ProgramTest, schema_of

try:
    import jsonschema
except ImportError:
    jsonschema = None


def broken_reports(report):
    """Yields (what is wrong, a report with exactly that fault)."""

    def change(what, edit):
        broken = copy.deepcopy(report)
        edit(broken)
        return what, broken

    yield change("a text for a number", lambda r: r["cells"][0]["samples"][0].update(real_ns="18"))
    yield change("an unknown key of a sample", lambda r: r["cells"][0]["samples"][0].update(extra=1))
    yield change("an unknown key of a cell", lambda r: r["cells"][0].update(colour="red"))
    yield change("an unknown key of the report", lambda r: r.update(colour="red"))
    yield change("no samples", lambda r: r["cells"][0].pop("samples"))
    yield change("no environment", lambda r: r.pop("environment"))
    yield change("an unknown state", lambda r: r["cells"][0]["status"].update(state="fine"))
    yield change("an unknown verdict", lambda r: r["cells"][1]["summary"]["ratio"]["comparison"].update(verdict="?"))
    yield change("another major version", lambda r: r["schema_version"].update(major=2))
    yield change("another schema", lambda r: r.update(schema="other"))
    yield change("a negative count", lambda r: r["cells"][0]["block"].update(steps=-1))
    yield change("no threads", lambda r: r["cells"][0].update(threads=0))
    yield change("a null id", lambda r: r["cells"][0].update(id=None))
    yield change("an unknown status of the run", lambda r: r["run"].update(status="done"))
    yield change("an unknown width of vectors", lambda r: r["ceilings"]["best"].update(vectors="mmx"))
    yield change("a ceiling without levels", lambda r: r["ceilings"]["measurements"][0]["widths"][0].pop("levels"))
    yield change("an unknown end of a training", lambda r: r["cells"][0]["target"].update(state="lost"))
    yield change("an unknown bound", lambda r: r["cells"][0]["summary"]["ceiling"].update(bound_by="luck"))


class Schema(ProgramTest):
    def test_what_is_valid(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is missing")
        # What write_report writes (tests/unit/answers checks that).
        report = json.loads((SOURCE / "tests/golden/answers/report.json").read_text(encoding="utf-8"))
        schema = schema_of("report")
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        validator = kind(schema)
        self.assertEqual([f"{error.json_path}: {error.message}" for error in validator.iter_errors(report)], [])
        for what, broken in broken_reports(report):
            self.assertFalse(validator.is_valid(broken), what)

    def test_comments_are_descriptions(self):
        schema = schema_of("report")
        report = json.loads((SOURCE / "tests/golden/answers/report.json").read_text(encoding="utf-8"))
        self.assertEqual(schema["title"], f"gdbench-report, version 1.{report['schema_version']['minor']}")
        definitions = schema["$defs"]
        self.assertEqual(definitions["Launch"]["properties"]["total_seconds"]["description"], "spawn to exit")
        self.assertTrue(definitions["Launch"]["properties"]["import_seconds"]["description"].startswith("Since 1.4."))
        self.assertTrue(definitions["CostFit"]["description"].startswith("time of a step = step_ns + call_ns"))


if __name__ == "__main__":
    unittest.main()
