"""Proves what `gdbench crossover` and `gdbench ablate` say, record and document, from the report that they wrote: what
they found is computed again. Taken on trust is what no report holds: whether a search was done, and the budget that
one which is not would take."""

import json
import math
import re

import estimates
from break_even import overtaking_of, ready
from estimates import MARGIN, fewest_launches
from expected_words import INTERVAL, NUMBER, Figure, interval_in_unit_of, number, percent, ratio, time
from records import Record, facts_of
from report_figures import pairs_of
from statements import count, known, overtaking_facts, quote, word
from values_checker import mismatches

UNPROVEN = ("schema", "schema_version", "complete")
BUDGET = Figure(r"\d+ ?[sm]", lambda text: True, "a budget")
CONFIDENCE = 0.99  # of the verdicts at single sizes
NARROW_GAP = 1.05
LARGEST_MARGIN = 0.1  # that is worth a proposal
WINNERS = ("faster", "slower")


def judged(base, candidate, margin, confidence, every_look=False):
    fewest = fewest_launches(confidence, every_look)
    ratio = estimates.paired_ratio(pairs_of(base, candidate), confidence, every_look)
    return estimates.judged(estimates.verdict_of(ratio, margin, fewest), fewest, every_look=every_look)


class Sizes:
    """Of a search along the rows of the data: zones of sizes with one winner, and what would decide the others."""

    def __init__(self, report, scenario, a, b, margin):
        self.report, self.scenario, self.a, self.b, self.margin = report, scenario, a, b, margin
        self.points = sorted(filter(None, map(self.point, report.scenarios)), key=lambda point: point["size"])
        self.zones = self.find_zones()
        self.outcome = self.find_outcome()
        self.open = self.open_sizes()

    def point(self, key):
        cells = {cell.implementation: cell for cell in self.report.cells if cell.scenario == key}
        if not all(name in cells and cells[name].times for name in (self.a, self.b)):
            return None
        times = [estimates.typical_time(cells[name].times, CONFIDENCE) for name in (self.a, self.b)]
        comparison = judged(cells[self.b], cells[self.a], self.margin, CONFIDENCE, every_look=True)
        size = self.report.scenarios[key]["rows"]
        return {"size": size, "a_step_ns": times[0], "b_step_ns": times[1], "comparison": comparison}

    def find_zones(self):
        zones = []
        for point in self.points:
            verdict, size = point["comparison"].verdict, point["size"]
            last = zones[-1]["verdict"] if zones else None
            if zones and (last == verdict if verdict in WINNERS else last not in WINNERS):
                zones[-1]["last"] = size
                zones[-1]["verdict"] = "inconclusive" if verdict == "inconclusive" else last
            else:
                zones.append({"verdict": verdict, "first": size, "last": size})
        return zones

    def may_win(self, comparison, winner):
        if comparison.verdict != "inconclusive":
            return comparison.verdict == winner
        if comparison.ratio.launches < fewest_launches(CONFIDENCE, every_look=True):
            return True
        limit = 1 + self.margin
        return comparison.ratio.low < 1 / limit if winner == "faster" else comparison.ratio.high > limit

    def find_outcome(self):
        comparisons = [point["comparison"] for point in self.points]
        if all(any(c.verdict == winner for c in comparisons) for winner in WINNERS):
            return "crossing"
        possible = [any(self.may_win(c, winner) for c in comparisons) for winner in WINNERS]
        return "none" if comparisons and not all(possible) else "undecided"

    def open_sizes(self):
        """But for those between two winners so close together that they do not matter."""
        found = []
        for number, zone in enumerate(self.zones):
            if zone["verdict"] in WINNERS:
                continue
            between = 0 < number < len(self.zones) - 1
            gap = self.zones[number + 1]["first"] / self.zones[number - 1]["last"] if between else math.inf
            found += [point for point in self.points if point["comparison"].verdict == "inconclusive"
                      and gap > NARROW_GAP**2 and zone["first"] <= point["size"] <= zone["last"]]
        return found

    def need(self):
        """What would decide the open sizes; the seconds are the search's own affair and not here."""
        fewest = fewest_launches(CONFIDENCE, every_look=True)
        limits = (1 / (1 + self.margin), 1 + self.margin)
        ratios = [point["comparison"].ratio for point in self.open]
        if not ratios:
            return None
        needed = [estimates.needed_launches(ratio, limits, fewest) for ratio in ratios]
        more = sum(max(count - ratio.launches, 0) for count, ratio in zip(needed, ratios))
        margin = max(max(ratio.high - 1, 1 / ratio.low - 1) for ratio in ratios)
        worth = all(ratio.launches >= fewest for ratio in ratios) and 0 < margin <= LARGEST_MARGIN
        sizes = [point["size"] for point in self.open]
        return {"sizes": sizes, "launches": more if all(needed) else 0, "margin": margin if worth else 0}

    def document(self):
        need = self.need()
        return {
            "scenario": self.scenario, "a": self.a, "b": self.b, "axis": "rows", "margin": self.margin,
            "confidence": CONFIDENCE, "outcome": self.outcome, "zones": self.zones, "points": self.points,
            "need": need and {key: value or None for key, value in need.items()},
        }


