"""Answers as JSON has them under "document": their sentences, tables and charts, wherever these stand."""

import math
import re

from expected_words import estimate, number, percent, ratio, time

SAME = 1e-9
FOREST = "Lines are intervals, and an arrow ends one that goes on beyond the axis. The vertical line is a ratio of 1."


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


def table(rows):
    """As JSON has a table with these rows, titles first."""
    return {"table": {"title": "", "columns": rows[0], "rows": rows[1:]}}


def launches(count, more=""):
    return f"{count}{more} launch" + ("" if count == 1 else "es")


def finite(*values):
    """Numbers as JSON has them."""
    return [value if math.isfinite(value) else None for value in values]


def value_of(of):
    """As a chart of rows has a value with its interval."""
    return {"axis": 0, "value": of.value, "interval": finite(of.low, of.high)}


def forest(title, rows, band=None):
    return {"axes": [{"title": title, "logarithmic": True}], "rows": rows, "band": band}


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
