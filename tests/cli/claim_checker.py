"""Proves what `gdbench claims` and `gdbench answer` say of a report: figures and verdicts, with the names that they are
of, from what the report's samples say."""

import functools
import json
import math
import re

from documents import parts_of, text_of
from expected_words import NUMBER, Figure, number, numbers_in, percent, plural, ratio, rounds_to
from records import Record
from statements import count, known, quote, word
from values_checker import mismatches

VERDICTS = ("confirmed", "refuted", "inconclusive", "not run")
LEGENDS = ("a ratio of 1", "A saving of 25% is a ratio of 0.75", "others were not run", "confirmed and refuted: the")
LEADS = {
    "confirmed": "True here: ", "refuted": "Not true here: ", "inconclusive": "Not decided here: ",
    "not run": "Not measured here: ",
}
SHARE = re.compile(r"(?:, | and )(\w+)(?: is)? (-?\d+% (?:\[[^]]*\]|to -?\d+%))")  # "forward is 60% [55, 66]"
MEANINGS = "What figures and verdicts mean"


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


def places_of(relation):
    """The settings at which it is claimed to hold."""
    return settings({key: "|".join(values) for key, values in relation.named.items()})


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


def point_facts(relation, point, names, beside):
    """A sentence names where the point is, or the claim that it speaks for."""
    found, sides = point["ratio"], {"below": relation.a, "above": relation.b}
    yield known(word(point["state"]), *names, beside=beside)
    if relation.told["kind"] == "crossover" and (winner := sides.get(point["position"])):
        yield from (known(word(words), *names, side_words(winner)) for words in (point["state"], "ahead"))
    figures = [quote(point["remark"])] if point["remark"] else []
    if found and found.launches > 0:
        figures += [figure_of(relation, found), ratio(found), count(found.launches)]
    beside = {*beside, side_words(relation.a), side_words(relation.b)}
    yield from (known(figure, *names, beside=beside) for figure in figures)


def relation_facts(relation, name):
    a, b = side_words(relation.a), side_words(relation.b)
    figures = (*limits_of(relation.told), count(*(relation.told.get("steps") or [])), word(relation.verdict))
    yield from (known(figure, a, b, beside=places_of(relation)) for figure in figures)
    yield from (known(word("ahead"), b, subject=a), known(word("behind"), a, subject=b))
    for flip in relation.flips:
        yield known(word("[Ff]lips"), *settings(flip["at"]))
        yield known(quote(f"{flip['axis']}={flip['from']} and {flip['to']}"), *settings(flip["at"]))
        for end, holds in (("from", flip["holds_at_from"]), ("to", not flip["holds_at_from"])):
            says, place = ("it holds", "ahead") if holds else ("it does not", "behind")
            yield known(word(f"where (?:{says}|{re.escape(a)} is {place})"), subject=f"{flip['axis']}={flip[end]}")
    reasons = [point["remark"] for point in relation.points if point["state"] == "not run"]
    yield from (known(quote(f"Not run: {reason}" + (f" ({n} points)" if n > 1 else ""))) for reason in reasons
                if (n := reasons.count(reason)))
    for point in relation.points:
        yield from point_facts(relation, point, settings(point["at"]), {name})
    yield from (known(number(limit)) for limit in relation.limits if math.isfinite(limit))


def verdict_facts(judgement):
    """Of the point that speaks for the verdict; without a ratio of it, all that was measured."""
    relation, name = judgement.deciding, judgement.claim["id"]
    point = relation.points[relation.deciding] if relation.deciding is not None else None
    at = settings(point["at"]) if point else []
    yield known(word(judgement.verdict), name, beside=at)
    yield from point_facts(relation, point, [name], at) if point else ()
    yield from (known(quote(judgement.claim[key])) for key in ("sentence", "source"))
    yield from (known(figure, name) for figure in limits_of(relation.told))
    if point and not point["ratio"]:
        ratios, figure = measured_ratios(relation), saved if relation.told["kind"] == "saving" else times
        yield from (known(figure(value), name) for value in sorted(ratios)[:1] + sorted(ratios)[-1:])
        yield from (known(of, name) for of in (*map(number, ratios), count(len(ratios))))
    launches, seconds = judgement.needed
    if launches:
        needed = number(math.ceil(seconds / 60 if seconds >= 90 else seconds))
        text = f"{needed.pattern} {'min' if seconds >= 90 else 's'}"
        yield from (known(figure, name) for figure in (quote(f"needs about {launches} launches"), word(str(launches))))
        yield known(Figure(text, lambda found: needed.fits(found.split(" ")[0]), seconds), name)
    yield from alternative_facts(judgement)


def alternative_facts(judgement):
    """What is faster than a side of a decided claim about steps, where it was measured with it."""
    is_plain = lambda relation: relation.told["kind"] == "ratio" and relation.quantity == "step"
    decided = judgement.deciding
    sides = [decided.b, decided.a] if judgement.verdict in ("confirmed", "refuted") and is_plain(decided) else []
    for other in judgement.relations:
        if not other.decides and is_plain(other) and other.b in sides and other.a not in sides:
            ratios = [point["ratio"] for point in other.points]
            if all(r and r.launches >= 3 and r.high * 1.01 < 1 for r in ratios):
                yield known(word("faster"), side_words(other.a), side_words(other.b))


