"""Proves what `gdbench compare` says of two reports, or of the two builds in one."""

import json
import math

import estimates
from documents import parts_of, text_of
from estimates import median
from expected_words import PERCENT, Figure, change, numbers_in, percent, plural, rounds_to, three_digits, time
from records import Record
from report_facts import exactly
from report_figures import FAILURES, pairs_of
from statements import Quote, known, quote, word
from values_checker import mismatches

CONFIDENCE = 0.99  # for all cells together
CHANGES = {"faster": "improved", "slower": "regressed"}
ORDER = ("regressed", "failing", "removed", "improved", "fixed", "inconclusive", "added", "equivalent")


def drift_of(report):
    """How far the later half of the launches is from the earlier, in the middle over the cells of this build."""
    shifts = []
    for cell in report.cells:
        least = [min(times) for _, times in sorted(cell.times.items())]
        half = len(least) // 2
        if cell.arm == "new" and cell.is_timed and half > 0:
            shifts.append(abs(math.log(median(least[half:]) / median(least[:half]))))
    return math.exp(median(shifts)) - 1 if shifts else 0.0


class Family:
    """The cells of both sides as one family of comparisons (S. Holm, 1979)."""

    def __init__(self, base, candidate, margin):
        self.reports = (base, candidate)
        self.arms = ("base", "new") if base is candidate else ("new", "new")
        self.paired = base.run["id"] == candidate.run["id"]
        self.drift = 0.0 if self.paired else max(drift_of(base), drift_of(candidate))
        self.asked = margin
        sides = [
            {cell.id.removesuffix("#" + arm): cell for cell in report.cells if cell.arm == arm}
            for report, arm in zip(self.reports, self.arms)
        ]
        self.sides = {name: (sides[0].get(name), sides[1].get(name)) for name in {**sides[1], **sides[0]}}
        self.timed = [
            name for name, (one, other) in self.sides.items()
            if one and other and one.is_timed and other.is_timed and one.scenario == other.scenario
        ]
        self.noise = max((self.rules_on(name)[0] for name in self.timed), default=0.0)
        self.comparisons = self.judge()

    def rules_on(self, name):
        """(what controls or a drift are off by, whether they forbid a verdict)."""
        rules = [report.rules(cell.scenario) for report, cell in zip(self.reports, self.sides[name])]
        return max(self.drift, *(margin for margin, _ in rules)), any(unfit for _, unfit in rules)

    def compare(self, name, confidence):
        base, candidate = self.sides[name]
        ratio = (
            estimates.paired_ratio(pairs_of(base, candidate), confidence) if self.paired
            else estimates.unpaired_ratio(base.times, candidate.times, confidence)
        )
        noise, unfit = self.rules_on(name)
        return estimates.verdict_of(ratio, max(self.asked, noise), estimates.fewest_launches(confidence), unfit)

    def judge(self):
        """Name -> comparison, in the order of Holm's steps: the rest is judged as a smaller family while it shrinks."""
        found, left, before = {}, list(self.timed), len(self.timed) + 1
        for _ in range(10):
            if not left or len(left) == before:
                break
            before = len(left)
            found.update({name: self.compare(name, 1 - (1 - CONFIDENCE) / before) for name in left})
            left = [name for name in left if found[name].verdict not in CHANGES]
        for name in left:
            alone = self.compare(name, CONFIDENCE)
            found[name] = alone._replace(verdict="inconclusive") if alone.verdict in CHANGES else alone
        return found

    def change_of(self, name):
        base, candidate = self.sides[name]
        if name in self.comparisons:
            verdict = self.comparisons[name].verdict
            return CHANGES.get(verdict, verdict)
        timed = [bool(cell and cell.is_timed) for cell in (base, candidate)]
        if timed == [False, True]:
            return "fixed" if base and base.state in FAILURES else "added"
        if timed == [True, False]:
            return "failing" if candidate and candidate.state in FAILURES else "removed"
        return "inconclusive"

    def ratio_of(self, name):
        comparison = self.comparisons.get(name)
        return comparison.ratio if comparison and comparison.ratio.launches > 0 else None

    def is_told(self, name):
        return any(cell and cell.is_timed for cell in self.sides[name])

    def group_of(self, name):
        """The scenario, beside which a chart names the rest."""
        return next(report.label(cell) for report, cell in zip(self.reports, self.sides[name]) if cell)