class Steps:
    """From how many steps on the cell with the faster steps has overtaken the other."""

    def __init__(self, report, a, b, margin):
        self.cells = [next(c for c in report.cells if c.implementation == name) for name in (a, b)]
        self.scenario = report.label(self.cells[0])
        faster, other = sorted(self.cells, key=lambda cell: cell.step.value)
        self.ahead, self.other, self.margin = faster.implementation, other.implementation, margin
        self.point = overtaking_of(report, faster, other, margin)

    def document(self):
        return {
            "scenario": self.scenario, "axis": "steps", "a": self.cells[0].implementation,
            "b": self.cells[1].implementation, "outcome": self.point["overtaking"], "faster_step": self.ahead,
            "margin": self.margin, **{key: self.point[key] for key in ("launches", "steps", "interval")},
            "sides": [
                {
                    "implementation": cell.implementation,
                    **{key: cell.median_of(key) for key in ("load_seconds", "prepare_seconds", "first_step_ns")},
                    "ready_ns": ready(cell), "step_ns": cell.step,
                }
                for cell in self.cells
            ],
        }


class Ablation:
    """Variants of a cell beside it as it is. How often a part had an effect is what the worker says, taken on trust but
    for none, which leaves a variant without launches."""

    def __init__(self, report, option, words, fired):
        """`words`: name of a part -> what it does, as it is listed; `fired`: how often it had an effect."""
        self.report, self.option, self.full = report, option, report.cells[0]
        self.words, self.fired = words, fired
        self.value = self.value_of(self.full)
        self.idle = [cell for cell in report.cells if cell.state == "ok" and not cell.record["launches"]]
        others = len(report.cells) - len(self.idle) - 1
        self.confidence = 1 - (1 - estimates.CONFIDENCE) / max(others, 1)

    def value_of(self, cell):
        return cell.options.get(self.option) or cell.record["default_options"][self.option]

    def without(self, cell):
        """The part that is off beside the cell as it is; nothing where all are."""
        own = self.value_of(cell).removeprefix("" if self.value == "all" else f"{self.value},")
        return own[1:] if cell is not self.full and own.startswith("-") else None

    def variants(self):
        return [self.variant(cell) for cell in self.report.cells]

    def variant(self, cell):
        without, timed = self.without(cell), cell.is_timed
        compared = timed and cell is not self.full and self.full.is_timed
        pairs = pairs_of(self.full, cell) if compared else {}
        return {
            "variant": "as it is" if cell is self.full else "without" if without else "all off", "without": without,
            "description": self.words.get(without), "value": self.value_of(cell),
            "status": {"state": cell.state, "reason": cell.reason},
            "step_ns": estimates.typical_time(cell.times, self.confidence) if timed else None,
            "comparison": judged(self.full, cell, MARGIN, self.confidence) if compared else None,
            "difference_ns": estimates.paired_difference(pairs, self.confidence) if compared else None,
            "fired": 0 if cell in self.idle else self.fired.get(without),
        }

    def document(self):
        return {
            "implementation": self.full.implementation, "option": self.option, "scenario": self.report.label(self.full),
            "confidence": self.confidence, "variants": self.variants(),
        }


def margin_facts(margin):
    yield known(percent(margin))
    yield from (known(number(end)) for end in (1, 1 + margin, 1 / (1 + margin)))


def point_facts(search, point):
    """Of one size; with the size's name beside them, and without."""
    a, b, place, verdict = search.a, search.b, f"rows={point['size']}", point["comparison"].verdict
    side = {"a_step_ns": a, "b_step_ns": b}
    for around in ((), (place,)):
        yield from facts_of(point, lambda key, _, names: (side[key], *names) if key in side else names, around)
    yield from (known(figure, place) for figure in (word("[Uu]ndecided|equal"), count(point["size"])))
    if verdict in WINNERS:
        yield known(word(verdict), b, place, subject=a)
        yield known(word(*(set(WINNERS) - {verdict})), a, place, subject=b)


def zone_facts(search):
    """ "Below rows=30, …": up to a winner a zone is open."""
    zones, winners = search.zones, [zone["verdict"] for zone in search.zones if zone["verdict"] in WINNERS]
    yield known(count(sum(map(str.__ne__, winners, winners[1:]))))
    for at, zone in enumerate(zones):
        around = zones[at - 1]["last"] if at else zones[1]["first"] if len(zones) > 1 else zone["first"]
        own = [point for point in search.points if zone["first"] <= point["size"] <= zone["last"]]
        verdicts = [point["comparison"].verdict for point in own]
        yield known(count(verdicts.count("equivalent"), len(own)))
        for point in own[:1] + own[-1:] if zone["verdict"] not in WINNERS else ():
            yield known(ratio(point["comparison"].ratio), f"rows={around}")
        if "inconclusive" in verdicts or search.outcome == "undecided":
            yield known(word("[Uu]ndecided"))


