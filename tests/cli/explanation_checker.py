"""Proves what `gdbench explain` says of a report, from what its samples say."""

import json
import re

from expected_words import first_mismatch
from explanation_documents import explain
from explanation_facts import Explained
from values_checker import SAME, mismatches


def check_explanations(report, pairs, text):
    """Of the console's text, whose lines were not broken: a part for each pair."""
    told, complaints, part = [Explained(explain(report, *pair), report) for pair in pairs], [], -1
    rows = []
    for line in filter(None, text.split("\n")):
        if not line.startswith(" "):
            part += 1
            rows = list(told[part].rows) if part < len(told) else []
            complaints += [] if part < len(told) and told[part].is_heading(line) else [f"{line!r} is another pair"]
        elif rows and re.match(rf"    {rows[0][0][0]}  ", line):
            texts, parts = re.split(r" {2,}", line.strip()), rows.pop(0)
            wrong = [why for why in map(first_mismatch, texts, parts) if why] or len(texts) != len(parts)
            complaints += [f"{line!r}: {wrong}"] if wrong else []
        elif part < len(told):
            complaints += told[part].complaints(line.strip())
    return complaints if part + 1 == len(told) else [*complaints, f"{part + 1} pairs, not {len(told)}"]


def check_json(report, pairs, text):
    document, expected = json.loads(text), [explain(report, *pair) for pair in pairs]
    slack = SAME * max(max(told["a_step_ns"].value, told["b_step_ns"].value) for told in expected)
    return mismatches(document["explanations"], expected, slack=slack)
