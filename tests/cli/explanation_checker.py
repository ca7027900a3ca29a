"""Proves what `gdbench explain` says of two cells: figures of an explanation that is computed from the samples."""

import functools
import json
import re

from documents import parts_of, text_of
from expected_words import percent, plural, time
from explanation_documents import explain
from records import Record, facts_of
from statements import count, known, overtaking_facts, quote, word
from values_checker import SAME, mismatches


class Names:
    """What the two cells are called: ids without what the heading has."""

    def __init__(self, told):
        self.told, labels = told, (told["scenario"], told["b_scenario"])
        self.both = tuple(told[side].removeprefix(label + "/") for side, label in zip("ab", labels))
        if told["differing"]:
            settings, same = [own_overrides(*labels), own_overrides(*reversed(labels))], self.both[0] == self.both[1]
            self.both = tuple(settings if same else map("{}/{}".format, settings, self.both))

    def of(self, cell):
        own = dict(zip((self.told["a"], self.told["b"]), self.both))
        return own.get(cell) or cell.removeprefix(self.told["scenario"] + "/")

    def around(self, key, value, names):
        """Of a part of the explanation: a side, a phase or an op, or the two cells that it compares."""
        if side := re.match(r"(a|b)(?:_|$)", key):
            return (self.both["ab".index(side[1])], *(name for name in names if name not in self.both))
        if isinstance(value, dict) and "phase" in value:
            return (*names, part_name(value) if "op" in value else value["phase"])
        if isinstance(value, dict) and value.get("cell"):
            other, cell = value.get("base") or value.get("other"), self.of(value["cell"])
            return (cell, self.of(other)) if other else (cell, *(name for name in names if name != cell))
        return names


def own_overrides(label, other):
    entries = [re.findall(r"[^,\]]+", one.partition("[")[2]) for one in (label, other)]
    return ",".join(entry for entry in entries[0] if entry not in entries[1]) or label


def part_name(part):
    name, layers = f"{part['phase']}, {part['op']}", part.get("layers") or []
    if len(layers) < 2:
        return name + "".join(f", layer {layer}" for layer in layers)
    consecutive = layers[-1] - layers[0] + 1 == len(layers)
    return f"{name}, layers " + (f"{layers[0]}-{layers[-1]}" if consecutive else ",".join(map(str, layers)))


def derived_facts(told, names):
    """Of figures that are made of several of the record's."""
    whole = told["whole"]["difference_ns"].value
    for key in told["differing"]:
        bare = [text[1:-1] if len(text) > 1 and text.startswith('"') else text for text in (key["a"], key["b"])]
        yield known(quote(f"{key['key']} ({bare[0]} instead of {bare[1]})"))
        yield from (known(quote(f"{key['key']}={of}"), subject=name) for of, name in zip(bare, names.both))
    for part in (part for path in told["paths"] for part in path["parts"]):
        cells = [names.of(part["difference"][end]) for end in ("cell", "base")]
        yield known(quote(f"{part['value'] or 'none'} instead of {part['base_value'] or 'none'}"), *cells)
        yield known(percent(part["difference"]["difference_ns"].value / whole), *cells)
    for side, name in zip("ab", names.both):
        step, target, profiles = told[f"{side}_step_ns"].value, (told["target"] or {}).get(side), told["profiles"]
        if basis := profiles and profiles[side]:
            yield known(count(basis["profiles"])._replace(pattern=r"\d+ profiles?"), subject=name)
            yield from [known(word("one piece|no profile"), *names.both, subject=name)] if basis["one_piece"] else ()
            yield known(percent(basis["overhead_ns"] / step), subject=name)
        yield from [known(time(target["steps"] * step), subject=name)] if target else ()
    for part in (told["profiles"] or {"ops": []})["ops"]:
        yield known(word("shorter" if part["by_length_ns"] < 0 else "longer"), part_name(part))
    yield from (known(word("(?:offers )?no profile|one piece"), names.of(of["cell"])) for of in told["missing"]
                if of["cell"])
    yield from (known(word("less"), names.both[1], subject=names.both[0]), known(quote("holds 0")))
    yield from (known(figure) for figure in (word("30|20"), *(quote(of["command"]) for of in told["missing"])))
    if advice := told["advice"]:
        of_axis = advice["remedy"] == "axis"
        figures = [time(advice["saving_ns"]), percent(advice["share"]), quote(f"{advice['subject']} {advice['value']}")]
        subject, beside = (names.of(advice["cell"]), ()) if of_axis else (names.both, [advice["subject"]])
        yield from (known(figure, subject=subject, beside={*names.both, *beside}) for figure in figures)
    if point := (told["start"] or {}).get("break_even"):
        yield from overtaking_facts(point, *(names.of(point[end]) for end in ("cell", "other")))


class Explained:
    """What may be said of the explanation `told` of one pair of the report's cells."""

    def __init__(self, told, report):
        self.told, self.names = told, Names(told)
        facts = facts_of({**told, "advice": None}, self.names.around, self.names.both)
        facts = [*facts, *derived_facts(told, self.names)]
        bare = {cell.id.removeprefix(report.label(cell) + "/") for cell in report.everything}
        self.record = Record(facts, bare.union(*(fact.about for fact in facts)))

    def complaints(self, section, answer):
        """About its section, and the sentences of the answer where that is about it."""
        texts = [text_of(text) for text in answer]
        for kind, content in parts_of(section["blocks"]):
            texts += [content["sentence"] if kind == "figure" else content] if kind in ("paragraph", "figure") else []
        twice = [f"{text!r}: a cell is beside itself" for text in texts if self.is_beside_itself(text)]
        other_way = {"faster": "more per step", "slower": "less per step"}.get(self.told["whole"]["comparison"].verdict)
        twice += [f"{text!r}: it is the other way round" for text in texts if other_way and other_way in text]
        complaints = [wrong for text in answer for wrong in self.record.about(text_of(text))]
        return [*twice, *complaints, *self.record.complaints(section["blocks"])]

    def is_beside_itself(self, text):
        parts = map(self.record.names_in, text.rpartition(" ["))
        return any(len(found) > 1 == len(set(found)) < len(set(self.names.both)) for found in parts)


@functools.cache
def explained(report, a, b):
    return Explained(explain(report, a, b), report)


def check_explanations(report, pairs, text):
    """Of the JSON: the record, and a section of the document for each pair; the verdict of a single pair is the
    document's answer."""
    values, proofs = json.loads(text), [explained(report, *pair) for pair in pairs]
    expected = [proof.told for proof in proofs]
    slack = SAME * max(max(told["a_step_ns"].value, told["b_step_ns"].value) for told in expected)
    complaints = mismatches(values["explanations"], expected, slack=slack)
    document, alone = values["document"], len(pairs) == 1
    if len(document["sections"]) != len(pairs):
        return [*complaints, f"{len(document['sections'])} sections, not {len(pairs)}"]
    whole = f"Why is one faster than the other? {plural(len(pairs), 'pair')} of cells"
    complaints += [] if alone or document["title"] == whole else [f"the title {document['title']!r}"]
    for section, proof in zip(document["sections"], proofs):
        title = document["title"] if alone else section["title"]
        complaints += [] if title.endswith(" against ".join(proof.names.both)) else [f"{title!r} is another pair"]
        complaints += proof.complaints(section, document["answer"] if alone else [])
    return complaints
