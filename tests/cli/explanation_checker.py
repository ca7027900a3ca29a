"""Proves what `gdbench explain` says of a report, from what its samples say."""

import json

from documents import chart_complaints, parts_of, text_of
from expected_words import first_mismatch, plural
from explanation_documents import explain
from explanation_facts import Explained
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
        pair = Explained(told, report)
        title = document["title"] if alone else section["title"]
        complaints += [] if pair.is_heading(title) else [f"{title!r} is another pair"]
        sentences = [text_of(sentence) for sentence in document["answer"]] if alone else []
        charts = list(pair.charts)
        for kind, content in parts_of(section["blocks"]):
            if kind in ("paragraph", "command"):
                sentences.append(content)
            elif kind == "table":
                complaints += table_complaints(content, pair.rows)
            elif kind == "figure":
                (title, (words, rows)), *charts = charts or [("no figure", ("", []))]
                complaints += [] if content["title"] == title else [f"{content['title']} is not {title}"]
                complaints += [] if words in (None, content["sentence"]) else [content["sentence"]]
                complaints += chart_complaints(content, rows)
        complaints += [f"no chart {title!r}" for title, _ in charts]
        complaints += [complaint for sentence in sentences for complaint in pair.complaints(sentence)]
    return complaints


def table_complaints(table, expected):
    rows = [table["columns"], *table["rows"]]
    if len(rows) != len(expected):
        return [f"{len(rows)} rows of phases, not {len(expected)}"]
    return [f"{row}: {why}" for row, parts in zip(rows, expected) for why in map(first_mismatch, row, parts) if why]
