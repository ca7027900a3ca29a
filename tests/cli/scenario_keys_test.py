"""The keys of scenarios: the schema takes what the program reads and writes, and their page lists them by it."""

import functools
import json
import os
import textwrap
import unittest

from program import SOURCE, ProgramTest, jsonschema

FOLDER = SOURCE / "scenarios"
SCHEMA = json.loads((FOLDER / "scenario.schema.json").read_text(encoding="utf-8"))
BEGIN = "<!-- GDBENCH_UPDATE_GOLDEN=1 ctest -R scenario_keys writes these lines -->\n\n"
END = "\n<!-- the last of them -->\n"
LIMITS = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
TYPES = {"boolean": "true or false", "string": "text", "object": "an object"}
TYPES |= {"integer": "an integer", "number": "a number"}


def allowed(entry):
    """What a key may hold, in words."""
    if "const" in entry:
        return f"`{entry['const']}`"
    if "enum" in entry:
        return ", ".join(f"`{name}`" for name in entry["enum"])
    if "anyOf" in entry:
        return " or ".join(allowed(one) for one in entry["anyOf"] if one.get("type") != "object")
    if "oneOf" in entry:
        return "one of the objects below"
    if entry["type"] == "array":
        kinds = entry["items"]["type"]
        return "an array of names, or of numbers from 0" if isinstance(kinds, list) else f"an array of {kinds}s"
    limits = (f"{word} {entry[key]:.15g}" for key, word in LIMITS.items() if entry.get(key, 2**63 - 1) != 2**63 - 1)
    return " ".join([TYPES[entry["type"]], *limits])


def of_kinds(schema, key):
    """What each kind says of a key, by the kinds that have it; nothing where no key depends on a kind."""
    conditions = {}
    for condition in schema.get("allOf", []):
        ((kind_key, kind),) = condition["if"]["properties"].items()
        conditions[kind["const"]] = condition["then"]
    names = schema["properties"][kind_key]["enum"] if conditions else []
    found = {}
    for name in names:
        condition = conditions.get(name, {})
        says = condition.get("properties", {}).get(key, {})
        if says is not False:
            found[name] = {**says, "required": key in condition.get("required", [])}
    return found, len(names)


def line_of(schema, key):
    entry = schema["properties"][key]
    kinds, count = of_kinds(schema, key)
    text = f"`{key}`: {allowed({**entry, **next(iter(kinds.values()), {})})}"
    if len(kinds) < count:
        text += f", of {', '.join(kinds)}"
    text += f". {entry.get('description', '')}"
    defaults = {}
    for kind, says in kinds.items():
        if says["required"] or "default" in says:
            value = "required" if says["required"] else json.dumps(says["default"])
            defaults.setdefault(value, []).append(kind)
    if key in schema.get("required", []):
        defaults = {"required": []}
    elif "default" in entry:
        defaults = {json.dumps(entry["default"]): []}
    if len(defaults) == 1:
        text += f" Default: {next(iter(defaults))}."
    elif defaults:
        text += f" Default: {'; '.join(f'{value} of ' + ', '.join(of) for value, of in defaults.items())}."
    return text.replace("Default: required.", "Required.").replace(". .", ".")


def kind_of(alternative):
    ((key, value),) = [(name, one["const"]) for name, one in alternative["properties"].items() if "const" in one]
    return key, value


def known_keys(alternatives, number):
    """The keys that an alternative has as one before it has them, and what that is called."""
    keys = alternatives[number]["properties"]
    for earlier in alternatives[:number]:
        same = [key for key, entry in keys.items() if earlier["properties"].get(key) == entry]
        if len(same) > 5:
            return same, kind_of(earlier)[1]
    return [], None


def lines_of(schema, margin="", known=()):
    """A list of the keys of an object and of what is in them."""
    for key, entry in schema["properties"].items():
        if key == "$schema" or "const" in entry or key in known:
            continue
        indent = margin + "  "
        yield textwrap.fill(line_of(schema, key), 118, initial_indent=margin + "- ", subsequent_indent=indent,
                            break_long_words=False, break_on_hyphens=False)
        alternatives = entry.get("oneOf", [])
        for number, one in enumerate(alternatives):
            yield "{}- `\"{}\": \"{}\"`".format(indent, *kind_of(one))
            same, earlier = known_keys(alternatives, number)
            yield from lines_of(one, indent + "  ", same)
            if earlier:
                yield f"{indent}  - and the keys of `{earlier}`."
        inner = [one for one in entry.get("anyOf", []) if one.get("type") == "object"]
        for one in [entry, entry.get("items", {}), *inner]:
            if "properties" in one:
                yield from lines_of(one, indent)


@unittest.skipIf(jsonschema is None, "python3-jsonschema is missing")
class Schema(ProgramTest):
    def fits(self, scenario):
        return jsonschema.Draft7Validator(SCHEMA).is_valid(scenario)

    def test_takes_what_is_shipped_and_what_is_written(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)
        listed = self.json_of("list", "scenarios")["scenarios"]
        self.assertGreater(len(listed), 15)
        for entry in listed:
            for scenario in (self.read_json(FOLDER / f"{entry['name']}.json"), entry["resolved"]):
                jsonschema.validate(scenario, SCHEMA, jsonschema.Draft7Validator)

    def test_refuses_what_the_program_refuses(self):
        """Each change of a scenario that is fine, by its path."""
        changes = [
            (["steps"], 0), (["steps"], 1e3), (["optimizer", "kind"], "adam"), (["optimizer", "kind"], "nosuch"),
            (["optimizer", "momentum"], 0.5), (["batch"], "half"), (["batch"], 2), (["batch"], {"rows": "full"}),
            (["huber_delta"], 1), (["$schema"], "scenario.schema.json"), (["optimiser"], {}), (["data", "density"], 2),
            (["data", "kind"], "teacher"), (["data", "kind"], "blobs"), (["data", "condition"], 3),
            (["data", "source"], "csv"), (["target"], {"loss": 1, "most_steps": 5}), (["model", "layers"], []),
            (["optimizer", "schedule"], {"kind": "step"}), (["optimizer", "schedule"], {"kind": "cosine"}),
        ]  # fmt: skip
        self.variables = {"GDBENCH_SCENARIO_PATH": str(self.folder)}
        for path, value in changes:
            scenario = {**self.read_json(FOLDER / "linreg-3x2.json"), "name": "changed"}
            functools.reduce(dict.get, path[:-1], scenario)[path[-1]] = value
            self.write_json("s.json", scenario)
            _, errors = self.call("list", "scenarios", "--json", status=None)
            # Losses and data that do not fit each other are the program's own to find.
            self.assertEqual(self.fits(scenario), errors == "" or "data that have labels" in errors, f"{path} {errors}")


class Readme(unittest.TestCase):
    def test_lists_every_key(self):
        readme = FOLDER / "README.md"
        before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
        found, after = rest.split(END)
        expected = "\n".join(lines_of(SCHEMA)) + "\n"
        if "GDBENCH_UPDATE_GOLDEN" in os.environ:
            readme.write_text(before + BEGIN + expected + END + after, encoding="utf-8")
        self.assertEqual(found, expected, "GDBENCH_UPDATE_GOLDEN=1 writes it anew")
