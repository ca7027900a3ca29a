"""Exports of reports, handed to what reads them; scripts/consumers gets what PyPI has."""

import copy
import json
import os
import pathlib
import shutil
import sys
import unittest
from xml.etree import ElementTree

from program import SOURCE, ProgramTest, jsonschema, slowed

INSTALLED = SOURCE / "build" / "consumers"
PYTHON = INSTALLED / "bin" / "python"
COMPARE_PY = pathlib.Path(os.environ.get("GDBENCH_COMPARE_PY", "/usr/share/benchmark/compare.py"))
HOSTILE = "<script>alert('1')</script> & \"2\" ]]> \\ \u202e\u200f \x00\x01\x1b\x7f\x9f\ufffe \r\n\t " + 10000 * "x"

READ_BY_PYPERF = """
import json, pyperf, sys
suite = pyperf.BenchmarkSuite.load(sys.argv[1])
print(json.dumps([[len(b.get_runs()), b.get_nvalue(), b.median()] for b in suite]))
"""
READ_BY_PROMETHEUS = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parsed
print(json.dumps([[f.name, [[s.labels, s.value] for s in f.samples]] for f in parsed(sys.stdin.read())]))
"""
# What is known of two formats, as a schema: neither has a reader that runs without a network.
MEASURE = {"type": "object", "required": ["value"], "additionalProperties": False,
           "properties": {key: {"type": "number"} for key in ("value", "lower_value", "upper_value")}}
BENCHER = {"type": "object", "propertyNames": {"minLength": 1, "maxLength": 1024},
           "additionalProperties": {"type": "object", "minProperties": 1, "propertyNames": {"maxLength": 64},
                                    "additionalProperties": MEASURE}}
GITHUB_ACTION = {"type": "array", "items": {
    "type": "object", "required": ["name", "unit", "value"], "additionalProperties": False,
    "properties": {"name": {"type": "string", "minLength": 1}, "unit": {"const": "ns/step"},
                   "value": {"type": "number"}, "range": {"type": "string"}, "extra": {"type": "string"}}}}
OUTCOMES = {"wrong": "failure", "crashed": "error", "timed out": "error", "untrusted": "error",
            "unsupported": "skipped", "pending": "skipped"}


def hostile_of(report):
    report = copy.deepcopy(report)
    report["run"].update(matrix=HOSTILE, started_at=HOSTILE)
    report["environment"]["cpu"]["model"] = HOSTILE
    for scenario in report["scenarios"]:
        scenario["label"] += HOSTILE
    for cell in report["cells"]:
        cell["id"] += HOSTILE
        cell["status"]["reason"] = HOSTILE if cell["status"]["state"] != "ok" else ""
        for launch in cell["launches"]:
            launch["started_at"] = HOSTILE
    return report


def timed(report):
    return [cell for cell in report["cells"] if cell["status"]["state"] == "ok"]


def slowed_and_repeated(report, factor, times):
    """The same with as many times the launches, each of whose steps took `factor` times as long."""
    report = slowed(report, factor)
    for cell in report["cells"]:
        count = len(cell["launches"])
        for part in ("launches", "samples"):
            entries = [(i, entry) for i in range(times) for entry in cell[part]]
            cell[part] = [{**entry, "launch": entry["launch"] + count * i} for i, entry in entries]
    return report


class Exports(ProgramTest):
    variables = {"PYTHONUTF8": "1"}

    def check_each(self, check):
        """Of the golden files' example, the same with hostile texts everywhere, and one whose cells all failed."""
        example = self.read_json(SOURCE / "tests/golden/answers/report.json")
        failed = {**example, "cells": [cell for cell in example["cells"] if cell["status"]["state"] != "ok"]}
        for name, report in (("example", example), ("hostile", hostile_of(example)), ("failed", failed)):
            with self.subTest(report=name):
                check(report)

    def exported(self, report, flag, name="x"):
        """The path of what is written of it."""
        self.write_json(f"{name}.json", report)
        self.call("report", f"{name}.json", flag, f"{name}.export", status=None)
        return self.folder / f"{name}.export"

    def consume(self, *command, file=None):
        """What a consumer prints, which must not fail; `file`: its stdin."""
        with open(file or os.devnull, "rb") as stdin:
            return self.run_other(*command, stdin=stdin).stdout

    @unittest.skipUnless(PYTHON.exists(), "scripts/consumers installs pyperf from PyPI")
    def test_pyperf(self):
        self.check_each(self.check_pyperf)

    def check_pyperf(self, report):
        file, cells = self.exported(report, "--pyperf"), timed(report)
        if not cells:  # pyperf itself refuses a file without benchmarks
            self.assertEqual(self.read_json(file)["benchmarks"], [])
            return
        pyperf = (PYTHON, "-m", "pyperf")
        self.assertEqual(self.consume(*pyperf, "show", file).count("Mean +- std dev"), len(cells))
        self.consume(*pyperf, "check", file)
        slow = self.exported(slowed_and_repeated(report, 2, 1), "--pyperf", "slow")
        compared = self.consume(*pyperf, "compare_to", file, slow)
        self.assertEqual(compared.count("2.00x slower"), len(cells) + 1, "each, and their mean")
        for cell, (runs, values, median) in zip(cells, json.loads(self.consume(PYTHON, "-c", READ_BY_PYPERF, file))):
            warm = sorted(sample["real_ns"] for sample in cell["samples"] if not sample["cold"])
            self.assertEqual((runs, values), (len(cell["launches"]), len(warm)))
            middle = (warm[(len(warm) - 1) // 2] + warm[len(warm) // 2]) / 2
            self.assertLess(abs(median * 1e9 / middle - 1), 1e-12, cell["id"][:80])

    @unittest.skipIf(jsonschema is None, "Debian's package is python3-jsonschema")
    def test_what_has_a_schema(self):
        for flag, schema in (("--bencher", BENCHER), ("--github-action", GITHUB_ACTION)):
            self.check_each(lambda report: self.check_by_schema(report, flag, schema))

    def check_by_schema(self, report, flag, schema):
        content = self.read_json(self.exported(report, flag))
        errors = jsonschema.Draft7Validator(schema).iter_errors(content)
        self.assertEqual([error.message[:200] for error in errors], [])
        names = {entry["name"] for entry in content} if isinstance(content, list) else set(content)
        self.assertTrue(len(content) == len(names) == len(timed(report)), (flag, len(content), len(names)))

    @unittest.skipUnless(shutil.which("xmllint"), "Debian's package is libxml2-utils")
    @unittest.skipUnless((INSTALLED / "junit-10.xsd").exists(), "scripts/consumers gets JUnit's schema from PyPI")
    def test_junit(self):
        self.check_each(self.check_junit)

    def check_junit(self, report):
        file, compared = self.exported(report, "--junit"), self.folder / "compared"
        # Twice the time, so that there is a regression where anything has a time.
        for name, factor in (("base.json", 1), ("slow.json", 2)):
            self.write_json(name, slowed_and_repeated(report, factor, 4))
        self.call("compare", "base.json", "slow.json", "--junit", str(compared), status=None)
        self.consume("xmllint", "--noout", "--schema", INSTALLED / "junit-10.xsd", file, compared)
        cases = list(ElementTree.parse(file).iter("testcase"))
        self.assertEqual(len(cases), len(report["cells"]))
        for cell, case in zip(report["cells"], cases):
            found = [child.tag for child in case if child.tag != "system-out"]
            state = cell["status"]["state"]
            self.assertEqual(found, [OUTCOMES[state]] if state != "ok" else [])
        often = [cell for cell in timed(report) if len(cell["launches"]) > 1 and cell["arm"] == "new"]
        self.assertEqual(ElementTree.parse(compared).getroot().get("failures"), str(len(often)))

    @unittest.skipUnless(PYTHON.exists(), "scripts/consumers installs prometheus-client from PyPI")
    def test_openmetrics(self):
        self.check_each(self.check_openmetrics)

    def check_openmetrics(self, report):
        file, cells = self.exported(report, "--openmetrics"), timed(report)
        families = dict(json.loads(self.consume(PYTHON, "-c", READ_BY_PROMETHEUS, file=file)))
        for name, samples in families.items():
            distinct = {json.dumps(labels, sort_keys=True) for labels, _ in samples}
            self.assertEqual(len(distinct), len(samples), f"{name}: samples of the same labels")
        self.assertEqual(len(families["gdbench_step_seconds"]), 3 * len(cells), "three figures of each step")
        states = {labels["state"]: value for labels, value in families["gdbench_cells"]}
        self.assertEqual((states["ok"], states["wrong"]), (len(cells), 1))
        for labels, _ in families["gdbench_step_seconds"]:
            if "alert" in labels["cell"]:
                self.assertIn("alert('1')</script> & \"2\" ]]> \\ ", labels["cell"])

    @unittest.skipUnless(shutil.which("promtool"), "Debian's package is prometheus")
    def test_promtool(self):
        self.check_each(lambda report: self.assertEqual(
            self.consume("promtool", "check", "metrics", file=self.exported(report, "--openmetrics")), ""))

    @unittest.skipUnless(COMPARE_PY.exists(), "Debian's package is libbenchmark-tools")
    def test_google_benchmark(self):
        try:
            import scipy  # noqa: F401: compare.py needs it
        except ImportError:
            self.skipTest("compare.py needs Debian's python3-scipy")
        self.check_each(self.check_google_benchmark)

    def check_google_benchmark(self, report):
        file = self.exported(report, "--google-benchmark")
        shown = self.consume(sys.executable, COMPARE_PY, "--no-color", "benchmarks", file, file)
        entries = self.read_json(file)["benchmarks"]
        names = {entry["run_name"] for entry in entries if not entry.get("error_occurred")}
        self.assertEqual(len(names), len(timed(report)))
        for name in names:
            self.assertIn(f"{name} ", shown)
