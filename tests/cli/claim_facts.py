"""What `gdbench claims` may say of judged claims: figures and words, with the names that they are of, and tables."""

import math
import re

from expected_words import Figure, number, percent, plural, ratio
from printed_figures import NUMBER, numbers_in, rounds_to
from statements import count, known, quote, word


def times(value):
    """ "1.5x"."""
    return Figure(f"{NUMBER}x", lambda text: number(value).fits(text[:-1]), value)


def side_words(side):
    others = [f"{key}={value}" for key, value in side.items() if key != "implementation"]
    return " ".join([side["implementation"], *others] if "implementation" in side else others)


def settings(at):
    return [f"{key}={value}" for key, value in at.items()]


def limits_of(told):
    """The figures of what is claimed; none of a crossover."""
    limit = percent if told["kind"] == "saving" else times
    return [limit(told[end]) for end in ("at_least", "at_most") if told.get(end) is not None]


def saved(ratio):
    """ "26% [22, 28]" of what is less than all of it; whole per cents."""
    values = [100 * (1 - end) for end in (ratio.value, ratio.high, ratio.low)]
    fits = lambda text: all(abs(float(t) - v) <= 0.5 + 1e-9 * abs(v) for t, v in zip(numbers_in(text), values))
    return Figure(r"-?\d+% \[-?\d+, -?\d+\]", fits, values)


def figure_of(relation, point):
    """None where there is none."""
    found = point["ratio"]
    if not found or found.launches == 0:
        return None
    if relation.told["kind"] == "saving":
        whole = lambda text: abs(float(text[:-1]) - 100 * (1 - found.value)) <= 0.5 + 1e-9
        return (Figure(r"-?\d+%", whole, 1 - found.value),) if relation.counted else (saved(found),)
    return (times(found.value),) if relation.counted else (ratio(found),)


def measured_ratios(relation):
    """Of all points but a trend's deciding ones, which have none of their own."""
    is_trend = relation.told["kind"] == "trend"
    return [
        point["ratio"].value
        for point in relation.points
        if point["ratio"] and point["ratio"].launches > 0 and not (is_trend and point["decides"])
    ]


def measured_figures(relation):
    """The least and the largest of what the points show; empty where none was measured."""
    ratios = measured_ratios(relation)
    if not ratios:
        return []
    if relation.told["kind"] == "saving":
        whole = lambda value: Figure(r"-?\d+%", lambda text: rounds_to(100 * (1 - value), text[:-1]), 1 - value)
        return [whole(value) for value in (min(ratios), max(ratios))]
    factor = lambda value: Figure(f"{NUMBER}x", lambda text: rounds_to(value, text[:-1]), value)
    return [factor(value) for value in (min(ratios), max(ratios))]


def is_measured_text(relation, text):
    """ "1.10x to 3.12x at 3 measured points"; equal figures are one."""
    figures, (found, _, points) = measured_figures(relation), text.partition(" at ")
    texts = found.split(" to ") if " to " in found else [found, found]
    many = points == plural(len(measured_ratios(relation)), "measured point")
    return many and all(re.fullmatch(f.pattern, t) and f.fits(t) for f, t in zip(figures, texts))


def state_words(relation, point):
    state, kind = point["state"], relation.told["kind"]
    if state in ("undecided", "not run"):
        return state + (f": {point['remark']}" if state == "undecided" else "")
    text = "" if state == "shown" else state
    if kind == "crossover":
        sides = {"below": f"{side_words(relation.a)} is ahead", "above": f"{side_words(relation.b)} is ahead"}
        text += (": " if text else "") + sides.get(point["position"], "the two are equal")
    elif kind == "trend" and point["decides"]:
        text += ": what the ratio is multiplied by"
    return f"({text})" if text and not point["decides"] and state != "shown" else text


def was_run(relation):
    return any(point["state"] != "not run" for point in relation.points)


