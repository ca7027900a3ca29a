"""Estimates and verdicts from samples, written from docs/methodology.md and not from the C++:
what the checker of sentences holds the renderers against."""

import functools
import math
from typing import NamedTuple

CONFIDENCE = 0.95
MARGIN = 0.01
FEWEST_LAUNCHES = 3
MOST_LAUNCHES = 1000  # that are worth a try


class Estimate(NamedTuple):
    """A median over launches with its interval; of a single launch, over the blocks in it."""

    value: float
    low: float
    high: float
    launches: int

    def scaled(self, factor):
        return Estimate(self.value * factor, self.low * factor, self.high * factor, self.launches)


NOTHING = Estimate(0.0, 0.0, 0.0, 0)


CLEAR_RATIO = 1.5


def is_clear(found):
    """Too few launches for a verdict, and all of the interval beyond the ratio or its inverse."""
    ratio = found.ratio
    return 0 < ratio.launches < FEWEST_LAUNCHES and (ratio.low > CLEAR_RATIO or ratio.high < 1 / CLEAR_RATIO)


class Comparison(NamedTuple):
    """Time of the candidate over that of the base; `undecidable`: there can be no verdict, whatever the figures."""

    ratio: Estimate
    verdict: str
    undecidable: bool
    margin: float

    is_clear = property(is_clear)


class Judged(NamedTuple):
    """A comparison as JSON has it; the remark says why there is no verdict."""

    ratio: Estimate
    verdict: str
    remark: str

    is_told = property(lambda self: self.verdict in ("faster", "slower"))
    is_clear = property(is_clear)


