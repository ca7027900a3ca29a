"""What `gdbench crossover` and `gdbench ablate` found, computed again from the report that they wrote."""

import math

import estimates
from report_figures import pairs_of
from break_even import overtaking_of, ready

CONFIDENCE = 0.99  # of the verdicts at single sizes
NARROW_GAP = 1.05
LARGEST_MARGIN = 0.1  # that is worth a proposal
WINNERS = ("faster", "slower")


def judged(base, candidate, margin, confidence, every_look=False):
    fewest = estimates.fewest_launches(confidence, every_look)
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
        if comparison.ratio.launches < estimates.fewest_launches(CONFIDENCE, every_look=True):
            return True
        limit = 1 + self.margin
        return comparison.ratio.low < 1 / limit if winner == "faster" else comparison.ratio.high > limit

    def find_outcome(self):
        comparisons = [point["comparison"] for point in self.points]
        if all(any(c.verdict == winner for c in comparisons) for winner in WINNERS):
            return "crossing"
        possible = [any(self.may_win(c, winner) for c in comparisons) for winner in WINNERS]
        return "none" if comparisons and not all(possible) else "undecided"

    def inconclusive_in(self, zone):
        within = [point for point in self.points if zone["first"] <= point["size"] <= zone["last"]]
        return [point for point in within if point["comparison"].verdict == "inconclusive"]

    def open_sizes(self):
        """But for those between two winners so close together that they do not matter."""
        found = []
        for number, zone in enumerate(self.zones):
            if zone["verdict"] in WINNERS:
                continue
            between = 0 < number < len(self.zones) - 1
            gap = self.zones[number + 1]["first"] / self.zones[number - 1]["last"] if between else math.inf
            found += self.inconclusive_in(zone) if gap > NARROW_GAP**2 else []
        return found

    def need(self):
        """What would decide the open sizes; the seconds are the search's own affair and not here."""
        fewest = estimates.fewest_launches(CONFIDENCE, every_look=True)
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
            "comparison": judged(self.full, cell, estimates.MARGIN, self.confidence) if compared else None,
            "difference_ns": estimates.paired_difference(pairs, self.confidence) if compared else None,
            "fired": 0 if cell in self.idle else self.fired.get(without),
        }

    def document(self):
        return {
            "implementation": self.full.implementation, "option": self.option, "scenario": self.report.label(self.full),
            "confidence": self.confidence, "variants": self.variants(),
        }
