"""What more threads bring, computed from the samples."""

from functools import lru_cache
from typing import NamedTuple

import estimates
from report_figures import pairs_of


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
