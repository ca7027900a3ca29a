"""What values of --set take beside the first one of their key, computed from the samples, and where it is said."""

import math
import re
from functools import lru_cache
from typing import NamedTuple

import estimates
from printed_figures import RATIO, is_ratio, is_time
from report_figures import pairs_of
from sentence_templates import Lie, cell_in, require, template


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
        group(cell),
        cell.implementation,
        cell.threads,
        cell.arm,
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
    ratio = report.scenarios[cell.scenario]["operations_per_step"] / report.scenarios[first.scenario]["operations_per_step"]
    return ratio if ratio != 1 else None


def is_factor(text, value):
    return is_ratio(text, estimates.Estimate(value, value, value, 1))


def title_of(report, value):
    work = r" \((\S+x) the operations\)" if value.work else ""
    return re.escape(value.setting(report, value.cell)) + work


def check_values(context, table):
    """Of a table whose rows are the cells with the first value."""
    report = context.report
    values = [v for v in values_of(report) if report.label(v.first) == table.scenario]
    values = [v for v in values if table.name in (f"values of {v.key}, side by side", f"values of {v.key}, side by side:")]
    complaints = [] if values else [f"{table.name}: no cell of {table.scenario} has another value beside it"]
    firsts = list(dict.fromkeys(v.first for v in values))
    if [row[0] for row in table.rows] != [c.name for c in sorted(firsts, key=lambda cell: cell.step.value)]:
        complaints.append(f"{table.name}: other rows than {[cell.name for cell in firsts]}")
        return complaints
    for row in table.rows:
        first = cell_in(firsts, row[0])
        for title, text in zip(table.titles[1:], row[1:], strict=True):
            try:
                check_value(report, [v for v in values if v.first is first], values, first, title, text)
            except (Lie, ValueError) as lie:
                complaints.append(f"{table.name}, {row[0]}, {title}: {text!r}: {lie}")
    return complaints


def check_value(report, values, all_values, first, title, text):
    if title == all_values[0].setting(report, first):
        mark = " *" if first.step.launches == 1 else ""
        return require(text.endswith(mark) and is_time(text.removesuffix(" *"), first.step.value), "its time is another")
    titled = [(v, match) for v in all_values if (match := re.fullmatch(title_of(report, v), title))]
    require(titled, "no value has that title")
    require(not titled[0][0].work or is_factor(titled[0][1][1], titled[0][0].work), "the work is another")
    found = [v for v in values if any(v.cell.scenario == other.cell.scenario for other, _ in titled)]
    if not found:
        return require(text == "-", "there is nothing beside it")
    ratio, _, verdict = text.rpartition(" ")
    comparison = found[0].comparison
    require(ratio.endswith(" *") == (comparison.ratio.launches == 1), "the mark of a single launch is wrong")
    require(verdict == comparison.verdict, f"the verdict is {comparison.verdict}")
    require(is_ratio(ratio.removesuffix(" *"), comparison.ratio) and "[" in ratio, f"the ratio is {comparison.ratio}")


@template(
    r"(?:Of (?P<count>\d+) pairs of values the farthest apart: )?(?P<value>\S.*) takes (?P<ratio><RATIO>) the time of "
    r"(?P<base>\S.*?) in (?P<name>\S.*?)(?:, (?P<other_ratio><RATIO>) in (?P<other>\S.*?))?"
    r"(?:, for (?P<work>\S+x) the operations)?(?: \((?P<brief>[^()]+)\))?\."
)
def farthest_values(context, sentence, count, value, ratio, base, name, other_ratio, other, work, brief):
    report, pairs = context.report, {}
    place_of = {cell.id: row for row in context.overview.rows for cell in row.cells if context.overview.counts(cell)}
    order = list(report.scenarios)
    for one in values_of(report):
        if one.cell.id in place_of and one.first.id in place_of:
            pairs.setdefault((order.index(one.first.scenario), order.index(one.cell.scenario)), []).append(one)
    require(pairs and int(count or 1) == len(pairs), f"there are {len(pairs)} pairs")
    for found in pairs.values():
        found.sort(key=lambda one: one.first.step.value)
    distance = lambda found: abs(math.log(found[0].comparison.ratio.value))
    _, told = max(sorted(pairs.items()), key=lambda entry: distance(entry[1]))
    fastest = told[0]
    others = [one for one in told if one.first.strategy != fastest.first.strategy]
    expected = (fastest.setting(report, fastest.cell), fastest.setting(report, fastest.first), fastest.first.name)
    require((value, base, name) == expected, f"expected {expected}")
    require(is_ratio(ratio, fastest.comparison.ratio), f"the ratio is {fastest.comparison.ratio}")
    require(bool(other) == bool(others), "there is another strategy, or there is none")
    if others:
        require(other == others[0].first.name and is_ratio(other_ratio, others[0].comparison.ratio), f"not {others[0]}")
    require(bool(work) == bool(fastest.work) and (not work or is_factor(work, fastest.work)), f"not {fastest.work}")
    require(brief == (place_of[fastest.first.id].brief if len({first for first, _ in pairs}) > 1 else None), "it is of another row")


@template(r"values of (?P<key>\S+), side by side:?")
def title(context, sentence, key):
    keys = [v.key for v in values_of(context.report) if context.report.label(v.first) == sentence.scenario]
    require(key in keys, f"there are {keys}")


def check_records(context, records, check_comparison):
    """Of the report's JSON."""
    values, complaints = values_of(context.report), []
    if len(records) != len(values):
        return [f"{len(records)} values beside the first one, expected {len(values)}"]
    for record, value in zip(records, values):
        found = [record["cell"], record["first"], record["key"]]
        if found != [value.cell.id, value.first.id, value.key]:
            complaints.append(f"{found}, expected {value}")
        if (record.get("operations_ratio") is None) != (value.work is None) or (
            value.work and not math.isclose(record["operations_ratio"], value.work)
        ):
            complaints.append(f"{found}: the work is {value.work}")
        complaints += check_comparison(record["cell"], record["comparison"], value.comparison)
    return complaints
