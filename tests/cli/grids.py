"""What the tables of a report hold whose rows are no cells: the first screen's grid, costs of sizes and of threads, and
values beside each other."""

import re

import cost_fits
import estimates
import thread_tables
from expected_words import Figure, estimate, first_mismatch, percent, ratio, time
from overview_rows import shortened
from printed_figures import TIME, UNITS, is_ratio, rounds_to
from report_figures import FAILURES
from tables import marked, signed
from value_tables import values_of

LONGEST_LABEL = 60  # of a row of the first screen


def check_rows(place, rows, expected):
    """`expected`: name -> parts of the other columns."""
    complaints = [] if [row[0] for row in rows] == list(expected) else [f"{place}: expected rows {list(expected)}"]
    for name, *texts in rows:
        wrong = list(map(first_mismatch, texts, expected.get(name, [])))
        complaints += [f"{place}, {name}: {text!r}: {why}" for text, why in zip(texts, wrong) if why]
    return complaints


def coefficient(of, at_bound):
    if not at_bound:
        return marked(estimate(of), of)
    at_most = ("0 (bound)",) if of.high == 0 else ("at most ", Figure(TIME, time(of.high).fits, of.high))
    return (*at_most, " *" if of.launches == 1 else "")


def check_costs(context, table):
    """Of the table of what size costs."""
    expected = {}
    for name, fit in cost_fits.fits_of(context.report).items():
        known = {title: coefficient(*of) for title, of in fit.coefficients.items()}
        known.update({"scenarios": (str(fit.scenarios),), "worst miss": (percent(fit.worst_miss),)})
        expected[name] = [known.get(title, ("-",)) for title in table.titles[1:]]
    return check_rows("costs", sorted(table.rows), dict(sorted(expected.items())))


def check_thread_costs(context, table):
    """Of the table of what threads cost each step."""
    expected = {
        found.cell.name: [marked(signed(found.undivided), found.undivided), (context.report.label(found.cell),)]
        for found in thread_tables.smallest_of(context.report)
    }
    return check_rows("threads", sorted(table.rows), dict(sorted(expected.items())))


def check_values(context, table):
    """Of a table whose rows are the cells with the first value of a key, and whose columns are values."""
    report, key = context.report, re.match(r"values of (\S+),", table.name)[1]
    values = [v for v in values_of(report) if report.label(v.first) == table.scenario and v.key == key]
    titles = {v.setting(report, v.cell): v for v in values}
    firsts = sorted(dict.fromkeys(v.first for v in values), key=lambda cell: cell.step.value)
    expected, complaints = {first.name: [marked(time(first.step.value), first.step)] for first in firsts}, []
    for title in table.titles[2:]:
        setting, _, work = title.partition(" (")
        value = titles.get(setting)
        if value is None or bool(work) != bool(value.work) or (work and not is_factor(work, value.work)):
            complaints.append(f"{title!r}: expected one of {titles}")
        for first in firsts:
            found = [v for v in values if v.first is first and v.setting(report, v.cell) == setting]
            expected[first.name].append(value_parts(found[0]) if found else ("-",))
    return complaints + check_rows(table.name, table.rows, expected)


def is_factor(text, value):
    return is_ratio(text.split(" ")[0], estimates.Estimate(value, value, value, 1))


def value_parts(value):
    return (*marked(ratio(value.comparison.ratio), value.comparison.ratio), f" {value.comparison.verdict}")


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
        match is not None
        and bool(match["open"]) == bool(match["close"]) == brackets
        and (match["mark"] or "") == mark
        and rounds_to(float(f"{cell.step.value:.3g}") / UNITS[match["unit"] or unit], match["figure"])
        and (match["name"] is None or match["name"] == cell.mode)
        and (match["ratio"] is None if comparison is None else is_ratio(match["ratio"] or "0", comparison.ratio))
    )


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


def check_grid(context, table):
    """Of the first screen's scenarios down and kinds across; says which rows are shown."""
    rows = dict(zip(shortened([row.label for row in context.overview.rows], LONGEST_LABEL), context.overview.rows))
    context.shown_rows, complaints = [], []
    for label, *texts in table.rows:
        label, unit = re.fullmatch(r"(.+?)(?: +(ns|us|ms|s))?", label).groups()
        if label not in rows:
            return [f"no row is called {label!r}"]
        context.shown_rows.append(rows[label])
        for title, text in zip(table.titles[1:], texts):
            right = is_lead(context, rows[label], text) if title == "lead" else (
                is_place(context, rows[label], key_of(context.overview, title), text, unit)
            )
            complaints += [] if right else [f"{label}, {title}: {text!r} is not what its samples say"]
    return complaints
