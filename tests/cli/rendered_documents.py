"""Markdown reports taken apart: sentences, and tables by their columns' titles."""

import re
from typing import NamedTuple


class Sentence(NamedTuple):
    text: str
    scenario: str | None  # the label of the heading that it stands under


class Table(NamedTuple):
    titles: list
    rows: list  # of texts, one per title
    scenario: str | None
    name: str = ""  # the line above it


def split_columns(line):
    return re.split(r" {2,}", line.strip())


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


def markdown_row(line):
    return [unescaped(cell.strip(" ")) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def without_legend(text):
    """Without the lines that explain columns."""
    return text[: text.index("\n- time per step, time/step: ")]


def markdown(text):
    """Sentences and tables of a report."""
    found, scenario, name = [], None, ""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("## "):
            scenario, name = unescaped(line[3:]), ""
            scenario = None if scenario in ("Costs", "Threads", "Summary") else scenario
        elif line.startswith("| "):
            titles, rows = markdown_row(line), []
            number += 2
            while number < len(lines) and lines[number].startswith("|"):
                rows.append(markdown_row(lines[number]))
                number += 1
            found.append(Table(titles, rows, scenario, name))
            name = ""
            continue
        elif line and not line.startswith("# "):
            name = unescaped(line.removeprefix("- "))
            found.append(Sentence(name, scenario))
        number += 1
    return found


def plain_lines(text):
    """The lines of a report without what a medium adds: marks of Markdown, the widths of columns and empty cells."""
    lines = []
    for line in text.split("\n"):
        line = re.sub(r"^\s*(?:- |#+ )?", "", line)
        words = (" ".join(markdown_row(line)) if line.startswith("| ") else unescaped(line)).split()
        lines.append([word for word in words if word != "-"])
    return lines
