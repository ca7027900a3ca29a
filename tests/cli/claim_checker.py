"""Proves what `gdbench claims` says of a report, from what the report's samples say."""

import json
import re

from claim_facts import figure_of, places_of, relation_facts, settings, side_words, verdict_facts
from expected_words import plural
from records import Record
from statements import known, quote
from values_checker import mismatches

VERDICTS = ("confirmed", "refuted", "inconclusive", "not run")
LEGENDS = ("a ratio of 1", "A saving of 25% is a ratio of 0.75", "others were not run", "confirmed and refuted: the")


def names_in(judgement):
    names = {judgement.claim["id"], *(cell.implementation for cell in judgement.report.everything)}
    for relation in judgement.relations:
        names |= {side_words(relation.a), side_words(relation.b), *places_of(relation)}
        names |= {text for of in (*relation.points, *relation.flips) for text in settings(of["at"])}
        names |= {f"{flip['axis']}={flip[end]}" for flip in relation.flips for end in ("from", "to")}
    return names


def evidence_of(judgement):
    facts = [fact for relation in judgement.relations for fact in relation_facts(relation)]
    legends = [known(quote(text)) for text in LEGENDS]
    return Record([*facts, *verdict_facts(judgement), *legends], names_in(judgement))


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
    verdicts = sections["Verdicts"]
    folded = by_heading(block for of in verdicts if "fold" in of for block in of["fold"]["blocks"])
    for number, judgement in enumerate(judgements):
        name, record = judgement.claim["id"], evidence_of(judgement)
        blocks = sections.get(f"{name}: {judgement.verdict}", folded.get(name))
        complaints += [f"{name} is missing"] if blocks is None else record.complaints(blocks)
        (row,) = [block["table"]["rows"][number] for block in verdicts if "table" in block]
        complaints += [] if row[:2] == [name, judgement.verdict] else [f"{row} is not {name}"]
        complaints += record.about(f"{name} {row[1]}: {row[2]}")
        for figure in (block["figure"] for block in verdicts if "figure" in block):
            complaints += record.about(figure["sentence"])
            complaints += record.about_chart({"rows": [figure["chart"]["rows"][number]]}, name)
    complaints += record.complaints(sections["What figures and verdicts mean"])
    others = [title for title in sections if title not in ("Verdicts", "Notes", "What figures and verdicts mean")]
    known_titles = [f"{judgement.claim['id']}: {judgement.verdict}" for judgement in judgements]
    return complaints + [f"{title!r} is no claim" for title in others if title not in known_titles]


LEADS = {
    "confirmed": "True here: ", "refuted": "Not true here: ", "inconclusive": "Not decided here: ",
    "not run": "Not measured here: ",
}


def advice_complaints(relation, line):
    """Its words, then the figure of each point that was measured, in their order."""
    measured = [point for point in relation.points if point["ratio"] and point["ratio"].launches > 0]
    figures = [figure_of(relation, point["ratio"]) for point in measured]
    places = [f" at {', '.join(settings(point['at']))}" if point["at"] else "" for point in measured]
    listed = ", ".join(f"({figure.pattern}){re.escape(place)}" for figure, place in zip(figures, places))
    a, b = (re.escape(side_words(side)) for side in (relation.a, relation.b))
    saves = relation.told["kind"] == "saving"
    subject = f"what {a} saves of the .* of {b}" if saves else f".* of {a} over that of {b}"
    rest = f"{subject} is {listed}" if measured else "what it brings was not measured"
    found = re.fullmatch(f"{re.escape(relation.told['advice'])}: {rest}\\.", line)
    if found and all(figure.fits(text) for figure, text in zip(figures, found.groups())):
        return []
    return [f"{line!r} is not the advice of {relation.told}"]


def cause_of(explanation):
    """What is said of the phases that are surely a part of the difference; None where there are none."""
    phases = [phase for phase in explanation.get("profiles", {}).get("phases", []) if phase["standing"] == "cause"]
    words = []
    for phase in phases[:3]:
        share, low, high = (
            round(100 * part) for part in (phase["share"], *(phase["share_interval"][end] for end in ("low", "high")))
        )
        figure = f"{low}% to {high}%" if phase["only_bounded"] else f"{share}% [{low}, {high}]"
        words.append(f"{phase.get('phase', 'unattributed')}{'' if words else ' is'} {figure}")
    return ", ".join(words) or None


def explanation_complaints(values, explained, causes):
    """`explained`: what `gdbench explain` answers about the same two cells; None where nothing is explained."""
    sections = [part["blocks"] for part in values["document"]["sections"] if part["title"].startswith("Where the time")]
    if explained is None:
        return [f"nothing explains {sections}{causes}"] if sections or causes or "explanations" in values else []
    complaints = mismatches(values.get("explanations"), explained["explanations"])
    document, (explanation,) = explained["document"], explained["explanations"]
    expected = [{"list": document["answer"]}, *(block for part in document["sections"] for block in part["blocks"])]
    complaints += mismatches(sections, [expected])
    words = cause_of(explanation)
    said = [line.partition("difference between ")[2].partition(", ")[2] for line in causes]
    return complaints + ([f"{causes} does not say {words}"] if words and said != [f"{words}."] else [])


def check_answer(judgement, explained, text):
    """Of `gdbench answer`: the verdict first, then the cause and advice, and what the verdict rests on."""
    values = json.loads(text)
    document, record = values["document"], evidence_of(judgement)
    name, lead = judgement.claim["id"], LEADS[judgement.verdict]
    complaints = mismatches(values["claims"], [judgement.document()])
    first, *others = document["answer"]
    complaints += [] if first.startswith(lead) else [f"{first!r} is no answer of a claim that is {judgement.verdict}"]
    complaints += record.about(f"{name} {judgement.verdict}: {first.removeprefix(lead)}")
    advice = [relation for relation in judgement.relations if relation.told.get("advice")]
    causes, others = others[: len(others) - len(advice)], others[len(others) - len(advice):]
    complaints += [wrong for relation, line in zip(advice, others) for wrong in advice_complaints(relation, line)]
    complaints += explanation_complaints(values, explained, causes)
    (rests_on,) = [part["blocks"] for part in document["sections"] if part["title"] == "What the verdict rests on"]
    return complaints + list(record.complaints(rests_on))
