"""Proves what `gdbench claims` says of a report, from what the report's samples say: its record, tables and charts
value by value, and all else figure by figure and claim by claim, whatever the words are."""

import json
import re

from claim_facts import (
    figure_of,
    is_measured_text,
    measured_figures,
    measured_ratios,
    places_of,
    relation_facts,
    settings,
    side_words,
    table_of,
    verdict_facts,
    was_run,
)
from documents import FOREST, finite, forest, parts_of, table, value_of
from expected_words import Figure, plural
from statements import Quote, Reader, known, quote
from values_checker import mismatches

VERDICTS = ("confirmed", "refuted", "inconclusive", "not run")
LEGEND = (
    "ratio: median with an interval over launches; the intervals of a claim hold at 95% together.",
    "confirmed and refuted: the whole interval lies on one side of the limit, at every point that the claim needs.",
    "in brackets: a point that is shown and does not decide.",
)
WANTED = "Behind a row is what the sentence demands, with a stroke at its limit."
EQUAL = "Grey is where the two are equal."
SAVING = " A saving of 25% is a ratio of 0.75."
DOTS = " Dots are the measured points of a claim of which others were not run."


def row_of(relation, point):
    """Of a chart, without its label and its word."""
    demands = relation.told["kind"] != "crossover" and point["state"] != "shown"
    demands = demands and (relation.told["kind"] != "trend" or point["decides"])
    return {
        "values": [value_of(point["ratio"])] if point["ratio"] else None,
        "wanted": finite(*relation.limits) if demands else None,
        "figure": figure_of(relation, point),
    }


def verdict_row(judgement):
    """The point that speaks for the verdict; without a ratio of it, all that was measured."""
    relation, label = judgement.deciding, {"label": judgement.claim["id"], "word": judgement.verdict}
    if relation.deciding is None:
        return label
    row = row_of(relation, relation.points[relation.deciding])
    if not row["values"] and (dots := measured_ratios(relation)):
        fits = lambda text: is_measured_text(relation, text)
        row.update(dots=dots, figure=(Figure(".*", fits, measured_figures(relation)),))
    return {**row, **label}


def points_chart(relation):
    rows = []
    for point in relation.points:
        state = point["state"]
        if state != "not run":
            word_of = state if point["decides"] or state == "shown" else f"({state})"
            rows.append({**row_of(relation, point), "label": ", ".join(settings(point["at"])), "word": word_of})
    equal = {"name": "the two are equal", "range": finite(*relation.limits)}
    return forest("ratio", rows, equal if relation.told["kind"] == "crossover" else None)


class Claim:
    """What is said of one claim."""

    def __init__(self, judgement):
        claim, self.id = judgement.claim, judgement.claim["id"]
        self.title = f"{self.id}: {judgement.verdict}"
        self.is_shown = any(map(was_run, judgement.relations))
        self.facts = [known(quote(claim[key])) for key in ("sentence", "source")] + list(verdict_facts(judgement))
        self.measured = list(filter(was_run, judgement.relations))  # whose table and chart are still to come
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
        if re.search(f": (?:{'|'.join(VERDICTS)})$", text) and self.relations:
            self.here = self.relations.pop(0)
        return self.reader.complaints(text, self.facts + self.here)

    def evidence_complaints(self, blocks):
        """About the sentences, and a chart and a table of each relation that was run."""
        expected = [kind for _ in self.measured for kind in ("figure", "table")]
        blocks = list(parts_of(blocks))
        if [kind for kind, _ in blocks if kind != "paragraph"] != expected:
            return [f"{self.id} has {[kind for kind, _ in blocks]}"]
        complaints = []
        for kind, content in blocks:
            if kind == "paragraph":
                complaints += self.complaints(content)
            elif kind == "figure":
                of, told = self.measured[0], self.measured[0].told["kind"]
                sentence = (EQUAL if told == "crossover" else WANTED) + SAVING * (told == "saving")
                expected = {"title": "Ratio at each point", "sentence": sentence, "chart": points_chart(of)}
                complaints += mismatches(content, expected, self.id)
            else:
                complaints += mismatches(content, table(table_of(self.measured.pop(0)))["table"], self.id)
        return complaints + [f"{self.id}: a relation is missing"] * len(self.relations)


def is_quote(fact):
    return isinstance(fact.figure.value, Quote)


def counts_line(judgements):
    verdicts = [judgement.verdict for judgement in judgements]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts)
    return f"{plural(len(judgements), 'claim')}: {counts}"


def answer_of(judgements):
    ids = {verdict: [j.claim["id"] for j in judgements if j.verdict == verdict] for verdict in VERDICTS}
    return [counts_line(judgements), *(f"{verdict}: {', '.join(names)}" for verdict, names in ids.items() if names)]


def verdicts_complaints(judgements, claims, blocks):
    """A chart and a table with a row for each claim, and behind these the claims of which nothing was measured."""
    found = {kind: content for block in blocks for kind, content in block.items()}  # one of each
    rows, inner = found["table"]["rows"], found.get("fold", {"blocks": []})["blocks"]
    chart = forest("ratio", list(map(verdict_row, judgements)))
    words = {"title": "What each verdict rests on", "sentence": f"{FOREST} {WANTED}" + SAVING + DOTS}
    is_drawn = any(claim.is_shown for claim in claims.values())
    complaints = mismatches(found.get("figure"), {**words, "chart": chart} if is_drawn else None)
    if [row[:2] for row in rows] != [[j.claim["id"], j.verdict] for j in judgements]:
        return [*complaints, f"{rows} are not the claims"]
    for name, verdict, words in rows:
        complaints += claims[name].reader.complaints(f"{name} {verdict}: {words}", claims[name].facts)
    others = [claim for claim in claims.values() if not claim.is_shown]
    starts = [number for number, block in enumerate(inner) if "heading" in block]
    if [inner[start]["heading"] for start in starts] != [claim.id for claim in others]:
        return [*complaints, f"{inner} are not {len(others)} claims"]
    for claim, start, end in zip(others, starts, [*starts[1:], len(inner)]):
        complaints += claim.evidence_complaints(inner[start + 1 : end])
    return complaints


def check(judgements, text):
    values = json.loads(text)
    document, claims = values["document"], {judgement.claim["id"]: Claim(judgement) for judgement in judgements}
    complaints = mismatches(values["claims"], [judgement.document() for judgement in judgements])
    complaints += mismatches(document["answer"], answer_of(judgements))
    shown = [claim for claim in claims.values() if claim.is_shown]
    titles = [section["title"] for section in document["sections"] if section["title"] != "Notes"]
    if titles != ["Verdicts", *(claim.title for claim in shown), "What figures and verdicts mean"]:
        return [*complaints, f"sections {titles}"]
    verdicts, *sections = (section["blocks"] for section in document["sections"])
    complaints += mismatches(sections[len(shown)], [{"list": list(LEGEND)}])
    notes = judgements[0].report.document.get("notes")
    complaints += mismatches(sections[len(shown) + 1 :], [[{"list": notes}]] if notes else [])
    complaints += verdicts_complaints(judgements, claims, verdicts)
    return complaints + [c for claim, blocks in zip(shown, sections) for c in claim.evidence_complaints(blocks)]