def cell_facts(family, name):
    """Each is known of all that the cell is called: by its row, and in a chart by its scenario and the rest."""
    comparison, ratio, sides = family.comparisons.get(name), family.ratio_of(name), family.sides[name]
    group = family.group_of(name)
    facts = [(Figure(one, lambda _, right=one == family.change_of(name): right, Quote(one)), None) for one in ORDER]
    if ratio:
        facts += [(change(ratio), "time"), *((figure, None) for figure in exactly(*ratio[:3]))]
    for title, cell in zip(("base", "new"), sides):
        facts += [(time(cell.step.value), title)] if cell and cell.is_timed else []
        facts += [(quote(f"{cell.state}: {cell.reason}"), "remark")] if cell else []
    figures = [len(family.timed), estimates.fewest_launches(CONFIDENCE)]
    if comparison:
        scenarios = {cell.scenario for cell in sides}
        figures += [end for report in family.reports for cell, _, c in report.controls if cell.scenario in scenarios
                    for end in c.ratio[:3]]
        figures += [*comparison.ratio[1:], 100 * comparison.margin]
    fits = lambda text: any(rounds_to(figure, text) or three_digits(figure, text) for figure in figures)
    remark = Figure(r".*\d.*", lambda text: all(map(fits, numbers_in(text))), None)
    for figure, title in (*facts, (remark, "remark"), (word("unfit"), "remark")):
        yield known(figure, beside={name, group, name.removeprefix(group + "/")}, columns=(title,) if title else ())


def method_facts(family):
    """How the two were measured, the margin and the noise, and how sure all verdicts are together."""
    shares = [family.asked, CONFIDENCE, *([family.noise] if family.noise > family.asked else [])]
    yield from (known(figure) for figure in map(percent, shares))
    yield known(Figure(PERCENT, lambda text: abs(float(text[:-1]) / 100 - family.drift) <= 0.051 * family.drift, None))
    yield from (known(quote(one)) for one in (*CHANGES.values(), "below 2%"))
    yield from (known(figure) for figure in exactly(1 + family.asked, 1 / (1 + family.asked)))


def check_comparison(base, candidate, margin, text):
    """Complaints about the JSON's document; `base` is `candidate` where one report holds both builds."""
    family, seen = Family(base, candidate, margin), []
    facts = [fact for name in family.sides for fact in cell_facts(family, name)]
    equal = {name: family.ratio_of(name).value for name in family.comparisons if family.change_of(name) == "equivalent"}
    facts += [known(percent(value - 1), beside={family.group_of(name)}) for name, value in equal.items()]
    record = Record([*facts, *method_facts(family)], frozenset().union(*(fact.about for fact in facts)))
    told = [family.change_of(name) for name in family.sides if family.is_told(name)]
    counts = [f"{told.count(change)} {change}" for change in ORDER if change in told]
    document = json.loads(text)["document"]
    expected = plural(len(told), "cell") + (": " + ", ".join(counts) if counts else "")
    complaints = mismatches(list(map(text_of, document["answer"])), [expected])
    for section in filter(lambda section: section["title"], document["sections"]):
        for fold in (block["fold"] for block in section["blocks"] if "fold" in block):
            rows = fold["blocks"][0]["table"]["rows"]
            complaints += mismatches(fold["summary"], f"{len(rows)} {rows[0][1]}")
        for kind, content in parts_of(section["blocks"]):
            if kind == "table":
                seen += [row[0] for row in content["rows"]]
                complaints += record.about_table(content)
            elif kind == "figure":
                complaints += record.about_chart(content["chart"], " ")
                rows = {f"{row['group']}/{row['label']}": row for row in content["chart"]["rows"]}
                folded = [row for name, row in rows.items() if name not in family.sides]
                dots = [dot for row in folded for dot in row.get("dots", ())]
                complaints += mismatches([[row["label"], row.get("figure", "")] for row in folded],
                                         [folded_words(row.get("dots", [])) for row in folded])
                complaints += mismatches(sorted(dots), sorted(equal.values()), "the equivalent cells") if folded else []
            elif kind == "paragraph":
                complaints += [*record.about(content), *method_complaints(family, content)]
    missing = {name for name in family.sides if family.is_told(name)}.difference(seen)
    return complaints + [f"{name} is missing" for name in missing]


def folded_words(dots):
    """Of equivalent cells that share a row."""
    ends = [f"{100 * (end - 1):+.1f}%" for end in (min(dots), max(dots))] if dots else []
    return [plural(len(dots), "equivalent cell"), " to ".join(dict.fromkeys(ends))]


def method_complaints(family, text):
    right = ("side by side" in text) == family.paired and all(text.count(word) == 1 for word in CHANGES.values())
    return [] if right or " against " not in text else [f"{text!r}: they were measured otherwise"]
