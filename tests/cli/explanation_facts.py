"""What `gdbench explain` may say of two cells: figures and claims of the explanation as JSON has it, which is computed
from the samples, with the names that they are of."""

import math
import re

from expected_words import Figure, estimate, number, percent, ratio, share, time
from printed_figures import NUMBER, numbers_in
from statements import Quote, Reader, count, known, pair, quote, word

MOST_UNCLEAR = 3


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


def own_overrides(label, other):
    entries = [re.findall(r"[^,\]]+", one.partition("[")[2]) for one in (label, other)]
    return ",".join(entry for entry in entries[0] if entry not in entries[1]) or label


def more_or_less(figure, is_less):
    pattern = f"{figure.pattern} {'less' if is_less else 'more'}"
    return Figure(pattern, lambda text: figure.fits(text[:-5]), figure.value)


def difference(of):
    """ "12 ns [11, 13] more"; what is less has its signs turned over."""
    less = of.value < 0
    return more_or_less(estimate(of._replace(value=-of.value, low=-of.high, high=-of.low) if less else of), less)


def comparison_facts(found, names, subject):
    """Of a comparison, with its remark."""
    yield known(count(found.ratio.launches), *names)
    yield known(ratio(found.ratio), *names)
    if found.is_told:
        yield known(word(found.verdict), *names, subject=subject)
    if found.verdict == "equivalent":
        yield known(word("[Nn]o difference"), *names)
    if found.remark:
        yield known(quote(found.remark), *names)
        yield known(word("undecided"), *names)
    yield from [known(word("not confirmed"), *names)] if found.is_clear else ()


def whole_facts(told, names):
    yield from comparison_facts(told["whole"]["comparison"], names.both, names.a)
    yield known(difference(told["whole"]["difference_ns"]), *names.both)
    yield known(time(told["a_step_ns"].value), subject=names.a)
    yield known(time(told["b_step_ns"].value), subject=names.b)
    for key in told["differing"]:
        bare = [text[1:-1] if len(text) > 1 and text.startswith('"') else text for text in (key["a"], key["b"])]
        yield known(quote(f"{key['key']} ({bare[0]} instead of {bare[1]})"))
        yield known(quote(f"{key['key']}={bare[0]}"), subject=names.a)
        yield known(quote(f"{key['key']}={bare[1]}"), subject=names.b)
        yield known(word("only"))


def target_facts(told, names):
    for side, name in (("a", names.a), ("b", names.b)):
        run, step = told["target"][side], told[f"{side}_step_ns"].value
        yield known(number(run["target_loss"]), *names.both)
        yield known(count(run["steps"] if run["state"] == "reached" else run["stopped_after"]), subject=name)
        if run["state"] == "reached":
            yield known(time(run["steps"] * step), subject=name)
        else:
            yield known(word(run["state"]), subject=name)
    if told["target"]["time"]:
        found = told["target"]["time"]
        yield from comparison_facts(found["comparison"], names.both, names.a)
        yield known(difference(found["difference_ns"]), *names.both)


def path_facts(told, names):
    whole = told["whole"]["difference_ns"].value
    for path in told["paths"]:
        yield known(time(abs(path["rest_ns"])), *names.both)
        for part in path["parts"]:
            of, cells = part["difference"], [names.of(part["difference"][end]) for end in ("cell", "base")]
            values = f"{part['value'] or 'none'} instead of {part['base_value'] or 'none'}"
            yield known(quote(values), *(cells if len(path["parts"]) > 1 else names.both))
            yield known(word("only"), *names.both)
            yield from comparison_facts(of["comparison"], cells, cells[0])
            if of["comparison"].is_told:
                yield known(percent(of["difference_ns"].value / whole), *cells)
                yield known(difference(of["difference_ns"]), *cells)


def dispatch_facts(told, names):
    for side, cell in (("a", names.a), ("b", names.b)):
        if cost := told[f"{side}_dispatches"]:
            yield known(number(cost["dispatches"]), subject=cell)
            yield known(percent(cost["share"]), cell)
            yield from (known(time(ns), cell) for ns in (cost["floor"][0]["time_ns"], cost["least_ns"]))
            for part in cost["floor"]:
                yield known(quote(part["op"]), cell)
                yield known(time(part["time_ns"]), cell)
        if largest := told[f"{side}_ops"]:
            yield known(quote(largest["profiler"]), cell)
            yield known(number(largest["slowdown"]), cell)
            for part in largest["ops"]:
                yield known(percent(part["share"]), part_name(part), cell)
    if calls := told["calls"]:
        low, high = calls["interval"]["low"], calls["interval"]["high"]
        yield known(share(calls["share"], low, high), *names.both)
        yield known(share(1 - calls["share"], 1 - high, 1 - low), *names.both)
        yield known(pair(number(calls["a_calls"]), number(calls["b_calls"])), *names.both)


