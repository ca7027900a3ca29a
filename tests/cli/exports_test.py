"""Hands exports of reports to what reads them: exports_test.py CONSUMER

The reports: the example of the golden files, the same with hostile texts everywhere, and one whose cells all failed.
Exit status 77: the consumer is missing, and the last line says where it comes from.
"""

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

from program import PROGRAM, SOURCE, environment

INSTALLED = SOURCE / "build" / "consumers"
HOSTILE = "<script>alert('1')</script> & \"2\" ]]> \\ \u202e\u200f \x00\x01\x1b\x7f\x9f\ufffe \r\n\t " + 10000 * "x"


class Missing(Exception):
    """A consumer that is not installed."""


class Wrong(Exception):
    """What a consumer refuses, or reads otherwise than it was meant."""


def expect(condition, message):
    if not condition:
        raise Wrong(message)


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


def failed_of(report):
    return {**report, "cells": [cell for cell in report["cells"] if cell["status"]["state"] != "ok"]}


def timed(report):
    return [cell for cell in report["cells"] if cell["status"]["state"] == "ok"]


def slowed_and_repeated(file, factor, times):
    """The path of the same report with as many times the launches, each of whose steps took `factor` times as long."""
    report = read(file)
    for cell in report["cells"]:
        count = len(cell["launches"])
        for part in ("launches", "samples"):
            entries = [(i, entry) for i in range(times) for entry in cell[part]]
            cell[part] = [{**entry, "launch": entry["launch"] + count * i} for i, entry in entries]
        for sample in cell["samples"]:
            sample["real_ns"] *= factor
    path = pathlib.Path(file).with_suffix(f".{factor}.json")
    path.write_text(json.dumps(report), encoding="utf-8")
    return str(path)


def gdbench(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False, env=environment())
    expect(done.returncode in (0, 1, 3, 4), f"gdbench {arguments}: {done.stderr.decode()}")
    return done.stdout.decode()


def call(*command, text=None):
    """What a consumer prints. Fails where it does."""
    variables = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=variables)
    said = done.stdout[-2000:] + done.stderr[-2000:]
    expect(done.returncode == 0, f"{command[:4]}: status {done.returncode}\n{said}")
    return done.stdout


def python():
    program = INSTALLED / "bin" / "python"
    if not program.exists():
        raise Missing("scripts/consumers installs it from PyPI")
    return str(program)


def debian(program, package):
    found = shutil.which(program)
    if found is None:
        raise Missing(f"Debian's package is {package}")
    return found


READ_BY_PYPERF = """
import json, pyperf, sys
suite = pyperf.BenchmarkSuite.load(sys.argv[1])
print(json.dumps([[len(b.get_runs()), b.get_nvalue(), b.median()] for b in suite]))
"""


