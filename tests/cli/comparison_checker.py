"""Proves what `gdbench compare` says of two reports, or of the two builds in one."""

import json
import math
import re

import estimates
from documents import parts_of, text_of
from estimates import median
from expected_words import Figure, first_mismatch, plural, row_mismatch, time
from printed_figures import PERCENT, is_percent, numbers_in, rounds_to, three_digits
from report_facts import change
from report_figures import FAILURES, off_by, pairs_of
from values_checker import mismatches

CONFIDENCE = 0.99  # for all cells together
CHANGES = {"faster": "improved", "slower": "regressed"}
KNOWN = ("Note: two runs: ", "Note: not built alike: ", "Note: differences below 2% between two builds may come from ")
ORDER = ("regressed", "failing", "removed", "improved", "fixed", "inconclusive", "added", "equivalent")


def noise_of(report, scenario):
    """What the scenario's controls are off by."""
    found = [
        off_by(c) for cell, _, c in report.controls
        if cell.scenario == scenario and c.ratio.launches >= estimates.FEWEST_LAUNCHES
    ]
    return max(found, default=0.0)


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
            {self.bare_id(cell): cell for cell in report.cells if cell.arm == arm}
            for report, arm in zip(self.reports, self.arms)
        ]
        self.sides = {name: (sides[0].get(name), sides[1].get(name)) for name in {**sides[1], **sides[0]}}
        self.timed = [
            name for name, (one, other) in self.sides.items()
            if one and other and one.is_timed and other.is_timed and one.scenario == other.scenario
        ]
        self.noise = max((self.noise_on(name) for name in self.timed), default=0.0)
        self.comparisons = self.judge()

    @staticmethod
    def bare_id(cell):
        return cell.id.removesuffix("#" + cell.arm)

    def noise_on(self, name):
        return max(
            self.drift, *(noise_of(report, cell.scenario) for report, cell in zip(self.reports, self.sides[name]))
        )

    def compare(self, name, confidence):
        base, candidate = self.sides[name]
        ratio = (
            estimates.paired_ratio(pairs_of(base, candidate), confidence) if self.paired
            else estimates.unpaired_ratio(base.times, candidate.times, confidence)
        )
        fewest = estimates.fewest_launches(confidence)
        unfit = any(report.rules(cell.scenario)[1] for report, cell in zip(self.reports, (base, candidate)))
        return estimates.verdict_of(ratio, max(self.asked, self.noise_on(name)), fewest, unfit)

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
        timed = [cell is not None and cell.is_timed for cell in (base, candidate)]
        if timed == [False, True]:
            return "fixed" if base and base.state in FAILURES else "added"
        if timed == [True, False]:
            return "failing" if candidate and candidate.state in FAILURES else "removed"
        return "inconclusive"

    def ratio_of(self, name):
        comparison = self.comparisons.get(name)
        return comparison.ratio if comparison and comparison.ratio.launches > 0 else None

    def is_told(self, name):
        return any(cell is not None and cell.is_timed for cell in self.sides[name])


def remark_figures(family, name):
    """Whatever a remark on a cell may have."""
    comparison, reports = family.comparisons.get(name), family.reports
    scenarios = {cell.scenario for cell in family.sides[name] if cell is not None}
    controls = [c.ratio for report in reports for cell, _, c in report.controls if cell.scenario in scenarios]
    figures = [end for ratio in controls for end in ratio[:3]] if comparison and comparison.undecidable else []
    if comparison:
        ratio = comparison.ratio
        figures += [ratio.low, ratio.high, 100 * comparison.margin, ratio.launches, len(family.timed)]
        figures.append(estimates.fewest_launches(CONFIDENCE))
    return figures


def is_remark(family, name, text):
    """Whether its figures are known, or it is the reason of a failure."""
    reasons = [f"{c.state}: {c.reason}" for c in family.sides[name] if c is not None]
    if text.removesuffix(" in the base") in reasons:
        return True
    figures = remark_figures(family, name)
    fits = lambda found: any(rounds_to(figure, found) or three_digits(figure, found) for figure in figures)
    return all(map(fits, numbers_in(text)))


