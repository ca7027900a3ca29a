"""Proves what `gdbench claims` says of a report, from what the report's samples say."""

import json

from claim_facts import places_of, relation_facts, settings, side_words, verdict_facts
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
