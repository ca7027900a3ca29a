"""From how many steps on a cell that is ready later has overtaken another, computed from the samples."""

import functools
import math

import estimates
from estimates import median

NEVER = math.inf


def steps_of(later, faster):
    if faster < 0:
        return NEVER
    if later <= 0:
        return 0.0
    return later / faster if faster > 0 else NEVER


def break_even(cell, other, margin):
    """(steps, low, high, launches): when the cell, which is ready later, has overtaken the other."""
    others = other.launch_costs()
    pairs = [(cost, others[launch]) for launch, cost in cell.launch_costs().items() if launch in others]
    if not pairs:
        return 0.0, 0.0, NEVER, 0
    later = [own[0] - its[0] for own, its in pairs]
    least, faster, most = ([its[1] - scale * own[1] for own, its in pairs] for scale in (1 + margin, 1, 1 - margin))
    if rank := estimates.rank_of_interval(len(pairs), estimates.CONFIDENCE):
        ends = sorted(map(steps_of, later, most))[rank - 1], sorted(map(steps_of, later, least))[-rank]
    else:
        each = estimates.of_each(estimates.CONFIDENCE)
        interval = lambda values: estimates.paired_difference({i: [(0.0, v)] for i, v in enumerate(values)}, each)
        ends = (steps_of(interval(later).low, interval(most).high), steps_of(interval(later).high, interval(least).low))
    return median(list(map(steps_of, later, faster))), *ends, len(pairs)


@functools.lru_cache(maxsize=None)
def overtaking_of(report, cell, other, margin=None):
    """As JSON has it; the margin is that of the scenario's verdicts, where none is asked for."""
    margin = report.rules(cell.scenario)[0] if margin is None else margin
    steps, low, high, launches = break_even(cell, other, margin)
    if launches < estimates.FEWEST_LAUNCHES or (low == 0 and high == NEVER):
        words = "undecided"
    elif high == 0 or low == NEVER:
        words = "never" if high else "from the start"
    else:
        words = "at latest" if low == 0 else "at earliest" if high == NEVER else "after"
    steps, low, high = (value if math.isfinite(value) else None for value in (steps, low, high))
    return {"overtaking": words, "steps": steps, "interval": {"low": low, "high": high}, "launches": launches}


@functools.lru_cache(maxsize=None)
def ready(cell):
    return median([ready for ready, _ in cell.launch_costs().values()])


def is_asked(report, cell, other):
    """Whether the one is faster per step and ready later."""
    return ready(cell) > ready(other) and report.compare(other, cell).verdict == "faster"