def row_of(family, name):
    """The parts of its columns."""
    times = []
    for cell in family.sides[name]:
        times.append((time(cell.step.value),) if cell is not None and cell.is_timed else ("-",))
    ratio = family.ratio_of(name)
    moved = (change(ratio),) if ratio and math.isfinite(ratio.high) else ("-",)
    told = Figure(".*", lambda text: is_remark(family, name, text), "a remark")
    return [(name,), (family.change_of(name),), moved, *times, (told,)]


def is_method(family, text):
    """How the two were measured, the margin and the noise, and how sure all verdicts are together."""
    shares = [family.asked, 1 - (1 - CONFIDENCE), *([family.noise] if family.noise > family.asked else [])]
    found = re.findall(PERCENT, text)
    fits = len(found) == len(shares) and all(any(is_percent(one, share) for share in shares) for one in found)
    changes = all(text.count(word) == 1 for word in CHANGES.values())
    return fits and changes and ("side by side" in text) == family.paired


def check_comparison(base, candidate, margin, text):
    """Complaints about the JSON's document; `base` is `candidate` where one report holds both builds."""
    family, complaints, seen = Family(base, candidate, margin), [], []
    told = [family.change_of(name) for name in family.sides if family.is_told(name)]
    counts = [f"{told.count(change)} {change}" for change in ORDER if change in told]
    document = json.loads(text)["document"]
    expected = plural(len(told), "cell") + (": " + ", ".join(counts) if counts else "")
    answer = list(map(text_of, document["answer"]))
    complaints += [] if answer == [expected] else [f"{answer}: expected {expected}"]
    for section in document["sections"]:
        for fold in (block["fold"] for block in section["blocks"] if "fold" in block):
            rows = fold["blocks"][0]["table"]["rows"]
            right = fold["summary"] == f"{len(rows)} {rows[0][1]}"
            complaints += [] if right else [f"{fold['summary']!r} of {len(rows)} rows"]
        for kind, content in parts_of(section["blocks"]):
            if kind == "table":
                for name, *texts in content["rows"]:
                    seen.append(name)
                    row = row_of(family, name) if name in family.sides else []
                    complaints += [f"{name}: {why}" for why in [row_mismatch([name, *texts[: len(row) - 1]], row)]
                                   if why]
            elif kind == "figure":
                complaints += forest_complaints(family, content["chart"]["rows"])
            elif kind == "paragraph" and section["title"]:
                complaints += sentence_complaints(family, content)
    missing = [name for name in family.sides if family.is_told(name) and name not in seen]
    return complaints + [f"{name} is missing" for name in missing]


def sentence_complaints(family, text):
    if " against " in text:
        return [] if is_method(family, text) else [f"{text!r}: they were measured otherwise"]
    if match := re.match(r"Note: within one of the runs the machine's speed drifted by (\S+)%, which ", text):
        drifted = abs(float(match[1]) / 100 - family.drift) <= 0.051 * family.drift
        return [] if drifted else [f"it drifted by {family.drift}"]
    return [] if text.startswith(KNOWN) else [f"{text!r} is not known"]


def forest_complaints(family, rows):
    """Those of equivalent cells that share a row have a dot each."""
    complaints, folded = [], []
    for row in rows:
        name = f"{row['group']}/{row['label']}"
        if name not in family.sides:
            dots = row.get("dots", [])
            folded += dots
            ends = [f"{100 * (end - 1):+.1f}%" for end in (min(dots), max(dots))] if dots else []
            right = (plural(len(dots), "equivalent cell"), "equivalent", " to ".join(dict.fromkeys(ends)))
            if (row["label"], row["word"], row.get("figure", "")) != right:
                complaints.append(f"{row}: expected {right}")
            continue
        ratio, found = family.ratio_of(name), [[value["value"], *value["interval"]] for value in row.get("values", [])]
        expected = [list(ratio[:3])] if ratio and math.isfinite(ratio.high) else found if ratio else []
        parts = map(first_mismatch, (row["word"], row.get("figure") or "-"), row_of(family, name)[1:3])
        complaints += [f"{name}: {why}" for why in (*parts, *mismatches(found, expected)) if why]
    alike = sorted(c.ratio.value for name, c in family.comparisons.items() if family.change_of(name) == "equivalent")
    return complaints + (mismatches(sorted(folded), alike, "the equivalent cells") if folded else [])
