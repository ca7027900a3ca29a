"""Templates of the sentences that say why the winner leads, and how far the best framework is behind."""

import re

from explanation_documents import dispatch_cost, explain
from explanations import imports
from printed_figures import NUMBER, PERCENT, TIME, is_percent, is_time, three_digits
from sentence_templates import check_ratio, require, template


def decided_rows(context):
    rows = context.overview.rows if context.overview.any_ranked else []
    return [row for row in rows if row.standing.next and (row.standing.won or row.standing.lead.is_clear)]


def name_of(context, cell):
    return cell.name if context.overview.turned else cell.variant


def best_framework(context, row):
    """(cell, ratio of its time to the fastest's); nothing where the fastest is a framework's, or none has a time."""
    frameworks = [cell for cell in row.cells if context.overview.counts(cell) and imports(cell)]
    if not frameworks or imports(row.standing.first):
        return None
    best = context.report.standing(frameworks).first
    ratio = context.report.compare(row.standing.first, best).ratio
    return (best, ratio) if ratio.launches > 0 else None


@template(r"Why (?P<fast>.+?) leads (?P<slow>.+?)(?: \((?P<brief>[^()]+)\))?: (?P<reasons>.+?)\.?")
def reasons_of_the_largest_lead(context, sentence, fast, slow, brief, reasons):
    rows = decided_rows(context)
    require(rows, "no row is decided")
    row = max(rows, key=lambda row: row.standing.lead.ratio.value)
    first = row.standing.first
    require(brief == (None if context.overview.turned else row.brief), f"the largest lead is on {row.brief}")
    require(fast == name_of(context, first), f"{name_of(context, first)} leads")
    framework, _ = best_framework(context, row) or (None, None)
    others = [cell for cell in (row.standing.next, framework) if cell and name_of(context, cell) == slow]
    require(others, f"{slow} is neither the runner-up nor the best framework")
    told = list(filter(None, (check(context, first, others[0], fast, slow) for check in (calls, phase))))
    parts = reasons.split("; ")
    if sentence.cut:
        told, parts = told[: len(parts) - 1], parts[:-1]
    expected = told or ([] if sentence.cut else [(re.escape("unknown, gdbench explain says what to measure"), [])])
    require(len(parts) == len(expected), f"{len(expected)} reasons are known")
    for part, (pattern, figures) in zip(parts, expected):
        match = re.fullmatch(pattern, part)
        require(match, f"{part!r}: expected {pattern}")
        require(all(fits(text) for fits, text in zip(figures, match.groups())), f"{part!r}: other figures")


def calls(context, fast, slow, fast_name, slow_name):
    """(pattern, a check of each figure in it)."""
    fast_name, slow_name = re.escape(fast_name), re.escape(slow_name)
    cost = dispatch_cost(slow)
    if cost and cost["share"] >= 0.05:
        noun = "call" if cost["dispatches"] == 1 else "calls"
        pattern = rf"{slow_name} makes ({NUMBER}) {noun} into its framework per step, at least ({PERCENT}) of its time"
        fits_calls = lambda text: three_digits(cost["dispatches"], text)
        return pattern, [fits_calls, lambda text: is_percent(text, cost["share"])]
    of_fast, of_slow = round(fast.calls()), round(slow.calls())
    known = fast.profile and slow.profile and not imports(fast) and not imports(slow)
    if not known or of_slow in (0, of_fast):
        return None
    own = f"({NUMBER})" if of_fast else "runs in one piece"
    noun = "call" if of_slow == 1 else "calls"
    pattern = rf"{slow_name} makes ({NUMBER}) {noun} of kernels per step, {fast_name} {own}"
    return pattern, [lambda text: int(text) == of_slow, lambda text: int(text) == of_fast]


def phase(context, fast, slow, fast_name, slow_name):
    profiles = explain(context.report, fast, slow)["profiles"]
    first = profiles["phases"][0] if profiles and profiles["phases"] else None
    if not first or first["phase"] == "unattributed" or first["only_bounded"] or first["standing"] != "cause":
        return None
    fits = lambda key: lambda text: is_time(text, first[key])
    return rf"{first['phase']} takes ({TIME}) instead of ({TIME})", [fits("a_ns"), fits("b_ns")]


@template(
    r"The best framework takes (?P<least><RATIO>) \((?P<closest>[^()]+)\)"
    r"(?: to (?P<most><RATIO>) \((?P<farthest>[^()]+)\))? as long as the fastest\."
)
def best_frameworks(context, sentence, least, closest, most, farthest):
    rows = context.overview.rows if context.overview.any_ranked else []
    found = [(row, *best) for row in rows if (best := best_framework(context, row))]
    require(found, "no framework is behind")
    found.sort(key=lambda one: one[2].value)
    require(bool(most) == (len(found) > 1), f"frameworks are behind on {len(found)} rows")
    for text, place, (row, cell, ratio) in ((least, closest, found[0]), (most, farthest, found[-1])):
        if text:
            expected = name_of(context, cell) + ("" if context.overview.turned else f", {row.brief}")
            require(place == expected, f"found {place}, expected {expected}")
            check_ratio(text, ratio, "ratio")