def part_name(part):
    layers = part.get("layers")
    if not layers:
        return f"{part['phase']}, {part['op']}"
    consecutive = len(layers) > 1 and layers[-1] - layers[0] + 1 == len(layers)
    numbers = f"{layers[0]}-{layers[-1]}" if consecutive else ",".join(map(str, layers))
    return f"{part['phase']}, {part['op']}, layer{'s' if len(layers) > 1 else ''} {numbers}"


def profile_facts(told, names):
    for side, cell in (("a", names.a), ("b", names.b)):
        basis, step = told["profiles"][side], told[f"{side}_step_ns"].value
        yield known(count(basis["profiles"]), subject=cell)
        yield known(percent(basis["overhead_ns"] / step), subject=cell)
    whole = [cell for side, cell in zip("ab", names.both) if told["profiles"][side]["one_piece"]]
    yield from (known(word("one piece|no profile|only"), *names.both, subject=cell) for cell in whole[:1])
    yield known(word("only|No phase stands|undecided"), *names.both)
    if any(part["standing"] == "unclear" for part in told["profiles"]["phases"]):
        yield known(quote("holds 0"))
    for part in told["profiles"]["ops"]:
        low, high = part["share_interval"]["low"], part["share_interval"]["high"]
        yield known(share(part["share"], low, high), part_name(part), *names.both)
        yield known(time(part["a_ns"]), part_name(part), subject=names.a)
        yield known(time(part["b_ns"]), part_name(part), subject=names.b)
        calls = (part["a_calls"], part["b_calls"])
        yield known(pair(*map(number, calls)), part_name(part))
        yield known(number(calls[0]), part_name(part))
        yield known(word("shorter" if part["by_length_ns"] < 0 else "longer"), part_name(part))
        if (calls[0] == 0) != (calls[1] == 0):
            yield known(word("only"), part_name(part), names.a if calls[0] else names.b)
        for ns in (part["by_calls_ns"], part["by_length_ns"]):
            yield known(more_or_less(time(abs(ns)), ns < 0), part_name(part))


def start_facts(told, names):
    start, point = told["start"], told["start"]["break_even"]
    for key in ("load_ns", "prepare_ns", "first_step_ns"):
        yield known(pair(*(time(start[key][side]) for side in ("a", "b"))), *names.both)
    for side, own in (start["import_ns"] or {}).items():
        yield known(time(own), getattr(names, side))
    cells, low, high = [names.of(point[end]) for end in ("cell", "other")], *point["interval"].values()
    yield known(count(point["launches"]), *cells)
    ahead = {"never": "never"}.get(point["overtaking"], "ahead")
    yield known(word(ahead), cells[1], subject=cells[0])
    if point["overtaking"] in ("undecided", "at latest"):
        yield known(word("undecided"), *cells)
    said = {
        "after": rf"after {NUMBER} steps \(95%: {NUMBER} to {NUMBER}\)",
        "at latest": rf"at most {NUMBER} steps",
        "at earliest": rf"at least {NUMBER} steps",
    }.get(point["overtaking"])
    if said:
        ends = {"at latest": [high], "at earliest": [low]}.get(point["overtaking"], [point["steps"], 95, low, high])
        fits = lambda text: all(number(math.ceil(end)).fits(found) for end, found in zip(ends, numbers_in(text)))
        yield known(Figure(said, fits, ends), *cells)


def other_facts(told, names):
    if advice := told["advice"]:
        cell = names.of(advice["cell"])
        yield known(time(advice["saving_ns"]), *names.both)
        yield known(percent(advice["share"]), *names.both)
        subject = "what no phase claims" if advice["subject"] == "unattributed" else advice["subject"]
        axis = f"the {advice['subject']} {advice['value'] or 'none'}"
        yield known(quote(f"{axis}," if advice["remedy"] == "axis" else f"{subject} as in"), *names.both, subject=cell)
    for script, cell in ((told["a_script"], names.a), (told["b_script"], names.b)):
        if script:
            yield known(ratio(script["ratio"]), cell)
            yield known(number(script["page_faults"] or 0), cell)
            yield known(count(30, 20), cell)  # of the remedy
    for entry in told["missing"]:
        yield known(quote(entry["command"])) if entry["command"] else known(word("-"))
        if entry["cell"]:
            yield known(word("one piece|(?:offers no profile|no profile of)|half of the"), names.of(entry["cell"]))