def table_of(relation):
    """Rows of texts of columns, the titles first."""
    axes = list(dict.fromkeys(key for point in relation.points for key in point["at"]))
    figure = "saved" if relation.told["kind"] == "saving" else "ratio"
    rows = [[(title,) for title in (*axes, figure, "launches", "says")]]
    for point in relation.points:
        values = [(point["at"].get(axis, "-"),) for axis in axes]
        count = str(point["ratio"].launches) if point["ratio"] else "-"
        says = (state_words(relation, point),)
        rows.append([*values, figure_of(relation, point) or ("-",), (count,), says])
    return rows


def flip_facts(relation):
    a = re.escape(side_words(relation.a))
    ends = (f"it holds|where {a} is ahead", f"it does not|where {a} is behind")
    for flip in relation.flips:
        places = [f"{flip['axis']}={flip[end]}" for end in ("from", "to")]
        yield known(word("[Ff]lips"), *settings(flip["at"]))
        for place, words in zip(places, ends if flip["holds_at_from"] else ends[::-1]):
            yield known(word(f"where {words}"), subject=place)


def places_of(relation):
    """The settings at which it is claimed to hold."""
    return settings({key: "|".join(values) for key, values in relation.named.items()})


def relation_facts(relation):
    a, b = side_words(relation.a), side_words(relation.b)
    yield from (known(limit, a, b) for limit in limits_of(relation.told))
    yield known(word(relation.verdict), a, b)
    yield known(word("ahead"), subject=a)
    yield known(word("behind"), subject=b)
    yield from (known(word(relation.verdict), a, b, place) for place in places_of(relation))
    yield known(count(*(relation.told.get("steps") or [])), a, b)
    yield from flip_facts(relation)
    reasons = [point["remark"] for point in relation.points if point["state"] == "not run"]
    for reason in reasons:
        yield known(quote(f"Not run: {reason}"))
        yield known(count(reasons.count(reason)))


def verdict_facts(judgement):
    relation = judgement.deciding
    yield known(word(judgement.verdict), judgement.claim["id"])
    if relation.deciding is None:
        return
    point = relation.points[relation.deciding]
    yield known(quote(point["remark"]), judgement.claim["id"])
    if judgement.verdict == "not run":
        yield from (known(figure, judgement.claim["id"]) for figure in measured_figures(relation))
        yield known(count(len(measured_ratios(relation))), judgement.claim["id"])
    yield from (known(word(judgement.verdict), judgement.claim["id"], text) for text in settings(point["at"]))
    for flip in relation.flips:
        yield known(word("flips"), *settings(flip["at"]))
        yield known(quote(f"{flip['axis']}={flip['from']} and {flip['to']}"), *settings(flip["at"]))
    yield from (known(figure, judgement.claim["id"]) for figure in figure_of(relation, point) or ())
    yield from (known(limit, judgement.claim["id"]) for limit in limits_of(relation.told))
    launches, seconds = judgement.needed
    if launches:
        minutes = seconds >= 90
        needed = number(math.ceil(seconds / 60 if minutes else seconds))
        text = f"{needed.pattern} {'min' if minutes else 's'}"
        yield known(count(launches), judgement.claim["id"])
        yield known(Figure(text, lambda found: needed.fits(found.split(" ")[0]), seconds), judgement.claim["id"])
    yield from alternative_facts(judgement)


def alternative_facts(judgement):
    """What is faster than a side of a decided claim about steps, where it was measured beside it."""
    is_plain = lambda relation: relation.told["kind"] == "ratio" and relation.quantity == "step"
    decided = judgement.deciding
    if judgement.verdict not in ("confirmed", "refuted") or not is_plain(decided):
        return
    for side in (sides := [decided.b, decided.a]):
        for other in judgement.relations:
            if other.decides or not is_plain(other) or other.b != side or other.a in sides:
                continue
            ratios = [point["ratio"] for point in other.points]
            if all(r and r.launches >= 3 and r.high * 1.01 < 1 for r in ratios):
                point = max(other.points, key=lambda point: point["ratio"].value)
                names = [side_words(side), side_words(other.a)]
                yield known(word("faster"), *names)
                yield from (known(figure, *names) for figure in figure_of(other, point))
                return
