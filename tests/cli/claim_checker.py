"""Proves what `gdbench claims` says of a report, from what the report's samples say: tables column by column, and all
else figure by figure and claim by claim, whatever the words are."""

import json
import math
import re

from expected_words import Figure, number, percent, plural, ratio, row_mismatch
from printed_figures import NUMBER, numbers_in
from rendered_documents import markdown_row, unescaped
from statements import Quote, Reader, count, known, quote, word
from values_checker import mismatches

VERDICTS = ("confirmed", "refuted", "inconclusive", "not run")
LEGEND = re.compile(r"ratio: median|confirmed and refuted:|in brackets:|# Claims|\|? ?(claim|---) ")


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


def state_words(relation, point):
    state, kind = point["state"], relation.told["kind"]
    if state in ("undecided", "not run"):
        return state + (f": {point['remark']}" if state == "undecided" else "")
    text = "" if state == "shown" else state
    if kind == "crossover":
        sides = {"below": f"{side_words(relation.a)} is ahead", "above": f"{side_words(relation.b)} is ahead"}
        text += (": " if text else "") + sides.get(point["position"], "nobody is ahead")
    elif kind == "trend" and point["decides"]:
        text += ": what the ratio is multiplied by"
    return f"({text})" if text and not point["decides"] and state != "shown" else text


def was_run(relation):
    return any(point["state"] != "not run" for point in relation.points)


def table_of(relation):
    """Rows of texts of columns, the titles first."""
    if not was_run(relation):
        return []
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


class Claim:
    """What is said of one claim; `tables`: the rows of each relation's, titles first."""

    def __init__(self, judgement):
        claim, self.id = judgement.claim, judgement.claim["id"]
        self.is_shown = any(map(was_run, judgement.relations))
        self.facts = [known(quote(claim[key])) for key in ("sentence", "source")] + list(verdict_facts(judgement))
        self.tables = [table_of(relation) for relation in judgement.relations if was_run(relation)]
        self.relations = [list(relation_facts(relation)) for relation in judgement.relations]
        self.here = []  # what is known of the relation that was named last
        names = {self.id, *(cell.implementation for cell in judgement.report.everything)}
        names |= {side_words(side) for relation in judgement.relations for side in (relation.a, relation.b)}
        names |= {place for relation in judgement.relations for place in places_of(relation)}
        ats = [of["at"] for relation in judgement.relations for of in (*relation.points, *relation.flips)]
        names |= {text for at in ats for text in settings(at)}
        names |= {f"{f['axis']}={f[end]}" for r in judgement.relations for f in r.flips for end in ("from", "to")}
        quotes = {fact.figure.value for facts in (self.facts, *self.relations) for fact in facts if is_quote(fact)}
        self.reader = Reader(names, quotes - {""})

    def complaints(self, text):
        if re.search(f": (?:{'|'.join(VERDICTS)})$", text) and not text.startswith(self.id) and self.relations:
            self.here = self.relations.pop(0)
        return self.reader.complaints(text, self.facts + self.here)


def is_quote(fact):
    return isinstance(fact.figure.value, Quote)


def check_text(judgements, lines):
    """Of lines that were not broken, or of the columns of a table's rows."""
    claims = {judgement.claim["id"]: Claim(judgement) for judgement in judgements}
    complaints, here, rows, tables, said = [], None, [], [], []
    for line in lines:
        text = line if isinstance(line, str) else "  ".join(line)
        first = re.split(r":|  |$", text.strip(), maxsplit=1)[0]
        if text == counts_line(judgements):
            said.append("counts")
        elif first in claims:
            said.append(first)
            here = claims[first]
            rows, tables = [], list(here.tables)
            complaints += here.complaints(text)
        elif text.endswith("  says") and here and tables:
            rows = tables.pop(0)[1:]
        elif rows and not text.startswith("---"):
            wrong = row_mismatch(line, rows.pop(0))
            complaints += [f"{text!r}: {wrong}"] if wrong else []
        elif not LEGEND.match(text):
            complaints += here.complaints(text) if here else [f"{text!r} is of no claim"]
    expected = ["counts", *claims, *(name for name, claim in claims.items() if claim.is_shown)]
    return complaints if sorted(said) == sorted(expected) else [*complaints, f"{said} are said, not {expected}"]


def counts_line(judgements):
    verdicts = [judgement.verdict for judgement in judgements]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts)
    return f"{plural(len(judgements), 'claim')}: {counts}"


def check_console(judgements, text):
    return check_text(judgements, [line for line in text.split("\n") if line])


def check_markdown(judgements, text):
    lines = [re.sub("^(## |- )", "", line).replace("**", "") for line in text.split("\n") if line]
    return check_text(judgements, [markdown_row(line) if line.startswith("| ") else unescaped(line) for line in lines])


def check_json(judgements, text):
    return mismatches(json.loads(text)["claims"], [judgement.document() for judgement in judgements])
