"""What `gdbench explain` may say of two cells: the figures of its explanation, as it is computed from the samples."""

import re

from documents import parts_of, text_of
from expected_words import percent, time
from records import Record, facts_of
from statements import count, known, overtaking_facts, quote, word


class Names:
    """What the two cells are called: ids without what the heading has."""

    def __init__(self, told):
        self.told, self.settings = told, []
        self.a, self.b = self.short(told["a"], told["scenario"]), self.short(told["b"], told["b_scenario"])
        if told["differing"]:
            labels = (told["scenario"], told["b_scenario"])
            own, others = own_overrides(*labels), own_overrides(*reversed(labels))
            same = self.a == self.b
            self.a, self.b = (own, others) if same else (f"{own}/{self.a}", f"{others}/{self.b}")
            self.settings = [own, others]
        self.both = (self.a, self.b)

    @staticmethod
    def short(cell, label):
        return cell.removeprefix(label + "/")

    def of_all(self, report):
        """Whatever cells of the report may be called here."""
        bare = {cell.id.removeprefix(report.label(cell) + "/") for cell in report.everything}
        return bare | {f"{settings}/{name}" for settings in self.settings for name in bare} | set(self.both)

    def of(self, cell):
        return {self.told["a"]: self.a, self.told["b"]: self.b}.get(cell) or self.short(cell, self.told["scenario"])

    def around(self, key, value, names):
        """Of a part of the explanation: a side, a phase or an op, or the two cells that it compares."""
        if side := re.match(r"(a|b)(?:_|$)", key):
            return (getattr(self, side[1]), *(name for name in names if name not in self.both))
        if isinstance(value, dict) and "phase" in value:
            return (*names, part_name(value) if "op" in value else value["phase"])
        if isinstance(value, dict) and value.get("cell"):
            other = value.get("base") or value.get("other")
            cell = self.of(value["cell"])
            return (cell, self.of(other)) if other else (cell, *(name for name in names if name != cell))
        return names


def own_overrides(label, other):
    entries = [re.findall(r"[^,\]]+", one.partition("[")[2]) for one in (label, other)]
    return ",".join(entry for entry in entries[0] if entry not in entries[1]) or label


def part_name(part):
    layers = part.get("layers")
    if not layers:
        return f"{part['phase']}, {part['op']}"
    consecutive = len(layers) > 1 and layers[-1] - layers[0] + 1 == len(layers)
    numbers = f"{layers[0]}-{layers[-1]}" if consecutive else ",".join(map(str, layers))
    return f"{part['phase']}, {part['op']}, layer{'s' if len(layers) > 1 else ''} {numbers}"


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
        step, target = told[f"{side}_step_ns"].value, (told["target"] or {}).get(side)
        if told["profiles"]:
            basis = told["profiles"][side]
            yield known(count(basis["profiles"])._replace(pattern=r"\d+ profiles?"), subject=name)
            yield from [known(word("one piece|no profile"), *names.both, subject=name)] if basis["one_piece"] else ()
            yield known(percent(basis["overhead_ns"] / step), subject=name)
        if target:
            yield known(time(target["steps"] * step), subject=name)
    for part in (told["profiles"] or {"ops": []})["ops"]:
        yield known(word("shorter" if part["by_length_ns"] < 0 else "longer"), part_name(part))
    yield from (known(word("(?:offers )?no profile|one piece"), names.of(of["cell"])) for of in told["missing"]
                if of["cell"])
    yield known(word("less"), names.b, subject=names.a)
    yield known(count(30, 20))  # of a remedy
    yield known(quote("holds 0"))
    if point := (told["start"] or {}).get("break_even"):
        yield from overtaking_facts(point, *(names.of(point[end]) for end in ("cell", "other")))


class Explained:
    """What may be said of the explanation `told` of one pair of the report's cells."""

    def __init__(self, told, report):
        self.told, self.names = told, Names(told)
        parts = [part for of in ("profiles", "a_ops", "b_ops") for part in (told[of] or {"ops": []})["ops"]]
        phases = [part["phase"] for part in (told["profiles"] or {"phases": []})["phases"]]
        facts = [*facts_of(told, self.names.around, self.names.both), *derived_facts(told, self.names)]
        self.record = Record(facts, {*self.names.of_all(report), *map(part_name, parts), *phases})

    def complaints(self, section, answer):
        """About its section, and the sentences of the answer where that is about it."""
        texts = [text_of(text) for text in answer]
        for kind, content in parts_of(section["blocks"]):
            texts += [content["sentence"] if kind == "figure" else content] if kind in ("paragraph", "figure") else []
        twice = [f"{text!r}: a cell is beside itself" for text in texts if self.is_beside_itself(text)]
        complaints = [wrong for text in answer for wrong in self.record.about(text_of(text))]
        return [*twice, *complaints, *self.record.complaints(section["blocks"])]

    def is_beside_itself(self, text):
        parts = map(self.record.names_in, text.rpartition(" ["))
        return any(len(found) > 1 == len(set(found)) < len(set(self.names.both)) for found in parts)