def median(values):
    ordered = sorted(values)
    count = len(ordered)
    return 0.0 if count == 0 else (ordered[(count - 1) // 2] + ordered[count // 2]) / 2


@functools.lru_cache(maxsize=None)
def rank_of_interval(count, confidence):
    """Of the order statistic from either end that bounds the median so surely; 0: there are too few."""
    rank, below = 0, 0.5**count
    while rank < count // 2 and below <= (1 - confidence) / 2:
        rank += 1
        below += math.comb(count, rank) * 0.5**count
    return rank


def student_probability(t, freedom):
    """P(T <= t) for t >= 0, by the finite sums for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and .4)."""
    angle, odd = math.atan2(t, math.sqrt(freedom)), freedom % 2
    sine, cosine = math.sin(angle), math.cos(angle)
    total, term = 0.0, cosine if odd else 1.0
    for k in range(1, freedom // 2 + 1):
        total += term
        term *= cosine**2 * (2 * k - 1 + odd) / (2 * k + odd)
    return 0.5 + ((angle + sine * total) / math.pi if odd else sine * total / 2)


@functools.lru_cache(maxsize=None)
def student_quantile(probability, freedom):
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if student_probability(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def student_interval(figures, logarithmic, confidence):
    values = [math.log(figure) for figure in figures] if logarithmic else list(figures)
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    reach = student_quantile((1 + confidence) / 2, len(values) - 1) * math.sqrt(variance / len(values))
    ends = (mean - reach, mean + reach)
    return tuple(math.exp(end) if end < 700 else math.inf for end in ends) if logarithmic else ends


def over_launches(by_launch, figure, kind, confidence=CONFIDENCE, every_look=False):
    """`by_launch`: launch -> pairs of times; `figure` makes one figure of a pair. `kind`: time, ratio, difference."""
    if not by_launch:
        return NOTHING
    if len(by_launch) == 1:
        figures = [figure(*pair) for pair in next(iter(by_launch.values()))]
    else:
        figures = [figure(min(a for a, _ in pairs), min(b for _, b in pairs)) for pairs in by_launch.values()]
    figures.sort()
    count = len(figures)
    low, high = figures[(count - 1) // 2], figures[count // 2]
    value = math.sqrt(low * high) if kind == "ratio" and low != high else (low + high) / 2
    rank = rank_of_interval(count, confidence)
    if every_look and count >= fewest_launches(confidence, every_look):
        ends = interval_at_every_look(figures, confidence)
    elif count == 1 or figures[0] == figures[-1]:
        ends = (value, value)
    elif rank > 0:
        ends = (figures[rank - 1], figures[count - rank])
    else:
        ends = student_interval(figures, kind != "difference", confidence)
    return Estimate(value, *ends, len(by_launch))


def typical_time(times_by_launch, confidence=CONFIDENCE):
    by_launch = {launch: [(1.0, time) for time in times] for launch, times in times_by_launch.items()}
    return over_launches(by_launch, lambda _, time: time, "time", confidence)


def paired_ratio(by_launch, confidence=CONFIDENCE, every_look=False):
    return over_launches(by_launch, lambda base, candidate: candidate / base, "ratio", confidence, every_look)


def paired_difference(by_launch, confidence=CONFIDENCE):
    return over_launches(by_launch, lambda base, candidate: candidate - base, "difference", confidence)


def evidence_above(logarithms, centre):
    """That ratios are above that of `centre`, which a run that ends once it is decided rests on; see methodology.md."""
    products = [math.prod(1 + bet * math.tanh(scale * (value - centre)) for value in logarithms)
                for bet in (0.2, 0.4, 0.6, 0.8, 0.95) for scale in (50, 5000)]
    return sum(products) / len(products)


def interval_at_every_look(ratios, confidence):
    """Between the centres against which there is enough evidence from above, and from below."""
    def lower(values):
        out, inside = min(values) - 1, max(values)
        for _ in range(48):
            middle = (out + inside) / 2
            out, inside = (middle, inside) if evidence_above(values, middle) >= 2 / (1 - confidence) else (out, middle)
        return out

    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(lower(logarithms)), math.exp(-lower([-value for value in logarithms]))


def of_each(confidence):
    """How sure each of two intervals is to be for both to hold (Bonferroni)."""
    return 1 - (1 - confidence) / 2


def quotient(below, above):
    """Of two estimates that were not measured side by side."""
    if not below.launches or not above.launches:
        return NOTHING
    high = above.high / below.low if below.low > 0 else math.inf
    return Estimate(above.value / below.value, above.low / below.high, high, min(below.launches, above.launches))


def unpaired_ratio(base, candidate, confidence=CONFIDENCE):
    """Of times by launch that were not measured side by side."""
    return quotient(*(typical_time(times, of_each(confidence)) for times in (base, candidate)))


def unpaired_difference(base, candidate, confidence=CONFIDENCE):
    below, above = (typical_time(times, of_each(confidence)) for times in (base, candidate))
    launches = min(below.launches, above.launches)
    return Estimate(above.value - below.value, above.low - below.high, above.high - below.low, launches)


def verdict_of(ratio, margin, fewest=FEWEST_LAUNCHES, unfit=False):
    undecidable = bool(unfit) or ratio.launches < fewest
    if undecidable:
        word = "inconclusive"
    elif ratio.high < 1 / (1 + margin):
        word = "faster"
    elif ratio.low > 1 + margin:
        word = "slower"
    elif ratio.low >= 1 / (1 + margin) and ratio.high <= 1 + margin:
        word = "equivalent"
    else:
        word = "inconclusive"
    return Comparison(ratio, word, undecidable, margin)


def fewest_launches(confidence, every_look=False):
    """Whose figures span their median so surely; at every look, that bring so much evidence where all agree."""
    if not every_look:
        return math.ceil(1 - math.log2(1 - confidence))
    most = lambda count: sum((1 + bet)**count for bet in (0.2, 0.4, 0.6, 0.8, 0.95)) / 5
    return next(count for count in range(1, MOST_LAUNCHES) if most(count) >= 2 / (1 - confidence))


def judged(comparison, fewest=FEWEST_LAUNCHES, unfit="", every_look=False):
    """`unfit`: why there is no verdict whatever the figures."""
    remark = remark_on(comparison, fewest, unfit)
    if every_look and "across" in remark:
        ratio, limit = comparison.ratio, 1 + comparison.margin
        launches = needed_launches(ratio, (1 / limit, limit), fewest)
        remark += f"; about {launches} launches may decide it" if launches else ""
        margin = math.ceil(1000 * max(ratio.high - 1, 1 / ratio.low - 1)) / 10
        remark += f"; a margin of {margin:.1f}% would have been decided"
    return Judged(comparison.ratio, comparison.verdict, remark)


def remark_on(comparison, fewest, unfit):
    ratio = comparison.ratio
    if ratio.launches < fewest:
        return {
            0: "no launch has times of both", 1: "measured within one process: says nothing about other launches"
        }.get(ratio.launches, f"{ratio.launches} launches, at least {fewest} are needed")
    if unfit or comparison.verdict != "inconclusive":
        return unfit
    margin = f"{100 * comparison.margin:.3g}"
    return f"the interval from {ratio.low:.3f} to {ratio.high:.3f} reaches across the margin of {margin}%"


def needed_launches(ratio, limits, minimum):
    """How many it takes, roughly, until no limit is in the interval, which shrinks with their root; 0: too many."""
    if ratio.launches <= 1 < minimum:
        return minimum
    launches = float(minimum)
    for limit in limits:
        if ratio.low < limit < ratio.high:
            end = ratio.value / ratio.low if limit < ratio.value else ratio.high / ratio.value
            distance = abs(math.log(ratio.value / limit))
            factor = math.log(end) / distance if distance else math.inf
            many = math.ceil(ratio.launches * factor * factor) if math.isfinite(factor) else math.inf
            launches = max(launches, many, ratio.launches + 1)
    return int(launches) if launches <= MOST_LAUNCHES else 0