def facts_of(told, names):
    yield from whole_facts(told, names)
    yield from target_facts(told, names) if told["target"] else ()
    yield from path_facts(told, names)
    yield from dispatch_facts(told, names)
    yield from profile_facts(told, names) if told["profiles"] else ()
    yield from start_facts(told, names) if told["start"] else ()
    yield from other_facts(told, names)


def phase_row(part, profiles):
    """Its columns: a "?" where the time of a step in one piece may be anywhere."""
    columns, low, high = [(part["phase"],)], part["share_interval"]["low"], part["share_interval"]["high"]
    for side in ("a", "b"):
        unknown = part["only_bounded"] and profiles[side]["one_piece"] and part[f"{side}_ns"] == 0
        columns.append(("?",) if unknown else (time(part[f"{side}_ns"]),))
    if part["standing"] == "unclear" and high - low > MOST_UNCLEAR:
        return [*columns, ("undecided",)]
    whole = lambda value: percent(value)._replace(pattern=r"-?\d+%")
    return [*columns, (whole(low), " to ", whole(high)) if part["only_bounded"] else (share(part["share"], low, high),)]


def chart_rows(told, names):
    """Title -> (its sentence, unless that names no cell; each row's label, value and interval), in the order of the
    document. What calls are not of a difference is what they do beyond; the machine's ceilings are taken on trust."""
    a, b = names.both
    above = f"{a} above {b}, "
    pairs = lambda what, of: [(f"{what}, {name}", of[side], None) for side, name in zip("ab", names.both)]
    yield "Time per step", (None, [(name, told[f"{side}_step_ns"].value, told[f"{side}_step_ns"])
                                   for side, name in zip("ab", names.both)])
    if calls := told["calls"]:
        low, high = calls["interval"]["low"], calls["interval"]["high"]
        yield "Calls and what they do", (None, [
            ("calls, empty ones", calls["share"], (low, high)),
            ("what they do beyond", 1 - calls["share"], (1 - high, 1 - low)),
        ])
    phases = (told["profiles"] or {"phases": []})["phases"]
    unclear = all(part["standing"] == "unclear" for part in phases)
    if phases and not (unclear and phases[0]["only_bounded"]):
        rows = [pairs(part["phase"], {"a": part["a_ns"], "b": part["b_ns"]}) for part in phases]
        yield "Phases of a step", (
            above + "phases with the largest part of the difference first.", [row for pair in rows for row in pair]
        )
    for path in told["paths"]:
        if len(path["parts"]) > 1:
            difference = lambda label, of: (label, of.value, of)
            yield "One axis after the other", (
                f"What each changes while the others stay, {a} less {b}, with its 95% interval.",
                [
                    *(difference(part["axis"], part["difference"]["difference_ns"]) for part in path["parts"]),
                    ("missed by these", path["rest_ns"], None),
                    difference("the whole", told["whole"]["difference_ns"]),
                ],
            )
    if start := told["start"]:
        rows = [pairs(what, start[f"{what.replace(' ', '_')}_ns"]) for what in ("load", "prepare", "first step")]
        yield "What happens once", (above + "medians over launches.", [row for pair in rows for row in pair])


class Explained:
    """What is said of one pair."""

    def __init__(self, told, report):
        self.names = Names(told)
        self.facts = list(facts_of(told, self.names))
        parts = [*(told["profiles"] or {"ops": []})["ops"], *(told["a_ops"] or {"ops": []})["ops"]]
        parts += (told["b_ops"] or {"ops": []})["ops"]
        quotes = {fact.figure.value for fact in self.facts if isinstance(fact.figure.value, Quote)}
        self.reader = Reader({*self.names.of_all(report), *map(part_name, parts)}, quotes - {""})
        phases = (told["profiles"] or {"phases": []})["phases"]
        titles = [("phase",), (self.names.a,), (self.names.b,), ("share",)]
        self.charts = list(chart_rows(told, self.names))
        self.rows = [titles, *(phase_row(part, told["profiles"]) for part in phases)]

    def is_heading(self, line):
        return line.endswith(f"{self.names.a} against {self.names.b}")

    def complaints(self, text):
        parts = map(self.reader.names_in, text.rpartition(" ["))
        lonely = any(len(names) > 1 == len(set(names)) < len(set(self.names.both)) for names in parts)
        twice = [f"{text!r}: a cell is beside itself"] if lonely else []
        return twice + self.reader.complaints(text, self.facts)
