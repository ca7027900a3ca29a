"""What values of --set take beside the first one of their key, computed from the samples."""

from functools import lru_cache
from typing import NamedTuple

from report_figures import pairs_of


class Value(NamedTuple):
    cell: object
    first: object
    key: str
    comparison: object
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
                comparison = report.judge(pairs_of(first, cell), first.scenario, cell.scenario)
                work, base = (report.scenarios[one.scenario]["operations_per_step"] for one in (cell, first))
                found.append(Value(cell, first, key, comparison, work / base if work != base else None))
    return found
