"""What more threads bring, computed from the samples, and the tables that show it."""

from functools import lru_cache
from typing import NamedTuple

import estimates
from printed_figures import is_estimate, is_percent, is_ratio
from report_figures import pairs_of
from sentence_templates import require, template


class Scaling(NamedTuple):
    cell: object
    single: object
    speed_up: estimates.Estimate
    verdict: str
    undivided: estimates.Estimate  # nanoseconds

    @property
    def efficiency(self):
        return self.speed_up.scaled(1 / self.cell.threads)


def same_but_threads(cell):
    return cell.scenario, cell.implementation, tuple(cell.options.items()), cell.arm


@lru_cache(maxsize=None)
def scaling_of(report):
    """Every cell of several threads beside its single, in the report's order."""
    fair = [cell for cell in report.cells if cell.is_timed and cell.keeps_to_its_threads]
    singles = {same_but_threads(cell): cell for cell in fair if cell.threads == 1}
    found = []
    for cell in fair:
        single = singles.get(same_but_threads(cell))
        pairs = pairs_of(single, cell) if single and single is not cell else {}
        if not pairs:
            continue
        comparison = report.compare(single, cell)
        ratio = comparison.ratio
        speed_up = estimates.Estimate(1 / ratio.value, 1 / ratio.high, 1 / ratio.low, ratio.launches)
        shared = {launch: [(base / cell.threads, time) for base, time in of] for launch, of in pairs.items()}
        found.append(Scaling(cell, single, speed_up, comparison.verdict, estimates.paired_difference(shared)))
    return found


def smallest_of(report):
    """Of each implementation and number of threads the one whose single takes least."""
    smallest = {}
    for scaling in scaling_of(report):
        key = (*same_but_threads(scaling.cell)[1:], scaling.cell.threads)
        if key not in smallest or scaling.single.step.value < smallest[key].single.step.value:
            smallest[key] = scaling
    return smallest.values()


def without_mark(text, estimate):
    require(text.endswith(" *") == (estimate.launches == 1), "the mark of a single launch is wrong")
    return text.removesuffix(" *")


def of(context, cell):
    found = [scaling for scaling in scaling_of(context.report) if scaling.cell is cell]
    require(found, "there is none of it with one thread")
    return found[0]


def check_speed_up(context, cell, text):
    speed_up = of(context, cell).speed_up
    require(is_ratio(without_mark(text, speed_up), speed_up) and "[" in text, f"the speed-up is {speed_up}")


def check_efficiency(context, cell, text):
    require(is_percent(text, of(context, cell).efficiency.value), f"it is {of(context, cell).efficiency}")


def check_undivided(context, cell, text):
    undivided = of(context, cell).undivided
    require(is_estimate(text, undivided) and text[0] in "+-", f"it is {undivided}")


def check_verdict(context, cell, text):
    require(text == of(context, cell).verdict, f"the verdict is {of(context, cell).verdict}")


COLUMNS = {
    "speed-up, 95%": check_speed_up,
    "efficiency": check_efficiency,
    "undivided": check_undivided,
    "verdict": check_verdict,
}


def check_thread_costs(context, table):
    """Of the table of what threads cost each step."""
    report, complaints = context.report, []
    expected = {scaling.cell.name: scaling for scaling in smallest_of(report)}
    for name, text, *places in table.rows:
        scaling = expected.pop(name, None)
        cost = text.removesuffix(" *")
        fits = scaling and is_estimate(cost, scaling.undivided) and cost[0] in "+-"
        if not fits or any(place != report.label(scaling.cell) for place in places):
            complaints.append(f"{name}: {text!r} {places}: expected {scaling}")
    return complaints + [f"{name}: its costs are missing" for name in expected]


@template(
    r"(?P<name>.+) with more threads is (?P<least><RATIO>) \((?P<first>.+?)\)"
    r"(?: to (?P<most><RATIO>) \((?P<last>.+?)\))? as fast as with one\."
)
def with_more_threads(context, sentence, name, least, first, most, last):
    overview = context.overview
    place_of = {
        cell.id: f"@{cell.threads}" if overview.turned else row.brief
        for row in overview.rows
        for cell in row.cells
        if cell.is_ranked
    }
    found = [s for s in scaling_of(context.report) if s.cell.id in place_of and s.cell.variant == name]
    found.sort(key=lambda scaling: scaling.speed_up.value)
    require(found and bool(most) == (len(found) > 1), f"there are {len(found)}")
    for text, place, scaling in ((least, first, found[0]), (most or least, last or first, found[-1])):
        require(is_ratio(text, scaling.speed_up), f"the speed-up is {scaling.speed_up}")
        require(place == place_of[scaling.cell.id], f"it is so on {place_of[scaling.cell.id]}")


def check_records(context, records, check_estimate):
    """Of the report's JSON."""
    scalings, complaints = scaling_of(context.report), []
    if len(records) != len(scalings):
        return [f"{len(records)} cells of several threads, expected {len(scalings)}"]
    smallest = [scaling.cell for scaling in smallest_of(context.report)]
    for record, scaling in zip(records, scalings):
        found = [record[key] for key in ("cell", "single", "verdict", "smallest")]
        expected = [scaling.cell.id, scaling.single.id, scaling.verdict, scaling.cell in smallest]
        complaints += [] if found == expected else [f"{found}, expected {expected}"]
        complaints += check_estimate("speed_up", record["speed_up"], scaling.speed_up)
        complaints += check_estimate("efficiency", record["efficiency"], scaling.efficiency)
        slack = 1e-9 * scaling.cell.step.value
        complaints += check_estimate("undivided_ns", record["undivided_ns"], scaling.undivided, slack)
    return complaints