def pyperf(report, file):
    program = python()
    text = gdbench("report", report, "--pyperf", "-")
    file.write_text(text, encoding="utf-8")
    cells = timed(read(report))
    if not cells:  # pyperf itself refuses a file without benchmarks
        expect(json.loads(text)["benchmarks"] == [], "found benchmarks of failed cells")
        return
    shown = call(program, "-m", "pyperf", "show", str(file))
    expect(shown.count("Mean +- std dev") == len(cells), f"pyperf shows other than {len(cells)} benchmarks:\n{shown}")
    slow = file.with_suffix(".slow")
    slow.write_text(gdbench("report", slowed_and_repeated(report, 2, 1), "--pyperf", "-"), encoding="utf-8")
    compared = call(program, "-m", "pyperf", "compare_to", str(file), str(slow))
    print(shown, call(program, "-m", "pyperf", "check", str(file)), compared)
    expect(compared.count("2.00x slower") == len(cells) + 1, "pyperf sees other than each, and their mean, at 2.00x")
    for cell, (runs, values, median) in zip(cells, json.loads(call(program, "-c", READ_BY_PYPERF, str(file)))):
        warm = sorted(sample["real_ns"] for sample in cell["samples"] if not sample["cold"])
        expect((runs, values) == (len(cell["launches"]), len(warm)), f"{runs} runs, {values} values")
        middle = (warm[(len(warm) - 1) // 2] + warm[len(warm) // 2]) / 2
        expect(abs(median * 1e9 / middle - 1) < 1e-12, f"pyperf's median is {median} s: {cell['id'][:80]}")


MEASURE = {"type": "object", "required": ["value"], "additionalProperties": False,
           "properties": {key: {"type": "number"} for key in ("value", "lower_value", "upper_value")}}
BENCHER = {"type": "object", "propertyNames": {"minLength": 1, "maxLength": 1024},
           "additionalProperties": {"type": "object", "minProperties": 1, "propertyNames": {"maxLength": 64},
                                    "additionalProperties": MEASURE}}
GITHUB_ACTION = {"type": "array", "items": {
    "type": "object", "required": ["name", "unit", "value"], "additionalProperties": False,
    "properties": {"name": {"type": "string", "minLength": 1}, "unit": {"const": "ns/step"},
                   "value": {"type": "number"}, "range": {"type": "string"}, "extra": {"type": "string"}}}}


def validated(report, flag, schema):
    """What is known of a format, as a schema: neither has a reader that runs without a network."""
    try:
        import jsonschema
    except ImportError as error:
        raise Missing("Debian's package is python3-jsonschema") from error
    content = json.loads(gdbench("report", report, flag, "-"))
    try:
        jsonschema.validate(content, schema)
    except jsonschema.ValidationError as error:
        raise Wrong(str(error)[-1000:]) from error
    return content


def bencher(report, _):
    content = validated(report, "--bencher", BENCHER)
    expect(len(content) == len(timed(read(report))), f"{len(content)} benchmarks")
    expect(all(len(name.encode()) <= 1024 and name == name.strip() for name in content), "a name is too long")
    print(json.dumps(content)[:400])


def github_action(report, _):
    content = validated(report, "--github-action", GITHUB_ACTION)
    names = {entry["name"] for entry in content}
    expect(len(content) == len(names) == len(timed(read(report))), f"{len(content)} entries, {len(names)} names")
    print(json.dumps(content)[:400])


OUTCOMES = {"wrong": "failure", "crashed": "error", "timed out": "error", "untrusted": "error",
            "unsupported": "skipped", "pending": "skipped"}


def junit(report, file):
    program = debian("xmllint", "libxml2-utils")
    schema = INSTALLED / "junit-10.xsd"
    if not schema.exists():
        raise Missing("scripts/consumers gets its schema from PyPI")
    file.write_text(gdbench("report", report, "--junit", "-"), encoding="utf-8")
    # Twice the time, so that there is a regression where anything has a time.
    reports = [slowed_and_repeated(report, factor, 4) for factor in (1, 2)]
    compared = file.with_suffix(".compared")
    compared.write_text(gdbench("compare", *reports, "--junit", "-"), encoding="utf-8")
    print(call(program, "--noout", "--schema", str(schema), str(file), str(compared)))
    content = read(report)
    cases = list(ElementTree.parse(file).iter("testcase"))
    expect(len(cases) == len(content["cells"]), f"{len(cases)} test cases")
    for cell, case in zip(content["cells"], cases):
        state = cell["status"]["state"]
        found = [child.tag for child in case if child.tag != "system-out"]
        expect(found == ([OUTCOMES[state]] if state != "ok" else []), f"{state}: {found}")
    failures = ElementTree.parse(compared).getroot().get("failures")
    often = [cell for cell in timed(content) if len(cell["launches"]) > 1 and cell["arm"] == "new"]
    expect(failures == str(len(often)), f"{failures} cells regressed, expected {len(often)}")


READ_BY_PROMETHEUS = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parsed
print(json.dumps([[f.name, [[s.labels, s.value] for s in f.samples]] for f in parsed(sys.stdin.read())]))
"""


def openmetrics(report, _):
    text = gdbench("report", report, "--openmetrics", "-")
    families = dict(json.loads(call(python(), "-c", READ_BY_PROMETHEUS, text=text)))
    print({name: len(samples) for name, samples in families.items()})
    for name, samples in families.items():
        distinct = {json.dumps(labels, sort_keys=True) for labels, _ in samples}
        expect(len(distinct) == len(samples), f"{name}: samples of the same labels")
    cells = timed(read(report))
    expect(len(families["gdbench_step_seconds"]) == 3 * len(cells), "a cell has other than three figures of its step")
    states = {labels["state"]: value for labels, value in families["gdbench_cells"]}
    expect(states["ok"] == len(cells) and states["wrong"] == 1, f"{states}")
    for labels, _ in families["gdbench_step_seconds"]:
        expect("alert('1')</script> & \"2\" ]]> \\ " in labels["cell"] or "alert" not in labels["cell"], labels["cell"])


def promtool(report, _):
    program = debian("promtool", "prometheus")
    found = call(program, "check", "metrics", text=gdbench("report", report, "--openmetrics", "-"))
    expect(found == "", found)


def google_benchmark(report, file):
    tool = pathlib.Path(os.environ.get("GDBENCH_COMPARE_PY", "/usr/share/benchmark/compare.py"))
    if not tool.exists():
        raise Missing("Debian's package is libbenchmark-tools")
    try:
        import scipy  # noqa: F401: compare.py needs it
    except ImportError as error:
        raise Missing("it needs Debian's python3-scipy") from error
    file.write_text(gdbench("report", report, "--google-benchmark", "-"), encoding="utf-8")
    shown = call(sys.executable, str(tool), "--no-color", "benchmarks", str(file), str(file))
    print(shown[:2000])
    entries = json.loads(file.read_text(encoding="utf-8"))["benchmarks"]
    names = {entry["run_name"] for entry in entries if not entry.get("error_occurred")}
    expect(len(names) == len(timed(read(report))), f"{len(names)} benchmarks")
    for name in names:
        expect(f"{name} " in shown, f"compare.py does not show {name[:80]}")


def read(report):
    return json.loads(pathlib.Path(report).read_text(encoding="utf-8"))


def main():
    consumer = {function.__name__: function for function in
                (pyperf, bencher, github_action, junit, openmetrics, promtool, google_benchmark)}[sys.argv[1]]
    example = read(SOURCE / "tests/golden/answers/report.json")
    with tempfile.TemporaryDirectory() as folder:
        for name, report in (("example", example), ("hostile", hostile_of(example)), ("failed", failed_of(example))):
            file = pathlib.Path(folder) / f"{name}.json"
            file.write_text(json.dumps(report), encoding="utf-8")
            try:
                consumer(str(file), pathlib.Path(folder) / f"{name}.export")
            except Missing as error:
                print(f"skipped: what reads {sys.argv[1]} is missing: {error}")
                return 77
            except Wrong as error:
                print(f"{name}: {error}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
