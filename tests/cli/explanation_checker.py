"""Proves what `gdbench explain` says of a report, from what its samples say."""

import functools
import json

from expected_words import plural
from explanation_documents import explain
from explanation_facts import Explained
from values_checker import SAME, mismatches


@functools.cache
def explained(report, a, b):
    return Explained(explain(report, a, b), report)


def check_explanations(report, pairs, text):
    """Of the JSON: the record, and a section of the document for each pair; the verdict of a single pair is the
    document's answer."""
    values, proofs = json.loads(text), [explained(report, *pair) for pair in pairs]
    expected = [proof.told for proof in proofs]
    slack = SAME * max(max(told["a_step_ns"].value, told["b_step_ns"].value) for told in expected)
    complaints = mismatches(values["explanations"], expected, slack=slack)
    document, alone = values["document"], len(pairs) == 1
    if len(document["sections"]) != len(pairs):
        return [*complaints, f"{len(document['sections'])} sections, not {len(pairs)}"]
    whole = f"Why is one faster than the other? {plural(len(pairs), 'pair')} of cells"
    complaints += [] if alone or document["title"] == whole else [f"the title {document['title']!r}"]
    for section, proof in zip(document["sections"], proofs):
        title = document["title"] if alone else section["title"]
        complaints += [] if title.endswith(" against ".join(proof.names.both)) else [f"{title!r} is another pair"]
        complaints += proof.complaints(section, document["answer"] if alone else [])
    return complaints
