"""Lies that a renderer might tell: one figure, name or word of an output exchanged for another."""

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
    place = re.search(r"[1-9]", text)
    if place is None:
        return None
    digit = str(int(place.group()) % 9 + 1)
    return text[: place.start()] + digit + text[place.end() :]


def counts(output, lines):
    """(kind, lie) for every number of launches, steps ..."""
    return figures(output, lines, COUNTED)


def figures(output, lines, pattern=CLAIMED):
    """(kind, lie) for every figure with a decimal point and every end of an interval."""
    for start, line in lines:
        for match in pattern.finditer(line):
            if false := changed_digit(match.group()):
                yield f"figure {match.group()} -> {false}", (start + match.start(), match.group(), false)


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
                    yield f"{word} -> {false}", (start + match.start(), word, padded(false, word, line))


def padded(false, word, line):
    """In a table's column of as many characters."""
    return false.ljust(len(word)) if "  " in line.strip() else false


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
            yield f"name {match.group()} -> {false}", (start + match.start(), match.group(), false)


def values(document):
    """(kind, lie) for every value of a JSON document: what holds it, where, and what else it could be."""
    for holder, key, place in holders(document, ""):
        false = changed_value(holder[key])
        if false is not None:
            yield f"{place}: {holder[key]!r} -> {false!r}", (holder, key, false)


def told_value(document, lie):
    """As JSON."""
    holder, key, false = lie
    true, holder[key] = holder[key], false
    text = json.dumps(document)
    holder[key] = true
    return text


def holders(value, place):
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in list(entries):
        if isinstance(member, (dict, list)):
            yield from () if key in UNCHECKED else holders(member, f"{place}/{key}")
        elif key not in UNCHECKED:
            yield value, key, f"{place}/{key}"


def changed_value(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * 1.5 + (abs(value) < 1e-3)
    return value + " more" if value else None
