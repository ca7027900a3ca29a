"""What a report says of claims, computed again from its samples: what `gdbench claims` must say."""

import itertools
import math

import estimates
from claim_cells import FULL_KEYS, compared, full, pairs_in, points_of, ratio_of, reason_without

ACROSS = "the interval reaches across the limit"


def range_of(relation):
    least, most = relation.get("at_least"), relation.get("at_most")
    if relation["kind"] == "crossover":
        return 1 / (1 + estimates.MARGIN), 1 + estimates.MARGIN
    if relation["kind"] == "saving":
        return (1 - most if most is not None else 0.0, 1 - least if least is not None else math.inf)
    return (least or 0.0, math.inf if most is None else most)


def position_of(ratio, limits):
    low, high = limits
    if ratio.high < low or ratio.low > high:
        return "below" if ratio.high < low else "above"
    return "within" if ratio.low >= low and ratio.high <= high else "across"


class Relation:
    """One relation beside a report: its points, what they say together and where it flips."""

    def __init__(self, relation, points):
        self.told, self.quantity = relation, relation["quantity"]
        self.a, self.b = full(relation["a"]), full(relation["b"])
        self.decides = relation.get("decides", True)
        self.along = FULL_KEYS.get(relation.get("along"), relation.get("along", ""))
        self.named = {FULL_KEYS.get(key, key): list(map(str, values)) for key, values in relation.get("at", {}).items()}
        self.limits, self.counted = range_of(relation), self.quantity == "steps_to_target"
        self.is_time = self.quantity not in ("steps_to_target", "peak_memory", "own_memory")
        steps = relation.get("steps") or [0]
        self.entries = [
            ({**at, "steps": str(count)} if len(steps) > 1 else at, one, other, count)
            for at, one, other in pairs_in(points, relation) for count in steps
        ]

    def is_named(self, at):
        return all(at.get(key) in (None, *values) for key, values in self.named.items())

    def groups(self, axis):
        """Indices of the entries that agree in everything but the axis."""
        groups = {}
        for number, (at, *_) in enumerate(self.entries):
            groups.setdefault(tuple((k, v) for k, v in at.items() if k != axis), []).append(number)
        return list(groups.values())

    def deciding_points(self):
        kind, groups = self.told["kind"], self.groups(self.along)
        if kind in ("trend", "crossover"):
            numbers = [n for group in groups for n in (group[:1] if kind == "trend" else {group[0], group[-1]})]
        else:
            numbers = range(len(self.entries))
        return sum(self.is_named(self.entries[number][0]) for number in numbers)

    def judge(self, cells, confidence):
        self.confidence = confidence
        self.points = [self.measured(cells, *entry) for entry in self.entries]
        judge = {"trend": self.judge_trend, "crossover": self.judge_crossover}
        self.flips = []
        judge.get(self.told["kind"], self.judge_points)()
        states = [point["state"] for point in self.points if point["decides"]]
        self.verdict = verdict_of_points(states, self.told.get("points", "all"))
        self.deciding = self.deciding_point()
        return self

    def measured(self, cells, at, one, other, steps):
        found = [cells.find(place) for place in (one, other)]
        reasons = []
        for cell, reason in found:
            reason = reason or reason_without(self.quantity, cell)
            reasons += [f"{cell.id}: {reason}" if cell else reason] if reason else []
        ids = [cell.id if cell else "" for cell, _ in found]
        point = {"at": at, "a": ids[0], "b": ids[1], "decides": self.is_named(at), "state": "not run"}
        point.update(figures=(), unfit="", remark=reasons[0] if reasons else "", ratio=None, position="across")
        if not reasons:
            (one, _), (other, _) = found
            unfit = cells.report.rules(one.scenario, other.scenario)[1] if self.is_time else ""
            point.update(figures=compared(cells.report, self.quantity, steps, other, one), unfit=unfit)
        return point

    def place(self, ratio, point):
        """Fills in the figures; False: the point cannot be decided."""
        fewest = 1 if self.counted else estimates.FEWEST_LAUNCHES
        comparison = estimates.Comparison(ratio, "", True, 0.0)
        remark = estimates.remark_on(comparison, fewest, point["unfit"])
        point.update(ratio=ratio, position="across" if remark else position_of(ratio, self.limits))
        point["remark"] = remark or (ACROSS if point["position"] == "across" else "")
        if point["remark"]:
            needed = estimates.needed_launches(ratio, self.limits, fewest)
            again = ratio.launches if point["unfit"] and needed else 0
            point.update(state="undecided", needed_launches=max(needed, again))
        return not point["remark"]

    def judge_points(self):
        for point in self.points:
            if not point["remark"] and self.place(ratio_of(point["figures"], self.confidence), point):
                point["state"] = "holds" if point["position"] == "within" else "fails"
        differing = list(self.entries[0][0])
        only = differing[0] if len(differing) == 1 and differing[0] not in ("scenario", "implementation") else ""
        if self.along or only:
            self.add_flips(self.along or only, [point["state"] for point in self.points])

    def judge_crossover(self):
        for group in self.groups(self.along):
            for number in group:
                point, ends = self.points[number], (group[0], group[-1])
                point["decides"] = point["decides"] and number in ends
                if not point["remark"] and self.place(ratio_of(point["figures"], self.confidence), point):
                    claimed = point["position"] == ("below" if number == group[0] else "above")
                    point["state"] = "shown" if number not in ends else "holds" if claimed else "fails"
        winners = {"below": "holds", "above": "fails"}
        self.add_flips(self.along, [winners.get(point["position"]) for point in self.points])

    def judge_trend(self):
        points = []
        for group in self.groups(self.along):
            first, last = self.points[group[0]], self.points[group[-1]]
            way = f"{first['at'][self.along]} to {last['at'][self.along]}"
            at = {**{key: value for key, value in first["at"].items() if key != self.along}, self.along: way}
            change = {**last, "at": at, "decides": first["decides"], "remark": first["remark"] or last["remark"]}
            change["unfit"] = first["unfit"] or last["unfit"]
            if not change["remark"]:
                each = estimates.of_each(self.confidence)
                ends = (ratio_of(point["figures"], each) for point in (first, last))
                if self.place(estimates.quotient(*ends), change):
                    change["state"] = "holds" if change["position"] == "within" else "fails"
            points += [self.shown(self.points[number]) for number in group] + [change]
        self.points = points

    def shown(self, point):
        if point["remark"]:
            return {**point, "decides": False}
        return {**point, "decides": False, "state": "shown", "ratio": ratio_of(point["figures"], self.confidence)}

    def add_flips(self, axis, states):
        for group in self.groups(axis):
            told = [number for number in group if states[number] in ("holds", "fails")]
            for before, after in itertools.pairwise(told):
                if states[before] != states[after]:
                    at = {key: value for key, value in self.points[after]["at"].items() if key != axis}
                    ends = [self.points[number]["at"][axis] for number in (before, after)]
                    flip = {"at": at, "axis": axis, "from": ends[0], "to": ends[1]}
                    self.flips.append({**flip, "holds_at_from": states[before] == "holds"})

    def depth(self, point):
        limits = [limit for limit in self.limits if 0 < limit < math.inf]
        return min((abs(math.log(point["ratio"].value / limit)) for limit in limits), default=math.inf)

    def deciding_point(self):
        """The weakest of the points that must all agree (the first of equals), or the strongest of those of which one
        is enough (the last of equals)."""
        state = {"confirmed": "holds", "refuted": "fails", "not run": "not run"}.get(self.verdict, "undecided")
        found = [n for n, point in enumerate(self.points) if point["decides"] and point["state"] == state]
        if state in ("not run", "undecided") or not found:
            return found[0] if found else None
        weakest = (self.verdict == "confirmed") == (self.told.get("points", "all") == "all")
        depth = lambda number: self.depth(self.points[number])
        return min(found, key=depth) if weakest else max(reversed(found), key=depth)

    def document(self):
        told = self.told
        return {
            **{key: told[key] for key in ("kind", "quantity")}, "a": self.a, "b": self.b,
            **{limit: told.get(limit) for limit in ("at_least", "at_most")}, "points": told.get("points", "all"),
            "decides": self.decides, "advice": told.get("advice"), "along": self.along or None, "verdict": self.verdict,
            "deciding_point": self.deciding, "judged": [self.judged(point) for point in self.points],
            "flips": self.flips,
        }

    def judged(self, point):
        ratio = point["ratio"]
        if self.counted and ratio:  # of one launch, and yet the same in all
            ends = {"low": ratio.low, "high": ratio.high}
            ratio = {"value": ratio.value, "interval": ends, "launches": 1, "within_one_process": False}
        kept = {key: point[key] for key in ("at", "a", "b", "decides", "state")}
        needed = point.get("needed_launches") or None
        position = point["position"] if ratio else None
        return {
            **kept, "ratio": ratio, "position": position, "remark": point["remark"] or None, "needed_launches": needed
        }


