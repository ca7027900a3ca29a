"""What size costs: relative least squares of (step, kernel calls, operations) without negative coefficients."""

import functools
import math
from typing import NamedTuple

import estimates
from estimates import Estimate, median

FEWEST_SCENARIOS = 4
SMALLEST_PIVOT = 1e-9
RESAMPLES = 1000
NAMES = ("a: per step", "b: per kernel call", "c: per Mflop")


class Fit(NamedTuple):
    coefficients: dict  # title -> (Estimate, whether it is 0 or not distinguished from it)
    scenarios: int
    worst_miss: float


def solve(points, columns):
    """Least squares of sum(c * x) / y = 1, by Gauss's elimination of the normal equations; None: not separable."""
    size = len(columns)
    rows = [[x[i] / y for i in columns] for x, y in points]
    matrix = [[sum(row[i] * row[j] for row in rows) for j in range(size)] for i in range(size)]
    right = [sum(row[i] for row in rows) for i in range(size)]
    scale = [1 / math.sqrt(matrix[i][i]) if matrix[i][i] > 0 else 0.0 for i in range(size)]
    matrix = [[matrix[i][j] * scale[i] * scale[j] for j in range(size)] for i in range(size)]
    right = [right[i] * scale[i] for i in range(size)]
    for i in range(size):
        if not matrix[i][i] > SMALLEST_PIVOT:
            return None
        for k in range(i + 1, size):
            factor = matrix[k][i] / matrix[i][i]
            matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i])]
            right[k] -= factor * right[i]
    solution = [0.0] * size
    for i in reversed(range(size)):
        solution[i] = (right[i] - sum(matrix[i][k] * solution[k] for k in range(i + 1, size))) / matrix[i][i]
    return [c * s for c, s in zip(solution, scale)]


def fit(points, columns):
    """(coefficients by column, largest relative residual) of the best set of columns that needs no negative one."""
    best, least = None, math.inf
    everything = (1 << len(columns)) - 1
    for chosen in range(everything, 0, -1):
        some = [column for i, column in enumerate(columns) if chosen >> i & 1]
        solution = solve(points, some)
        if solution is None or min(solution) < 0:
            continue
        residuals = [abs(y - sum(c * x[i] for c, i in zip(solution, some))) / y for x, y in points]
        total = math.fsum(r * r for r in residuals)
        if total < least * (1 - 1e-12):
            least, best = total, ({**dict.fromkeys(columns, 0.0), **dict(zip(some, solution))}, max(residuals))
        if chosen == everything:
            break  # no set fits better than all of them
    return best


def series_of(report):
    """(implementation, dtype, threads, arm) -> its profiled cells without options."""
    series = {}
    for cell in report.everything:
        if cell.is_timed and cell.profile and not cell.options:
            dtype = report.scenarios[cell.scenario]["resolved"].get("dtype", "")
            series.setdefault((cell.implementation, dtype, cell.threads, cell.arm), []).append(cell)
    return series


def interval_of(value, resampled, at_bound):
    ordered = sorted(resampled)
    tail = (1 - estimates.CONFIDENCE) / 2
    if at_bound:
        return 0.0, max(value, estimates.quantile(ordered, estimates.CONFIDENCE))
    return estimates.quantile(ordered, tail), estimates.quantile(ordered, 1 - tail)


def fit_of(report, cells):
    """None where the sizes are too few."""
    xs = [(1.0, cell.calls(), report.scenarios[cell.scenario]["operations_per_step"]) for cell in cells]
    if len({x[1:] for x in xs}) < FEWEST_SCENARIOS:
        return None
    figures = [[min(times) for _, times in sorted(cell.times.items())] for cell in cells]
    points = [(x, median(values)) for x, values in zip(xs, figures)]
    columns = [0, 1, 2] if any("verification" in cell.record for cell in cells) else [0, 1]
    columns = columns if solve(points, columns) is not None else [c for c in columns if c != 1]
    whole = fit(points, columns)
    if whole is None:
        return None
    resampled = {column: [] for column in columns}
    generator, ordered = estimates.MersenneTwister(report.run["seed"]), [sorted(values) for values in figures]
    for _ in range(RESAMPLES):
        again = fit([(x, estimates.drawn_median(generator, values)) for x, values in zip(xs, ordered)], columns)
        for column in columns if again else ():
            resampled[column].append(again[0][column])
    coefficients = {}
    for column in columns:
        value, values = whole[0][column], resampled[column]
        at_bound = value == 0 or values.count(0.0) > (1 - estimates.CONFIDENCE) / 2 * len(values)
        estimate = Estimate(value, *interval_of(value, values, at_bound), min(map(len, figures)))
        coefficients[NAMES[column]] = (estimate.scaled(1e6 if column == 2 else 1), at_bound)
    return Fit(coefficients, len(cells), whole[1])


@functools.lru_cache(maxsize=4)
def fits_of(report):
    """Name as in the table -> Fit."""
    found = {}
    for (implementation, dtype, threads, arm), cells in series_of(report).items():
        name = (
            f"{implementation} {dtype}" + (f" @{threads}" if threads != 1 else "")
            + (f" #{arm}" if arm != "new" else "")
        )
        if result := fit_of(report, cells):
            found[name] = result
    return found