@functools.cache
def evidence_of(judgement, only=None):
    """Of all relations together, or of one."""
    name, legends = judgement.claim["id"], [known(quote(text)) for text in LEGENDS]
    facts = {relation: list(relation_facts(relation, name)) for relation in judgement.relations}
    every = [*(fact for of in facts.values() for fact in of), *verdict_facts(judgement), *legends]
    names = {cell.implementation for cell in judgement.report.everything}
    return Record([*facts[only], *legends] if only else every, names.union(*(fact.about for fact in every)))


def relations_complaints(judgement, blocks):
    """About relations one after the other, each of which begins with a sentence that ends with its verdict."""
    ends = tuple(f": {verdict}" for verdict in VERDICTS)
    starts = [n for n, block in enumerate(blocks) if text_of(block.get("paragraph", "")).endswith(ends)]
    if len(starts) != len(judgement.relations):
        return [f"{len(starts)} relations, not {len(judgement.relations)}"]
    complaints = list(evidence_of(judgement).complaints(blocks[: starts[0]]))
    for relation, start, end in zip(judgement.relations, starts, [*starts[1:], None]):
        complaints += evidence_of(judgement, relation).complaints(blocks[start:end])
    return complaints


def answer_of(judgements):
    ids = {verdict: [j.claim["id"] for j in judgements if j.verdict == verdict] for verdict in VERDICTS}
    counts = ", ".join(f"{len(names)} {verdict}" for verdict, names in ids.items() if names)
    lines = (f"{verdict}: {', '.join(names)}" for verdict, names in ids.items() if names)
    return [f"{plural(len(judgements), 'claim')}: {counts}", *lines]


def by_heading(blocks):
    """Heading -> the blocks below it."""
    found = {}
    for block in blocks:
        if "heading" in block:
            found[block["heading"]] = []
        else:
            found[list(found)[-1]].append(block)
    return found


def check(judgements, text):
    values = json.loads(text)
    document = values["document"]
    complaints = mismatches(values["claims"], [judgement.document() for judgement in judgements])
    complaints += mismatches(document["answer"], answer_of(judgements))
    sections = {section["title"]: section["blocks"] for section in document["sections"]}
    verdicts, titles = sections["Verdicts"], ["Verdicts", "Notes", MEANINGS]
    folded = by_heading(block for of in verdicts if "fold" in of for block in of["fold"]["blocks"])
    for number, judgement in enumerate(judgements):
        name, record = judgement.claim["id"], evidence_of(judgement)
        titles.append(f"{name}: {judgement.verdict}")
        blocks = sections.get(titles[-1], folded.get(name))
        blocks = blocks or [{"paragraph": f"{name} is missing"}]
        complaints += mismatches(text_of(blocks[0]["paragraph"]), f'"{judgement.claim["sentence"]}"')
        complaints += relations_complaints(judgement, blocks)
        (row,) = [block["table"]["rows"][number] for block in verdicts if "table" in block]
        complaints += mismatches(row[:2], [name, judgement.verdict])
        complaints += record.about(f"{name} {row[1]}: {row[2]}")
        for figure in (block["figure"] for block in verdicts if "figure" in block):
            complaints += record.about(figure["sentence"])
            complaints += record.about_chart({"rows": [figure["chart"]["rows"][number]]}, name)
    complaints += record.complaints(sections[MEANINGS])
    return complaints + [f"{title!r} is no claim" for title in sections if title not in titles]


def explanation_complaints(values, explained, causes):
    """`explained`: what `gdbench explain` answers about the same two cells, of which the causes are a part; None where
    nothing is explained."""
    sections = [part["blocks"] for part in values["document"]["sections"] if part["title"].startswith("Where the time")]
    if explained is None:
        return [f"nothing explains {sections}{causes}"] if sections or causes or "explanations" in values else []
    document = explained["document"]
    blocks = [{"list": document["answer"]}, *(block for part in document["sections"] for block in part["blocks"])]
    complaints = mismatches([values.get("explanations"), sections], [explained["explanations"], [blocks]])
    parts = list(parts_of(blocks))
    said = {content for kind, content in parts if kind == "paragraph"}
    said |= {(row[0], row[-1]) for kind, content in parts if kind == "table" for row in content["rows"]}
    for line in causes:
        shares = set(SHARE.findall(line))
        complaints += [] if line in said or (shares and shares <= said) else [f"{line!r} is not in the explanation"]
    return complaints


def check_answer(judgement, explained, text):
    """Of `gdbench answer`: the verdict first, then the cause and advice, and what the verdict rests on."""
    values = json.loads(text)
    document, record = values["document"], evidence_of(judgement)
    name, lead = judgement.claim["id"], LEADS[judgement.verdict]
    complaints = mismatches(values["claims"], [judgement.document()])
    first, *others = document["answer"]
    complaints += [] if first.startswith(lead) else [f"{first!r} is no answer of a claim that is {judgement.verdict}"]
    complaints += record.about(f"{name} {judgement.verdict}: {first.removeprefix(lead)}")
    advice = [relation.told["advice"] for relation in judgement.relations if relation.told.get("advice")]
    causes, others = others[: len(others) - len(advice)], others[len(others) - len(advice):]
    for words, line in zip(advice, others):
        complaints += record.about(line.removeprefix(words)) if line.startswith(words) else [f"{line!r} is not {words}"]
    complaints += explanation_complaints(values, explained, causes)
    (rests_on,) = [part["blocks"] for part in document["sections"] if part["title"] == "What the verdict rests on"]
    return complaints + relations_complaints(judgement, rests_on)
