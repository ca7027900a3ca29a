"""Validates a report against the published schema, and makes sure that the schema refuses broken ones.

usage: validate_report.py SCHEMA REPORT

Exit status 77: python3-jsonschema is missing, nothing was checked.
"""

import copy
import json
import sys

try:
    import jsonschema
except ImportError as error:
    print(f"skipped: {error}; Debian's package is python3-jsonschema")
    sys.exit(77)


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
    yield change("a host name for a count", lambda r: r["environment"]["cpu"].update(logical_processors="host"))


def undescribed(schema, place="#"):
    """Yields the places of properties without a description; a reference counts where its target has one."""
    for name, value in schema.get("properties", {}).items():
        if "description" not in value and "$ref" not in value:
            yield f"{place}/properties/{name}"
        yield from undescribed(value, f"{place}/properties/{name}")
    for name, value in schema.get("$defs", {}).items():
        if "description" not in value:
            yield f"{place}/$defs/{name}"
        yield from undescribed(value, f"{place}/$defs/{name}")
    if isinstance(schema.get("items"), dict):
        yield from undescribed(schema["items"], f"{place}/items")


def main():
    schema_path, report_path = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)

    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    faults = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(report)]
    faults += [f"{place}: no description" for place in undescribed(schema)]
    for what, broken in broken_reports(report):
        if validator.is_valid(broken):
            faults.append(f"a report with {what} validates")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
