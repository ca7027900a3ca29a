"""Rendered reports taken apart again: sentences without their line breaks, and tables by their columns' titles."""

import re
from typing import NamedTuple

from printed_figures import TIME


NOT_RANKED = "not ranked (policies, no arithmetic, or more processors than threads):"


class Sentence(NamedTuple):
    text: str
    scenario: str | None  # the label of the heading that it stands under
    cut: bool = False  # its end was left out for lack of room


class Table(NamedTuple):
    titles: list
    rows: list  # of texts, one per title
    scenario: str | None
    name: str = ""  # the line above it


class Unreadable(Exception):
    """A line that is neither part of a table nor of a sentence."""


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def joinings(lines, width):
    """What the first lines may have been before they were broken, the longest first: [(text, number of lines)]. A line
    goes on in the next one only where that one's first word had no room; the legend of the grid begins a line."""
    found = [(lines[0].strip(), 1)]
    for number in range(1, len(lines)):
        before, line = lines[number - 1].rstrip(), lines[number]
        if not line.strip() or indent_of(line) != indent_of(lines[0]) or line.startswith(("* wins", "= tied")):
            break
        word = line.split()[0]
        if len(before) + 1 + len(word) <= width:
            break
        found.append((found[-1][0] + " " + line.strip(), number + 1))
    return found[::-1]


def paragraphs(lines, width, is_proven, scenario=None):
    """Sentences of lines that were broken at `width`; `is_proven` chooses one of several readings."""
    sentences = []
    while lines:
        if not lines[0].strip():
            lines = lines[1:]
            continue
        readings = [(text, count, text.endswith(" ...")) for text, count in joinings(lines, width)]
        if len(lines) > 3 and lines[3].strip() == "...":
            whole = [(t + " ...", 4, True) for t, c in joinings(lines, width) if c == 3] + readings
            readings = whole
        text, count, cut = next((r for r in readings if is_proven(Sentence(r[0], scenario, r[2]))), readings[0])
        sentences.append(Sentence(text, scenario, cut))
        lines = lines[count:]
    return sentences


def header_columns(lines):
    """(title, end) of the right-aligned columns of a header of several lines, and the first column's title."""
    parts = {}
    first = ""
    for line in lines:
        for match in re.finditer(r"\S+(?: \S+)*", line):
            if match.start() == 0:
                first = (first + " " + match.group()).strip()
            else:
                parts.setdefault(match.end(), []).append(match.group())
    return first, sorted((end, "".join(words)) for end, words in parts.items())


def is_grid_row(line):
    """A scenario's: its unit stands before the places; without a time it has none, but a failure."""
    return bool(
        re.search(r"\S +(?:ns|us|ms|s) {2,}\S", line)
        or re.match(r"\S.* {2,}(?:.*\s)?(?:(?:wrong|crashed|timed out|untrusted)\b|-(?:\s|$))", line)
    )


def grid_row(line, ends):
    """Label with unit, and what stands up to each end of a column."""
    match = re.match(r"(.*?\S +(?:ns|us|ms|s)|.*?\S)(?= {2,})", line)
    starts = [match.end(), *ends]
    return [match[1], *(line[start:end].strip() for start, end in zip(starts, ends))]


def turned_table(header, lines):
    ratio = "ratiotobaseline" if "baseline" in " ".join(header) else "ratiotothefastest"
    rows = [split_columns(line) for line in lines]
    return Table(["implementation", "timeperstep,95%", ratio, "verdict"][: len(rows[0])], rows, None)


def first_screen(text, width, turned, is_proven):
    """(head, table or None, sentences) of the console's first screen. `turned`: implementations are for going down."""
    lines = text.rstrip("\n").split("\n")
    head_end = lines.index("")
    end = max(i for i, line in enumerate(lines) if line.startswith("More: "))
    body = lines[head_end + 1 : end]
    is_row = (lambda line: bool(re.search(rf"\S {{2,}}\(?[*=]?{TIME} \[", line))) if turned else is_grid_row
    rows = [i for i, line in enumerate(body) if is_row(line) and "" not in body[:i]]
    table = None
    if rows:
        header, body_rows = body[: rows[0]], [body[i] for i in rows]
        first, columns = header_columns(header)
        grid = lambda: Table(
            [first, *(title for _, title in columns)], [grid_row(r, [e for e, _ in columns]) for r in body_rows], None
        )
        table = turned_table(header, body_rows) if turned else grid()
        body = body[rows[-1] + 1 :]
    return lines[:head_end], table, paragraphs(body, width, is_proven)


def split_columns(line):
    return re.split(r" {2,}", line.strip())


def details(text, width, labels, is_proven):
    """Sentences and tables of the console's tables by scenario."""
    found, scenario, name, waiting, lines = [], None, "", [], text.rstrip("\n").split("\n")

    def flush():
        found.extend(paragraphs(waiting, width, is_proven, scenario))
        waiting.clear()

    number = 0
    while number < len(lines):
        line = lines[number]
        if line in labels and (number == 0 or not lines[number - 1]):
            flush()
            scenario, name = line, ""
        elif line and not line.startswith(" ") and number > 0 and not lines[number - 1]:
            flush()
            scenario = None
            waiting.append(line)
        elif (
            line.startswith("    ")
            and waiting
            and number
            and indent_of(waiting[-1]) == 2
            and "  " in waiting[-1].strip()
        ):
            waiting[-1] += " " + line.strip()  # of the reason beside a name
        elif line.startswith("  implementation  ") or line == "  implementation":
            name = waiting[-1].strip() if waiting and waiting[-1].endswith(":") else ""
            flush()
            titles, rows = split_columns(line), []
            while number + 1 < len(lines) and lines[number + 1].startswith("  "):
                cells = split_columns(lines[number + 1])
                if cells[0].startswith("not ranked ("):
                    end = next(i for i, line in enumerate(lines[number + 1 :], 1) if line.endswith("):"))
                    if " ".join(map(str.strip, lines[number + 1 : number + 1 + end])) != NOT_RANKED:
                        break
                    number += end
                    continue
                if len(cells) != len(titles):
                    break
                rows.append(cells)
                number += 1
            found.append(Table(titles, rows, scenario, name))
        else:
            waiting.append(line)
        number += 1
    flush()
    return found


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


def markdown_row(line):
    return [unescaped(cell.strip(" ")) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def markdown(text):
    """Sentences and tables of the Markdown report, which ends before the lines that explain columns."""
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
