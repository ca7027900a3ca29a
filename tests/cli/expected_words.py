"""Lines of output that are known but for their figures, each of which must be what the samples round to."""

import re
from typing import Callable, NamedTuple

import printed_figures as printed
from printed_figures import INTERVAL, NUMBER, PERCENT, RATIO, TIME, numbers_in, rounds_to, three_digits


class Figure(NamedTuple):
    pattern: str
    fits: Callable
    value: object  # what is expected, for complaints


def ratio(estimate):
    return Figure(RATIO, lambda text: printed.is_ratio(text, estimate), estimate)


def time(nanoseconds):
    return Figure(TIME, lambda text: printed.is_time(text, nanoseconds), nanoseconds)


def estimate(value):
    return Figure(f"{TIME} {INTERVAL}", lambda text: printed.is_estimate(text, value), value)


def interval_in_unit_of(value):
    return Figure(INTERVAL, lambda text: printed.is_interval_in_unit_of(text, value), value)


def number(value):
    """Of three digits; whole numbers of a thousand and more have all of theirs."""
    digits = lambda text: abs(float(text) - value) <= 0.51 if abs(value) >= 999.5 else three_digits(value, text)
    return Figure(NUMBER, digits, value)


def percent(share):
    return Figure(PERCENT, lambda text: printed.is_percent(text, share), share)


def share(value, low, high):
    """ "60% [55, 66]"."""
    fits = lambda text: all(map(rounds_to, (100 * value, 100 * low, 100 * high), numbers_in(text)))
    return Figure(f"{PERCENT} {INTERVAL}", fits, (value, low, high))


def first_mismatch(text, parts):
    """What is wrong with a text that should be these words and figures; None where nothing is."""
    pattern = "".join(f"({part.pattern})" if isinstance(part, Figure) else re.escape(part) for part in parts)
    match = re.fullmatch(pattern, text)
    words = "".join(f"<{part.value}>" if isinstance(part, Figure) else part for part in parts)
    if not match:
        return f"expected {words!r}"
    figures = [part for part in parts if isinstance(part, Figure)]
    return next((f"{t}: expected {f.value}" for t, f in zip(match.groups(), figures) if not f.fits(t)), None)


def row_mismatch(row, columns):
    """Of texts, or of a line: at least two spaces separate its columns, and empty ones at its end leave nothing."""
    if isinstance(row, str):
        while columns and columns[-1] == ("",):
            columns = columns[:-1]
        row = re.split(r" {2,}", row.strip())
    if len(row) != len(columns):
        return f"{len(row)} columns, expected {len(columns)}"
    return next(filter(None, map(first_mismatch, row, columns)), None)


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")
