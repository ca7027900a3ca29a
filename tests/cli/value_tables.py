"""What values of --set take beside the first one of their key, computed from the samples."""

import math
from functools import lru_cache
from typing import NamedTuple

import estimates
from report_figures import pairs_of


class Value(NamedTuple):
    cell: object
    first: object
    key: str
    comparison: estimates.Comparison
    work: float | None  # operations over those of the first

    def setting(self, report, cell):
        return f"{self.key}={report.scenarios[cell.scenario]['side_by_side']['values'][self.key]}"


def are_side_by_side(report, *cells):
    groups = [report.scenarios[cell.scenario].get("side_by_side", {}).get("first") for cell in cells]
    return cells[0].scenario == cells[1].scenario or (groups[0] == groups[1] and groups[0] is not None)


@lru_cache(maxsize=None)
def values_of(report):
    """In the report's order of cells, then by key."""
    timed = [c for c in report.cells if c.is_timed and "side_by_side" in report.scenarios[c.scenario]]
    own_values = lambda cell: report.scenarios[cell.scenario]["side_by_side"]["values"]
    group = lambda cell: report.scenarios[cell.scenario]["side_by_side"]["first"]
    rest = lambda cell: (
        group(cell), cell.implementation, cell.threads, cell.arm,
        [(key, value) for key, value in cell.options.items() if key != "epsilon_place"],
    )
    found = []
    for cell in timed:
        first_values = report.scenarios[group(cell)]["side_by_side"]["values"]
        for key in sorted(first_values):
            wanted = {**own_values(cell), key: first_values[key]}
            if wanted == own_values(cell):
                continue
            first = next((c for c in timed if rest(c) == rest(cell) and own_values(c) == wanted), None)
            if first and pairs_of(first, cell):
                found.append(Value(cell, first, key, compare(report, first, cell), work_of(report, first, cell)))
    return found


def compare(report, first, cell):
    """By the stricter rules of both scenarios."""
    rules = [report.rules(scenario) for scenario in (first.scenario, cell.scenario)]
    margin, unfit = max(margin for margin, _ in rules), any(unfit for _, unfit in rules)
    return estimates.verdict_of(estimates.paired_ratio(pairs_of(first, cell)), margin, unfit=unfit)


def work_of(report, first, cell):
    work, of_first = (report.scenarios[one.scenario]["operations_per_step"] for one in (cell, first))
    ratio = work / of_first
    return ratio if ratio != 1 else None


def row_of(context, cell):
    """The row of the first screen that the cell counts in."""
    return next((row for row in context.overview.rows if cell in row.cells and context.overview.counts(cell)), None)


@lru_cache(maxsize=4)
def pairs_of_values(context):
    """(scenario of the first value, scenario of the other) -> what implementations say of them, the fastest first."""
    pairs = {}
    for one in values_of(context.report):
        if row_of(context, one.cell) and row_of(context, one.first):
            pairs.setdefault((one.first.scenario, one.cell.scenario), []).append(one)
    return {pair: sorted(found, key=lambda one: one.first.step.value) for pair, found in pairs.items()}


def farthest(context):
    """Of the pair that is the farthest apart, the fastest and the next with another strategy."""
    order, pairs = list(context.report.scenarios), pairs_of_values(context)
    distance = lambda pair: abs(math.log(pairs[pair][0].comparison.ratio.value))
    places = sorted(pairs, key=lambda pair: [order.index(scenario) for scenario in pair])
    found = pairs[max(places, key=distance)] if pairs else []
    others = [one for one in found if one.first.strategy != found[0].first.strategy]
    return found[:1] + others[:1]


def value_records(report):
    """As the report's JSON has them."""
    return [
        {
            "cell": value.cell.id, "first": value.first.id, "key": value.key, "comparison": value.comparison,
            "operations_ratio": value.work,
        }
        for value in values_of(report)
    ]
