"""Proves what `gdbench explain` says of a report, from what its samples say."""

import json

from expected_words import plural
from explanation_documents import explain
from explanation_facts import Names, check_explanation
from values_checker import SAME, mismatches


def check_explanations(report, pairs, text):
    """Of the JSON: the record, and a section of the document for each pair; the verdict of a single pair is the
    document's answer."""
    values, expected = json.loads(text), [explain(report, *pair) for pair in pairs]
    slack = SAME * max(max(told["a_step_ns"].value, told["b_step_ns"].value) for told in expected)
    complaints = mismatches(values["explanations"], expected, slack=slack)
    document, alone = values["document"], len(pairs) == 1
    if len(document["sections"]) != len(pairs):
        return [*complaints, f"{len(document['sections'])} sections, not {len(pairs)}"]
    whole = f"Why is one faster than the other? {plural(len(pairs), 'pair')} of cells"
    complaints += [] if alone or document["title"] == whole else [f"the title {document['title']!r}"]
    for section, told in zip(document["sections"], expected):
        title, names = document["title"] if alone else section["title"], Names(told)
        complaints += [] if title.endswith(f"{names.a} against {names.b}") else [f"{title!r} is another pair"]
        complaints += check_explanation(told, report, section, document["answer"] if alone else [])
    return complaints
