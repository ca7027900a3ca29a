"""Answers as JSON has them under "document": their sentences, tables and charts, wherever these stand."""

import json
import math
import re
from typing import NamedTuple

from expected_words import estimate, number, percent, ratio, time

SAME = 1e-9


def text_of(paragraph):
    return paragraph if isinstance(paragraph, str) else paragraph["text"]


def parts_of(blocks):
    """(kind, content) of each block; of a list its items, of a fold its blocks."""
    for block in blocks:
        ((kind, content),) = block.items()
        if kind == "fold":
            yield from parts_of(content["blocks"])
        elif kind == "list":
            yield from (("paragraph", text_of(item)) for item in content)
        else:
            yield kind, text_of(content) if kind == "paragraph" else content


class Sentence(NamedTuple):
    text: str
    scenario: str | None  # the label of the section that it stands in


class Table(NamedTuple):
    titles: list
    rows: list  # of texts, one per title
    scenario: str | None
    name: str = ""  # its title, or that of what it stands in


class Chart(NamedTuple):
    title: str
    rows: list
    scenario: str | None


def table_of(content, scenario, name):
    """Without what aligns the parts of texts."""
    return Table(content["columns"], [[text.strip() for text in row] for row in content["rows"]], scenario, name)


def items_of(document, labels):
    """What a report's document says, in its order; `labels` are sections of scenarios."""
    yield from (Sentence(text_of(sentence), None) for sentence in document["answer"])
    for section in document["sections"]:
        scenario = section["title"] if section["title"] in labels else None
        yield from items_of_blocks(section["blocks"], scenario, section["title"])


def items_of_blocks(blocks, scenario, name):
    for block in blocks:
        ((kind, content),) = block.items()
        if kind == "fold":
            yield from items_of_blocks(content["blocks"], scenario, content["summary"])
        elif kind == "paragraph":
            name = text_of(content)
            yield Sentence(name, scenario)
        elif kind == "list":
            yield from (Sentence(text_of(item), scenario) for item in content)
        elif kind == "table":
            yield table_of(content, scenario, content["title"] or name)
        elif kind == "figure":
            if "data" in content:
                yield table_of(content["data"], scenario, content["title"])
            if "rows" in content.get("chart", {}):
                yield Chart(content["title"], content["chart"]["rows"], scenario)


def words_of(items):
    """The words of each sentence and each row of a table, as a screen may show them in a line."""
    scenario = None
    for item in items:
        if item.scenario and item.scenario != scenario:
            yield item.scenario.split()
        scenario = item.scenario
        if isinstance(item, Sentence):
            yield item.text.split()
        elif isinstance(item, Table):
            for row in (item.titles, *item.rows):
                yield [word for word in " ".join(row).split() if word != "-"]


# What a report says of the machine, how it is read, and charts whose numbers no checker computes again.
UNREAD = ("Versions, compilers and libraries", "What the run began under", "Commands that repeat each cell")
UNREAD_CHARTS = ("Time to result", "Blocks in the order", "Launches in the order", "Time over", "Roofline")


def read_parts(text):
    """The JSON of a document without what checkers do not read."""

    def is_read(block):
        ((kind, content),) = block.items()
        if kind == "fold":
            content["blocks"] = list(filter(is_read, content["blocks"]))
            return not content["summary"].startswith((*UNREAD, "What columns"))
        if kind == "figure":
            content.pop("sentence")
            if "rows" not in content["chart"]:
                del content["chart"]
            return not content["title"].startswith(UNREAD_CHARTS) and ": loss over steps" not in content["title"]
        return True

    document = json.loads(text)
    for section in document["sections"]:
        section["blocks"] = list(filter(is_read, section["blocks"]))
    return json.dumps(document, indent=1, ensure_ascii=False)


def same(one, other):
    return math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)


def chart_complaints(figure, rows):
    """About a chart of rows with one value each that should have these: (label, value, interval or None)."""
    found = figure["chart"]["rows"]
    if [row["label"] for row in found] != [label for label, _, _ in rows]:
        return [f"{figure['title']}: rows {[row['label'] for row in found]}"]
    complaints = []
    for row, (label, value, interval) in zip(found, rows):
        (measured,) = row["values"]
        low, high = ends_of(interval) if interval else (value, value)
        expected = (value, low, high) if interval else (value,)
        if not all(map(same, (measured["value"], *measured.get("interval", ())), expected)):
            complaints.append(f"{figure['title']}: {label}: {measured}, expected {expected}")
        if not is_figure(row.get("figure", ""), Between(value, low, high)):
            complaints.append(f"{figure['title']}: {label}: {row['figure']!r} is not {value} [{low}, {high}]")
    return complaints


def ends_of(interval):
    return (interval.low, interval.high) if hasattr(interval, "low") else interval


class Between:
    """A value and its interval, as samples have it."""

    launches = 1

    def __init__(self, value, low, high):
        self.value, self.low, self.high = value, low, high


def is_figure(text, of):
    """Whether a text behind a row is its value, as a time, a share or a ratio; a difference has signs."""
    if re.search(r"(?<![\w.])[+-]\d", text):
        if (text[0] == "-") != (of.value < 0):
            return False
        of = Between(abs(of.value), abs(of.low), abs(of.high))
        text = re.sub(r"(?<![\w.])[+-](?=\d)", "", text)
    fitting = (time(of.value), estimate(of), percent(of.value), ratio(of), number(of.value))
    return any(re.fullmatch(figure.pattern, text) and figure.fits(text) for figure in fitting)
