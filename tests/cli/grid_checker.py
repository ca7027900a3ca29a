"""Proves the grid of the first screen: scenarios down, kinds of implementations across."""

import math
import re

from overview_rows import shortened
from printed_figures import UNITS, is_ratio, rounds_to
from report_figures import FAILURES
from sentence_templates import Lie, require, template

PLACE = re.compile(
    r"(?P<open>\()?(?P<mark>[*=])?(?:(?P<figure>[\d.]+)(?: (?P<unit>ns|us|ms|s)(?![\w/]))?)(?P<close>\))?"
    r"(?: +(?P<name>[^ ].*?))??(?: +(?P<ratio>[\d.]+x))?"
)


def words_in(label):
    return [word for word in re.split(r"[\[\], ]+", label) if word]


def abbreviates(printed, label):
    """Whether the words of a printed label are those of a row's, in their order, some left out or by their values."""
    rest = words_in(label)
    for word in words_in(printed):
        stem = word.removesuffix("..")
        fits = lambda other: (
            other.startswith(stem) or other.partition("=")[2].startswith(stem)
            if word.endswith("..")
            else (word in (other, other.partition("=")[2]) or other.endswith("." + word))
        )
        while rest and not fits(rest[0]):
            rest.pop(0)
        if not rest:
            return False
        rest.pop(0)
    return True


def find_rows(context, labels):
    """The rows that the printed labels stand for, in the report's order."""
    rows = list(context.overview.rows)
    for width in (60, context.width * 2 // 5):
        if shortened([row.label for row in rows], width) == labels:
            return rows
    found = []
    for label in labels:
        while rows and not abbreviates(label, rows[0].label):
            rows.pop(0)
        require(rows, f"no row is called {label!r}")
        found.append(rows.pop(0))
    return found


def timed_of(overview, key):
    """(row, cell) of the rows in which a column has a time."""
    return [(row, c) for row in overview.rows if (c := row.entries.get(key)) is not None and c.is_timed]


def key_of(context, title):
    """The column with that title, which may be its only implementation's name."""
    overview = context.overview
    squeezed = title.replace(" ", "")
    for key in overview.keys:
        variants = {cell.variant for _, cell in timed_of(overview, key)}
        names = variants if overview.by_kind and len(variants) == 1 else {key}
        if squeezed in {name.replace(" ", "") for name in names}:
            return key, overview.by_kind and len(variants) > 1
    raise Lie(f"no column is called {title!r}")


def distance_of(overview, key):
    """How far a column is behind the fastest, on the average of its rows, as a logarithm."""
    ratios = [cell.step.value / row.standing.first.step.value for row, cell in timed_of(overview, key)
              if overview.counts(cell)]
    return sum(map(math.log, ratios)) / len(ratios)


def worths(overview):
    """Column -> (1 for the best framework, 2 for the baseline, 3 for the winner, else 0; its rows that are ahead; how
    near it is to the fastest): the least are left out first."""
    near = {key: math.inf if key == overview.baseline else distance_of(overview, key) for key in overview.keys}
    ahead = {
        key: sum(overview.decided(row) is not None and row.standing.mark(cell) != "" or cell is row.standing.first
                 for row, cell in timed_of(overview, key))
        for key in overview.keys
    }
    loads = [key for key in overview.keys if any("import_seconds" in launch for _, cell in timed_of(overview, key)
                                                 for launch in cell.record["launches"])]
    framework = min(loads, key=near.get, default=None)
    winner = max(overview.keys, key=lambda key: (ahead[key], -near[key]))
    kept = lambda key: 3 if key == winner else 2 if key == overview.baseline else 1 if key == framework else 0
    return {key: (kept(key), ahead[key], -near[key]) for key in overview.keys}


@template(r"Left out for lack of width: (?P<names>.+)\.")
def left_out_columns(context, sentence, names):
    if sentence.cut:
        context.left_out = None
        return
    left_out = {key_of(context, name)[0] for name in names.split(", ")}
    worth = worths(context.overview)
    others = [worth[key] for key in context.overview.keys if key not in left_out]
    require(others and max(map(worth.get, left_out)) <= min(others), "others are farther behind")
    context.left_out = left_out


def check_columns(context):
    """Complaints where the columns of the grid are not all but those that are said to be left out."""
    if context.left_out is None or context.overview.turned or not context.shown_keys:
        return []
    left_out = set(context.overview.keys) - set(context.shown_keys)
    return [] if left_out == context.left_out else [f"left out are {left_out}, said to be are {context.left_out}"]


def check_place(context, row, key, named, text, unit):
    overview, cell = context.overview, row.entries.get(key)
    if text == "-":
        require(cell is None or not (cell.is_timed or cell.state in FAILURES), "there is a cell")
    elif text in FAILURES:
        require(cell is not None and not cell.is_timed and cell.state == text, "it did not fail so")
    else:
        require(cell is not None and cell.is_timed, "it has no time")
        match = PLACE.fullmatch(text)
        require(match, "no figure")
        brackets = overview.any_ranked and not cell.is_ranked
        require(bool(match["open"]) == bool(match["close"]) == brackets, "brackets are for cells without a rank")
        mark = row.standing.mark(cell) if overview.any_ranked and not brackets else ""
        require((match["mark"] or "") == mark, f"its mark is {mark!r}")
        scale = UNITS[match["unit"] or unit]
        rounded = float(f"{cell.step.value:.3g}")
        require(rounds_to(rounded / scale, match["figure"]), f"it takes {cell.step.value} ns")
        require(match["name"] is None or (named and match["name"] == cell.mode), f"it is {cell.mode}")
        comparison = overview.ratio_shown(row, cell)
        require(
            match["ratio"] is None or (comparison and is_ratio(match["ratio"], comparison.ratio)),
            f"the ratio is {comparison}",
        )


def check_ratio(context, row, text):
    cell = row.standing.first
    comparison = cell and context.overview.to_run_baseline(cell)
    if comparison:
        require(is_ratio(text, comparison.ratio), f"the ratio is {comparison.ratio}")
    else:
        require(
            text == ("1" if cell and cell.implementation == context.overview.baseline else "-"), "there is no ratio"
        )


def check_lead(context, row, text):
    standing = row.standing
    if context.overview.any_ranked and standing.won:
        require(is_ratio(text, standing.lead.ratio), f"the lead is {standing.lead.ratio}")
    else:
        require(text == ("tie" if context.overview.any_ranked and standing.tied else "-"), "nobody wins")


def check_grid(context, table):
    """Complaints about the grid; remembers which rows it shows."""
    splits = [re.fullmatch(r"(.+?)(?: +(ns|us|ms|s))?", row[0].strip()).groups() for row in table.rows]
    complaints = []
    try:
        rows = find_rows(context, [label for label, _ in splits])
    except Lie as lie:
        return [str(lie)]
    context.shown_rows = rows
    context.shown_keys = []
    for row, texts, (label, unit) in zip(rows, table.rows, splits):
        for title, text in zip(table.titles[1:], texts[1:]):
            try:
                if title == "lead":
                    check_lead(context, row, text)
                elif title == "ratio":
                    check_ratio(context, row, text)
                else:
                    key, named = key_of(context, title)
                    context.shown_keys.append(key)
                    check_place(context, row, key, named, text, unit)
            except (Lie, ValueError) as lie:
                complaints.append(f"{label}, {title}: {text!r}: {lie}")
    return complaints
