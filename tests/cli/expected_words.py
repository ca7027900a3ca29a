"""Figures as the renderers print them, each of which must be what the samples round to."""

import math
import re
from typing import Callable, NamedTuple

NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
TIME = rf"{NUMBER} (?:ns|us|ms|s)"
INTERVAL = rf"\[{NUMBER}, (?:{NUMBER}|inf)\]"
RATIO = rf"{NUMBER}x {INTERVAL}"
PERCENT = rf"{NUMBER}%"
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
BYTES = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
EDGE = 1e-9  # relative: what two ways of computing a value may differ by


def decimals_of(text):
    return len(text.partition(".")[2])


def numbers_in(text):
    return re.findall(rf"{NUMBER}|(?<=, )inf(?=\])", text)


def rounds_to(value, text):
    """Whether the text, with as many decimals as it has, is what the value rounds to."""
    return float(text) == value or abs(float(text) - value) <= 0.5 * 10.0 ** -decimals_of(text) + EDGE * abs(value)


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


def is_ratio(text, estimate):
    """ "0.43x [0.42, 0.45]", or "0.43x": two digits at least, so that rounding hides nothing, as far as six decimals
    have them."""
    found = numbers_in(text)
    if len(found) not in (1, 3):
        return False
    has_digits = abs(float(found[0]) - estimate[0]) <= 0.06 * abs(estimate[0]) or decimals_of(found[0]) == 6
    return has_digits and all(map(rounds_to, estimate, found))


class Figure(NamedTuple):
    pattern: str
    fits: Callable
    value: object  # what is expected, for complaints


def ratio(estimate):
    return Figure(RATIO, lambda text: is_ratio(text, estimate), estimate)


def bare_ratio(value):
    return Figure(f"{NUMBER}x", lambda text: is_ratio(text, [value]), value)


def change(of):
    """ "+268% [+263, +275]"."""
    fits = lambda text: all(t[0] in "+-" and rounds_to((v - 1) * 100, t) for v, t in zip(of, numbers_in(text)))
    return Figure(f"{PERCENT} {INTERVAL}", fits, of)


def time(nanoseconds):
    return Figure(TIME, lambda text: is_time(text, nanoseconds), nanoseconds)


def estimate(value):
    """ "25.1 ns [24.3, 26.0]", with signs or without."""
    scaled = lambda text: [end / UNITS[text.split(" ")[1]] for end in value[:3]]
    return Figure(f"{TIME} {INTERVAL}", lambda text: all(map(rounds_to, scaled(text), numbers_in(text))), value)


def interval_in_unit_of(value):
    """ "[24.3, 26.0]" in the unit that the value is printed in."""
    fits = lambda text, unit: all(map(rounds_to, (value.low / unit, value.high / unit), numbers_in(text)))
    units = [unit for unit in UNITS.values() if abs(value.value) >= 0.9994 * unit or unit == 1]
    return Figure(INTERVAL, lambda text: any(fits(text, unit) for unit in units), value)


def number(value):
    """Of three digits; whole numbers of a thousand and more have all of theirs."""
    digits = lambda text: abs(float(text) - value) <= 0.51 if abs(value) >= 999.5 else three_digits(value, text)
    return Figure(NUMBER, digits, value)


def percent(share):
    return Figure(PERCENT, lambda text: rounds_to(share * 100, text[:-1]), share)


def share(value, low, high):
    """ "60% [55, 66]"."""
    fits = lambda text: all(map(rounds_to, (100 * value, 100 * low, 100 * high), numbers_in(text)))
    return Figure(f"{PERCENT} {INTERVAL}", fits, (value, low, high))


def size(of):
    fits = lambda text: three_digits(of / BYTES[text.split(" ")[1]], text.split(" ")[0])
    return Figure(rf"{NUMBER} (?:{'|'.join(BYTES)})", fits, of)


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")