def sizes_facts(search):
    need = search.need() or {"margin": 0}
    for point in search.points:
        yield from point_facts(search, point)
    yield from (*zone_facts(search), *margin_facts(search.margin), *facts_of(search.need() or {}, lambda *_: ()))
    yield from (known(figure) for figure in (percent(0.99), number(math.ceil(need["margin"] * 1000) / 10)))
    legend = ("Below 1 {} is faster, above 1 {}", "time of a step, {} over {}", "{} and {}")
    yield from (known(quote(text.format(search.a, search.b))) for text in (*legend, "faster: all of it is beyond"))


def whole_steps(steps):
    """Rounded upwards, as only whole ones can be made; at an axis of two digits."""
    fits = lambda text: abs(float(text) - math.ceil(steps)) <= (0.06 * steps if "e" in text else 0.51)
    return Figure(rf"(?:at (?:most|least) )?{NUMBER}(?: steps)?", lambda text: fits(re.search(NUMBER, text)[0]), steps)


def in_brackets(*values):
    """ "8 [4, 16]", or the interval alone."""
    figures = list(map(whole_steps, values))
    fits = lambda text: all(of.fits(end) for of, end in zip(reversed(figures), reversed(re.findall(NUMBER, text))))
    return Figure(rf"(?:{NUMBER} )?{INTERVAL}", fits, values)


def steps_facts(search):
    """What so many steps take, from the medians, as the break-even counts: ready and steady steps."""
    point, names = search.point, tuple(cell.implementation for cell in search.cells)
    ends = [steps for steps in (point["steps"], *point["interval"].values()) if steps is not None]
    most = 10 ** math.ceil(math.log10(max([1e4, *(100 * steps for steps in ends)])))
    counts = [factor * 10**power for power in range(20) for factor in (1, 2, 5) if factor * 10**power <= most]
    yield from (known(number(steps), name) for steps in counts for name in names)
    yield from (known(whole_steps(steps), *of) for steps in (1, *ends) for of in ((), names))
    yield from [known(in_brackets(*ends))] if len(ends) == 3 else ()
    yield from (known(of) for of in (number(most), count(point["launches"]), quote("{} and {}".format(*names))))
    yield from overtaking_facts(point, search.ahead, search.other)
    yield from [known(word(r"never(?=\])"))] if point["interval"]["high"] is None else ()
    yield from (known(word(words), *names) for words in ("ahead", "less"))
    for cell, name in zip(search.cells, names):
        yield from (known(number(ready(cell) + steps * cell.step.value), name) for steps in counts)
        costs = [cell.median_of(key) * 1e9 for key in ("load_seconds", "prepare_seconds")]
        costs += [cell.median_of("first_step_ns"), ready(cell), cell.step.value]
        yield from (known(figure, name) for figure in (*map(time, costs), interval_in_unit_of(cell.step)))


def ablation_facts(ablation):
    for variant in ablation.variants():
        name, step, status = variant["without"] or variant["variant"], variant["step_ns"], variant["status"]
        yield from facts_of(variant, lambda *_, name=name: (name,))
        verdict = variant["comparison"].verdict if variant["comparison"] else status["state"]
        figures = [word(f"[{verdict[0]}{verdict[0].upper()}]{verdict[1:]}")]
        if step:
            figures += [interval_in_unit_of(step), time(step.value)]
            yield known(count(step.launches))
        figures += [word("No effect")] if variant["fired"] == 0 else []
        figures += [quote(": ".join(status.values()))] if status["reason"] else []
        yield from (known(figure, name) for figure in figures)
        yield from [known(quote(variant["description"]), subject=name)] if variant["description"] else ()
    yield known(percent(ablation.confidence))
    yield from (known(count(fewest_launches(ablation.confidence), 1)), known(count(1), "as it is"))
    yield from (known(quote(text))
                for text in ("against the cell as it is", "a ratio of 1", "a step is slower without a part"))
    yield from margin_facts(MARGIN)


def check(search, text):
    """The record lacks the seconds that a search would take, and whether it was done."""
    found = json.loads(text)
    document = found.pop("document")
    found.get("need", {}).pop("budget_seconds", None)
    complaints = mismatches({key: value for key, value in found.items() if key not in UNPROVEN}, search.document())
    facts = list({Sizes: sizes_facts, Ablation: ablation_facts}.get(type(search), steps_facts)(search))
    record = Record([*facts, known(BUDGET)], frozenset().union(*(fact.about for fact in facts)))
    complaints += [wrong for sentence in document["answer"] for wrong in record.about(sentence)]
    return complaints + [wrong for section in document["sections"] for wrong in record.complaints(section["blocks"])]
