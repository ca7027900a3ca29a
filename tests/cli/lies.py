"""Lies that a renderer might tell: one figure, name or word of an output exchanged for another."""

import functools
import json
import re

EXCHANGES = (
    {"faster": "slower", "slower": "faster", "equivalent": "faster"}, {"wins": "ties"}, {"Tied": "No winner"},
    {"overtakes": "never overtakes"}, {"regressed": "improved", "improved": "regressed"},
    {"more": "less", "less": "more", "longer": "shorter", "shorter": "longer"},
    {"confirmed": "refuted", "refuted": "confirmed", "inconclusive": "confirmed", "not run": "confirmed"},
    {"holds": "fails", "fails": "holds", "undecided": "holds", "ahead": "behind", "behind": "ahead"},
)
CLAIMED = re.compile(r"(?<![\w/.+-])[+-]?\d+\.\d+|(?<=\[)[+-]?[\d.]+|(?<=, )[+-]?[\d.]+(?=\])")


# Of JSON: how an interval was made, the words (lies in texts are about these), what it is, and how far a search came.
UNCHECKED = ("method", "document", "schema", "schema_version", "complete", "budget_seconds")
COUNTED = re.compile(r"(?<![\w/.+=@\[-])\d+(?= (?:launch|step|profile|size|more|point|claim))")


def changed_digit(text):
    """The number with its leading digit another one."""
    return re.sub(r"[1-9]", lambda digit: str(int(digit[0]) % 9 + 1), text, count=1)


def figures(output, lines, pattern=CLAIMED):
    """(kind, lie) for every figure with a decimal point and every end of an interval."""
    for start, line in lines:
        for match in pattern.finditer(line):
            if (false := changed_digit(match.group())) != match.group():
                yield f"figure {match.group()} -> {false}", (start + match.start(), match.group(), false)


counts = functools.partial(figures, pattern=COUNTED)  # of launches, steps, ...


def told(output, lie):
    """`lie`: of which the first functions give a place, what stands there and what else should."""
    place, old, new = lie
    assert output.startswith(old, place)
    return output[:place] + new + output[place + len(old) :]


def words(output, lines):
    """Verdicts exchanged for others."""
    for start, line in lines:
        for exchange in EXCHANGES:
            for word, false in exchange.items():
                for match in re.finditer(rf"\b{word}\b", line) if word in line else ():
                    yield f"{word} -> {false}", (start + match.start(), word, false)


def names(output, lines, known):
    """A name exchanged for another one of the same kind, in lines that hold a figure."""
    ordered = sorted(known, key=len, reverse=True)
    if len(ordered) < 2:
        return
    pattern = re.compile(r"(?<![\w/+=-])(?:" + "|".join(map(re.escape, ordered)) + r")(?![\w/+=\[-])")
    for start, line in lines:
        for match in pattern.finditer(line):
            false = ordered[(ordered.index(match.group()) + 1) % len(ordered)]
            if "  " in line.strip() and len(false) != len(match.group()):
                continue  # of a table: its columns must stay where they are
            if false + line[match.end() :].split(",")[0] in line:
                continue  # what stands there anyway is true, said twice
            yield f"name {match.group()} -> {false}", (start + match.start(), match.group(), false)


def values(document, place=""):
    """(kind, lie) for every value of a JSON document: what holds it, where, and what else it could be."""
    entries = document.items() if isinstance(document, dict) else enumerate(document)
    for key, member in [(key, member) for key, member in entries if key not in UNCHECKED]:
        if isinstance(member, (dict, list)):
            yield from values(member, f"{place}/{key}")
        elif (false := changed_value(member)) is not None:
            yield f"{place}/{key}: {member!r} -> {false!r}", (document, key, false)


def told_value(document, lie):
    """As JSON."""
    holder, key, false = lie
    true, holder[key] = holder[key], false
    text = json.dumps(document)
    holder[key] = true
    return text


def changed_value(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * 1.5 + (abs(value) < 1e-3)
    return value + " more" if value else None
