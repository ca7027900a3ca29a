"""Figures as the renderers print them, compared with what they must round to."""

import math
import re

NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
TIME = rf"{NUMBER} (?:ns|us|ms|s)"
INTERVAL = rf"\[{NUMBER}, {NUMBER}\]"
RATIO = rf"{NUMBER}x {INTERVAL}"
PERCENT = rf"{NUMBER}%"
STEPS = rf"{NUMBER} steps {INTERVAL}"
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
BYTES = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
EDGE = 1e-9  # relative: what two ways of computing a value may differ by


def decimals_of(text):
    return len(text.partition(".")[2])


def rounds_to(value, text):
    """Whether the text, with as many decimals as it has, is what the value rounds to."""
    return abs(float(text) - value) <= 0.5 * 10.0 ** -decimals_of(text) + EDGE * abs(value)


def three_digits(value, text):
    """The same of three significant digits, without zeros at the end; whole numbers keep all of theirs."""
    if value == 0 or float(text) == 0:
        return value == float(text)
    largest = max(abs(value), abs(float(text)))
    digits = 2 - math.floor(math.log10(largest))
    return abs(float(text) - value) <= 0.5 * 10.0 ** -max(digits, 0) + EDGE * abs(value)


def is_time(text, nanoseconds):
    number, unit = text.split(" ")
    scaled = nanoseconds / UNITS[unit]
    fitting = unit == "ns" or 0.9994 < abs(scaled)
    rounded = abs(scaled) >= 999.5 and unit == "s" and abs(float(number) - scaled) <= 0.0051 * scaled
    return fitting and (unit == "s" or abs(scaled) < 999.6) and (rounded or three_digits(scaled, number))


def numbers_in(text):
    return re.findall(NUMBER, text)


def is_ratio(text, estimate):
    """ "0.43x [0.42, 0.45]"; without an interval also "0.43x"."""
    values = (estimate.value, estimate.low, estimate.high)
    found = numbers_in(text)
    return (
        len(found) in (1, 3) and all(rounds_to(v, t) for v, t in zip(values, found))
        and has_digits(found[0], estimate.value)
    )


def has_digits(text, value):
    """Two significant digits at least, so that rounding hides nothing, as far as six decimals have them."""
    return abs(float(text) - value) <= 0.06 * abs(value) or decimals_of(text) == 6


def is_change(text, ratio):
    """ "+268% [+263, +275]"."""
    values = (ratio.value, ratio.low, ratio.high)
    found = numbers_in(text)
    return len(found) == 3 and all(t[0] in "+-" and rounds_to((v - 1) * 100, t) for v, t in zip(values, found))


def is_estimate(text, estimate):
    """ "25.1 ns [24.3, 26.0]", with signs or without."""
    match = re.fullmatch(rf"({NUMBER}) (ns|us|ms|s) \[({NUMBER}), ({NUMBER})\]", text)
    if not match:
        return False
    value, unit, low, high = match.groups()
    values = (estimate.value, estimate.low, estimate.high)
    return all(rounds_to(v / UNITS[unit], t) for v, t in zip(values, (value, low, high)))


def is_interval_in_unit_of(text, estimate):
    """ "[24.3, 26.0]" in the unit that the value is printed in."""
    found = numbers_in(text)
    fits = lambda unit: (
        len(found) == 2 and all(rounds_to(v / unit, t) for v, t in zip((estimate.low, estimate.high), found))
    )
    return any(fits(unit) and abs(estimate.value) >= 0.9994 * unit for unit in UNITS.values()) or fits(1.0)


def is_percent(text, share):
    return text.endswith("%") and rounds_to(share * 100, text[:-1])


def is_bytes(text, count):
    number, unit = text.split(" ")
    return three_digits(count / BYTES[unit], number)


def is_step_count(text, steps):
    """Whole steps, rounded up; three digits, or all of a thousand and more."""
    return (
        math.isfinite(steps) and three_digits(math.ceil(steps - EDGE * steps), text)
        or three_digits(math.ceil(steps), text)
    )
