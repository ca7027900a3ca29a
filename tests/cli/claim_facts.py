"""What `gdbench claims` may say of a judged claim: figures and verdicts, with the names that they are of."""

import math
import re

from expected_words import Figure, number, percent, ratio
from printed_figures import NUMBER, numbers_in, rounds_to
from statements import count, known, quote, word


def times(value):
    """ "1.5x"."""
    return Figure(f"{NUMBER}x", lambda text: number(value).fits(text[:-1]) or rounds_to(value, text[:-1]), value)


def saved(*values):
    """ "26% [22, 28]" of what is less than all of it; whole per cents, with an interval or without."""
    values = [100 * (1 - value) for value in values]
    fits = lambda text: all(abs(float(t) - v) <= 0.5 + 1e-9 * abs(v) for t, v in zip(numbers_in(text), values))
    return Figure(r"-?\d+%(?: \[-?\d+, -?\d+\])?", fits, values)


def side_words(side):
    others = [f"{key}={value}" for key, value in side.items() if key != "implementation"]
    return " ".join([side["implementation"], *others] if "implementation" in side else others)


def settings(at):
    return [f"{key}={value}" for key, value in at.items()]


def limits_of(told):
    """The figures of what is claimed; none of a crossover."""
    limit = percent if told["kind"] == "saving" else times
    return [limit(told[end]) for end in ("at_least", "at_most") if told.get(end) is not None]


def figure_of(relation, found):
    """Of a measured ratio."""
    if relation.told["kind"] == "saving":
        return saved(found.value) if relation.counted else saved(found.value, found.high, found.low)
    return times(found.value) if relation.counted else ratio(found)


def measured_ratios(relation):
    """Of all points but a trend's deciding ones, which have none of their own."""
    own = lambda point: not (relation.told["kind"] == "trend" and point["decides"])
    return [p["ratio"].value for p in relation.points if p["ratio"] and p["ratio"].launches > 0 and own(p)]


def measured_facts(relation, name):
    """ "1.10x to 3.12x at 3 measured points", where a point that decides was not run."""
    ratios = measured_ratios(relation)
    figure = saved if relation.told["kind"] == "saving" else times
    yield from (known(figure(value), name) for value in sorted(ratios)[:1] + sorted(ratios)[-1:])
    yield from (known(number(value), name) for value in ratios)
    yield known(count(len(ratios)), name)


def places_of(relation):
    """The settings at which it is claimed to hold."""
    return settings({key: "|".join(values) for key, values in relation.named.items()})


def point_facts(relation, point, *names):
    """A sentence names where the point is, or what it speaks for."""
    found, sides = point["ratio"], {"below": relation.a, "above": relation.b}
    state = point["state"]
    yield known(word(state), *names)
    if relation.told["kind"] == "crossover" and (winner := sides.get(point["position"])):
        yield from (known(word(words), *names, side_words(winner)) for words in (state, "ahead"))
    if point["remark"]:
        yield known(quote(point["remark"]), *names)
    if found and found.launches > 0:
        yield from (known(figure, *names)
                    for figure in (figure_of(relation, found), ratio(found), count(found.launches)))


def relation_facts(relation):
    a, b, steps = side_words(relation.a), side_words(relation.b), relation.told.get("steps") or []
    ways = [(), *([place] for place in places_of(relation))]
    yield from (known(figure, a, b) for figure in (*limits_of(relation.told), count(*steps)))
    yield from (known(word(relation.verdict), a, b, *way) for way in ways)
    yield from (known(word(words), b if words == "ahead" else a, subject=side) for words,
                side in (("ahead", a), ("behind", b)))
    for flip in relation.flips:
        yield known(word("[Ff]lips"), *settings(flip["at"]))
        for end, holds in (("from", flip["holds_at_from"]), ("to", not flip["holds_at_from"])):
            says, place = ("it holds", "ahead") if holds else ("it does not", "behind")
            yield known(word(f"where (?:{says}|{re.escape(a)} is {place})"), subject=f"{flip['axis']}={flip[end]}")
    reasons = [point["remark"] for point in relation.points if point["state"] == "not run"]
    for reason in reasons:
        yield known(quote(f"Not run: {reason}"))
        yield known(count(reasons.count(reason)))
    for point in relation.points:
        yield from point_facts(relation, point, *settings(point["at"]))
    yield from (known(number(limit)) for limit in relation.limits if math.isfinite(limit))


def verdict_facts(judgement):
    """Of the point that speaks for the verdict; without a ratio of it, all that was measured."""
    relation, name = judgement.deciding, judgement.claim["id"]
    yield known(word(judgement.verdict), name)
    yield from (known(quote(judgement.claim[key])) for key in ("sentence", "source"))
    yield from (known(figure, name) for figure in limits_of(relation.told))
    if relation.deciding is not None:
        point = relation.points[relation.deciding]
        yield from point_facts(relation, point, name)
        yield from (known(word(judgement.verdict), name, text) for text in settings(point["at"]))
        yield from (known(count(len(measured_ratios(relation))), name, text) for text in settings(point["at"]))
        yield from [] if point["ratio"] else measured_facts(relation, name)
    for flip in relation.flips:
        yield known(word("flips"), *settings(flip["at"]))
        yield known(quote(f"{flip['axis']}={flip['from']} and {flip['to']}"), *settings(flip["at"]))
    launches, seconds = judgement.needed
    if launches:
        needed = number(math.ceil(seconds / 60 if seconds >= 90 else seconds))
        text = f"{needed.pattern} {'min' if seconds >= 90 else 's'}"
        yield known(count(launches), name)
        yield known(Figure(text, lambda found: needed.fits(found.split(" ")[0]), seconds), name)
    yield from alternative_facts(judgement)


def alternative_facts(judgement):
    """What is faster than a side of a decided claim about steps, where it was measured with it."""
    is_plain = lambda relation: relation.told["kind"] == "ratio" and relation.quantity == "step"
    decided = judgement.deciding
    sides = [decided.b, decided.a] if judgement.verdict in ("confirmed", "refuted") and is_plain(decided) else []
    for side in sides:
        for other in judgement.relations:
            if other.decides or not is_plain(other) or other.b != side or other.a in sides:
                continue
            ratios = [point["ratio"] for point in other.points]
            if all(r and r.launches >= 3 and r.high * 1.01 < 1 for r in ratios):
                names = [side_words(side), side_words(other.a)]
                yield known(word("faster"), *names)
                yield known(figure_of(other, max(ratios, key=lambda ratio: ratio.value)), *names)
                return
