"""Proves what `gdbench compare` says of two reports, or of the two builds in one."""

import math
import re

import estimates
from estimates import median
from printed_figures import NUMBER, is_change, is_percent, is_time, rounds_to, three_digits
from report_figures import FAILURES, off_by, pairs_of
from rendered_documents import split_columns
from expected_words import plural



class Lie(Exception):
    """What a line says is not what the samples say."""


def require(condition, message):
    if not condition:
        raise Lie(message)


CONFIDENCE = 0.99  # for all cells together
CHANGES = {"faster": "improved", "slower": "regressed"}
KNOWN = (
    "cell  ",
    "Note: two runs: ",
    "Note: not built alike: ",
    "Note: differences below 2% between two builds may come from ",
)
ORDER = ("regressed", "failing", "removed", "improved", "fixed", "inconclusive", "added", "equivalent")


def noise_of(report, scenario):
    """What the scenario's controls are off by."""
    found = [
        off_by(c)
        for cell, _, c in report.controls
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
            name
            for name, (one, other) in self.sides.items()
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
            estimates.paired_ratio(pairs_of(base, candidate), confidence)
            if self.paired
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

    def is_told(self, name):
        return any(cell is not None and cell.is_timed for cell in self.sides[name])


def check_row(family, texts):
    name, change, time, base, new, *remark = texts
    require(name in family.sides, "there is no such cell")
    require(change == family.change_of(name), f"it is {family.change_of(name)}")
    for text, cell in zip((base, new), family.sides[name]):
        timed = cell is not None and cell.is_timed
        require(
            is_time(text, cell.step.value) if timed and text != "-" else not timed and text == "-",
            f"a time is not {text}",
        )
    comparison = family.comparisons.get(name)
    ratio = comparison.ratio if comparison and comparison.ratio.launches > 0 else None
    require(
        is_change(time, ratio) if ratio and math.isfinite(ratio.high) else time == "-", f"the ratio is {comparison}"
    )
    check_remark(family, name, comparison, remark[0] if remark else "")


def check_remark(family, name, comparison, text):
    if match := re.fullmatch(
        rf"the interval from ({NUMBER}) to ({NUMBER}) reaches across the margin of ({NUMBER})%", text
    ):
        ratio = comparison.ratio
        require(rounds_to(ratio.low, match[1]) and rounds_to(ratio.high, match[2]), f"the interval is {ratio}")
        require(match[3] == f"{100 * comparison.margin:.3g}", f"the margin is {comparison.margin}")
    elif match := re.fullmatch(r"beyond the margin by itself, but not sure enough among (\d+) cells", text):
        require(
            int(match[1]) == len(family.timed) and comparison.verdict == "inconclusive" and not comparison.undecidable,
            text,
        )
    elif match := re.fullmatch(r"(\d+) launches, at least (\d+) are needed", text):
        require(
            int(match[1]) == comparison.ratio.launches and int(match[2]) == estimates.fewest_launches(CONFIDENCE),
            text,
        )
    elif match := re.fullmatch(
        rf"the control took ({NUMBER}) \[({NUMBER}), ({NUMBER})\] times as long as itself: .+ unfit", text
    ):
        ratios = [
            c.ratio
            for report in family.reports
            for cell, _, c in report.controls
            if cell.scenario == family.sides[name][1].scenario
        ]
        require(comparison.undecidable and any(all(map(three_digits, ratio, match.groups())) for ratio in ratios), text)
    elif re.search(r"\d", text):
        reasons = [f"{c.state}: {c.reason}" for c in family.sides[name] if c is not None]
        require(text.removesuffix(" in the base") in reasons, f"unknown remark {text!r}")


def check_method(family, text):
    match = re.fullmatch(
        r".+ against .+, (measured side by side in one run|from two runs)\. "
        r"time: change of the step's time with its interval; regressed and improved: all of it beyond the margin of (\S+%)"
        r"(?: \(or the run's own noise, here up to (\S+%)\))?, at 99% for all cells together \(Holm\)\.",
        text,
    )
    require(match and (match[1] == "from two runs") != family.paired, "they were measured otherwise")
    require(is_percent(match[2], family.asked), "the margin is another")
    beyond = family.noise > family.asked
    require(
        bool(match[3]) == beyond and (not beyond or is_percent(match[3], family.noise)), f"the noise is {family.noise}"
    )


def check_comparison(base, candidate, margin, text):
    """Complaints about the console's text; `base` is `candidate` where one report holds both builds."""
    family, complaints, seen = Family(base, candidate, margin), [], []
    for line in map(str.strip, text.split("\n")):
        try:
            if re.match(r"\d+ cells?\b", line):
                told = [family.change_of(name) for name in family.sides if family.is_told(name)]
                counts = [f"{told.count(change)} {change}" for change in ORDER if change in told]
                expected = plural(len(told), "cell") + (": " + ", ".join(counts) if counts else "")
                require(line == expected, f"expected {expected}")
            elif " against " in line:
                check_method(family, line)
            elif match := re.fullmatch(
                r"Note: within one of the runs the machine's speed drifted by (\S+)%, which .+", line
            ):
                require(
                    abs(float(match[1]) / 100 - family.drift) <= 0.051 * family.drift, f"it drifted by {family.drift}"
                )
            elif line and not line.startswith(KNOWN):
                texts = split_columns(line)
                require(len(texts) >= 5, "unknown words")
                seen.append(texts[0])
                check_row(family, texts)
        except (Lie, ValueError) as lie:
            complaints.append(f"{line!r}: {lie}")
    missing = [name for name in family.sides if family.is_told(name) and name not in seen]
    return complaints + [f"{name} is missing" for name in missing]
