"""What the grid of a report's first screen must hold."""

import re

from overview_rows import shortened
from printed_figures import UNITS, is_ratio, rounds_to
from report_figures import FAILURES

LONGEST_LABEL = 60  # of a row of the first screen
MOST_ROWS = 25  # of implementations, on the first screen


PLACE = re.compile(
    r"(?P<open>\()?(?P<mark>[*=])?(?P<figure>[\d.]+)(?: (?P<unit>ns|us|ms|s)(?![\w/]))?(?P<close>\))?"
    r"(?: +(?P<name>[^ ].*?))??(?: +(?P<ratio>[\d.]+x))?"
)


def is_place(context, row, key, text, unit):
    """Whether the text is that of a row in the grid's column: its mark, time, mode and ratio, or why there is none."""
    overview, cell = context.overview, row.entries.get(key)
    if cell is None or not cell.is_timed:
        return text == (cell.state if cell is not None and cell.state in FAILURES else "-")
    match, comparison = PLACE.fullmatch(text), overview.ratio_shown(row, cell)
    brackets = overview.any_ranked and not cell.is_ranked
    mark = row.standing.mark(cell) if overview.any_ranked and not brackets else ""
    return (
        match is not None and bool(match["open"]) == bool(match["close"]) == brackets and (match["mark"] or "") == mark
        and rounds_to(float(f"{cell.step.value:.3g}") / UNITS[match["unit"] or unit], match["figure"])
        and (match["name"] is None or match["name"] == cell.mode)
        and (match["ratio"] is None if comparison is None else is_ratio(match["ratio"] or "0", comparison.ratio))
    )


def without_marks(context, table_rows):
    """(complaints, the rows without marks) of the first screen's implementations down, of the only scenario."""
    overview = context.overview
    row, complete = overview.rows[0], len(table_rows) == min(len(overview.keys), MOST_ROWS)
    complaints, bare = [] if complete else [f"{len(table_rows)} rows of {len(overview.keys)}"], []
    for name, text, *others in table_rows:
        cell = row.entries[name]
        brackets = overview.any_ranked and not cell.is_ranked
        mark = "(" if brackets else row.standing.mark(cell) if overview.any_ranked else ""
        bare.append([name, text.removeprefix(mark).removesuffix(")"), *others])
        right = bare[-1][1][0].isdigit() and text.endswith(")") == brackets
        complaints += [] if right else [f"{name}: {text!r} has another mark than {mark!r}"]
    return complaints, bare


def is_lead(context, row, text):
    if context.overview.any_ranked and row.standing.won:
        return is_ratio(text, row.standing.lead.ratio)
    return text == ("tie" if context.overview.any_ranked and row.standing.tied else "-")


def key_of(overview, title):
    """The column with that title, which may be its only implementation's name."""
    for key in overview.keys:
        cells = [cell for row in overview.rows if (cell := row.entries.get(key)) is not None and cell.is_timed]
        variants = {cell.variant for cell in cells}
        if title in (variants if overview.by_kind and len(variants) == 1 else {key}):
            return key
    return None


def check_grid(context, titles, table_rows):
    """Of the first screen's scenarios down and kinds across; says which rows are shown."""
    rows = dict(zip(shortened([row.label for row in context.overview.rows], LONGEST_LABEL), context.overview.rows))
    context.shown_rows, complaints = [], []
    for label, *texts in table_rows:
        label, unit = re.fullmatch(r"(.+?)(?: +(ns|us|ms|s))?", label).groups()
        if label not in rows:
            return [f"no row is called {label!r}"]
        context.shown_rows.append(rows[label])
        for title, text in zip(titles[1:], texts):
            right = is_lead(context, rows[label], text) if title == "lead" else (
                is_place(context, rows[label], key_of(context.overview, title), text, unit)
            )
            complaints += [] if right else [f"{label}, {title}: {text!r} is not what its samples say"]
    return complaints