def verdict_of_points(states, rule):
    if rule == "all" and "fails" in states:
        return "refuted"
    if rule == "any" and "holds" in states:
        return "confirmed"
    if "not run" in states or not {"holds", "fails", "undecided"} & set(states):
        return "not run"
    if "undecided" in states:
        return "inconclusive"
    return "confirmed" if rule == "all" else "refuted"


class Judgement:
    """A claim beside a report."""

    def __init__(self, claim, cells):
        self.claim, self.report = claim, cells.report
        self.relations = [
            Relation(relation, points_of(experiment)) for experiment in claim["experiments"]
            for relation in experiment["relations"]
        ]
        deciding = sum(relation.deciding_points() for relation in self.relations if relation.decides)
        confidence = 1 - (1 - estimates.CONFIDENCE) / max(deciding, 1)
        for relation in self.relations:
            relation.judge(cells, confidence)
        verdicts = [relation.verdict for relation in self.relations if relation.decides]
        worst = ("refuted", "not run", "inconclusive", "confirmed")
        self.verdict = next(verdict for verdict in worst if verdict in verdicts)
        self.deciding = next(r for r in self.relations if r.decides and r.verdict == self.verdict)
        self.needed = self.need(cells.report) if self.verdict == "inconclusive" else (0, 0.0)

    def need(self, report):
        """(launches that would decide it, their seconds); no launches: that is hopeless."""
        launches = 0
        for relation in self.relations:
            if relation.decides and relation.verdict == "inconclusive":
                open_points = [p for p in relation.points if p["decides"] and p["state"] == "undecided"]
                needed = [point["needed_launches"] for point in open_points]
                likely = min(filter(None, needed), default=0) if relation.told.get("points") == "any" else 0
                own = likely or (max(needed) if all(needed) and relation.told.get("points") != "any" else 0)
                if not own:
                    return 0, 0.0
                launches = max(launches, own)
        ids = {point[side] for relation in self.relations for point in relation.points for side in ("a", "b")}
        seconds = {}
        for cell in report.everything:
            if cell.id in ids and cell.is_timed:
                own = cell.median_of("total_seconds")
                together = report.scenarios[cell.scenario].get("side_by_side", {}).get("first", cell.scenario)
                seconds[together] = max(own, seconds.get(together, 0))
        return launches, (launches + 1) * sum(seconds.values()) if launches else 0.0

    def document(self):
        """As `gdbench claims --json` has it."""
        launches, seconds = self.needed
        return {
            **{key: self.claim.get(key) for key in ("id", "sentence", "source", "question", "setting")},
            "verdict": self.verdict, "deciding_relation": self.relations.index(self.deciding),
            "needed": {"launches": launches, "seconds": seconds} if launches else None,
            "relations": [relation.document() for relation in self.relations],
        }
