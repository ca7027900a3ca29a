"""What the grid of a report's first screen must hold."""

import re

from expected_words import UNITS, estimate, is_ratio, ratio, rounds_to
from overview_rows import shortened
from report_figures import FAILURES
from statements import known, word

TO_THE_FASTEST = "ratio to the fastest"
MOST_ROWS = 25  # of implementations, on the first screen

PLACE = re.compile(
    r"(?P<open>\()?(?P<mark>[*=])?(?P<figure>[\d.]+)(?: (?P<unit>ns|us|ms|s)(?![\w/]))?(?P<close>\))?"
    r"(?: +(?P<name>[^ ].*?))??(?: +(?P<ratio>[\d.]+x))?"
)


def mark_of(overview, row, cell):
    if overview.any_ranked and not cell.is_ranked:
        return "("
    return row.standing.mark(cell) if overview.any_ranked else ""


def is_place(overview, row, key, text, unit):
    """Whether the text is that of a row in the grid's column: its mark, time, mode and ratio, or why there is none."""
    cell = row.entries.get(key)
    if cell is None or not cell.is_timed:
        return text == (cell.state if cell is not None and cell.state in FAILURES else "-")
    match, comparison = PLACE.fullmatch(text), overview.ratio_shown(row, cell)
    return (
        match is not None and (match["open"] or match["mark"] or "") == mark_of(overview, row, cell)
        and bool(match["open"]) == bool(match["close"])
        and rounds_to(float(f"{cell.step.value:.3g}") / UNITS[match["unit"] or unit], match["figure"])
        and (match["name"] is None or match["name"] == cell.mode)
        and (match["ratio"] is None if comparison is None else is_ratio(match["ratio"] or "0", comparison.ratio))
    )


def ratio_facts(overview, cell):
    """Of the first screen's implementations down, where no baseline has a time."""
    shown = overview.turned and not overview.baseline and overview.ratio_shown(overview.rows[0], cell)
    if shown:
        yield known(ratio(shown.ratio), cell.name, columns=(TO_THE_FASTEST,))
        yield known(word(shown.verdict), cell.name, columns=(f"verdict of {TO_THE_FASTEST}",))


def without_marks(overview, table_rows):
    """(complaints, the rows with times that have no marks) of the first screen's implementations down."""
    row, complete = overview.rows[0], len(table_rows) == min(len(overview.keys), MOST_ROWS)
    complaints, bare = [] if complete else [f"{len(table_rows)} rows of {len(overview.keys)}"], []
    for name, text, *others in table_rows:
        cell = row.entries.get(name)
        if cell is None or not cell.is_timed:
            return [f"{name} has no time"], []
        mark, step = mark_of(overview, row, cell), cell.step
        time = text.removeprefix(mark).removesuffix(")") if mark == "(" else text.removeprefix(mark)
        right = known(estimate(step)).is_shown_by(time) and text == (f"({time})" if mark == "(" else mark + time)
        complaints += [] if right else [f"{name}: {text!r} instead of {mark} {step}"]
        bare.append([name, "-", *others])
    return complaints, bare


def key_of(overview, title):
    """The column with that title, which may be its only implementation's name."""
    for key in overview.keys:
        cells = [cell for row in overview.rows if (cell := row.entries.get(key)) is not None and cell.is_timed]
        variants = {cell.variant for cell in cells}
        if title in (variants if overview.by_kind and len(variants) == 1 else {key}):
            return key
    return None


def check_grid(overview, titles, table_rows):
    """Of the first screen's scenarios down and kinds across."""
    rows, complaints = dict(zip(shortened([row.label for row in overview.rows]), overview.rows)), []
    for label, *texts in table_rows:
        label, unit = re.fullmatch(r"(.+?)(?: +(ns|us|ms|s))?", label).groups()
        if label not in rows:
            return [f"no row is called {label!r}"]
        row, standing = rows[label], rows[label].standing
        has_lead = overview.any_ranked and standing.won
        for title, text in zip(titles[1:], texts):
            if title != "lead":
                right = is_place(overview, row, key_of(overview, title), text, unit)
            elif has_lead:
                right = is_ratio(text, standing.lead.ratio)
            else:
                right = text == ("tie" if overview.any_ranked and standing.tied else "-")
            complaints += [] if right else [f"{label}, {title}: {text!r} is not what its samples say"]
    return complaints
