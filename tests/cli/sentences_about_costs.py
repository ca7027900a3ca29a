"""Templates of the sentences about break-even points and times to a target, and what these come out as."""

import functools
import math
import re

import estimates
from estimates import median
from printed_figures import NUMBER, RATIO, is_ratio, is_step_count, three_digits
from sentence_templates import cell_in, require, template

NEVER = math.inf


def steps_of(later, faster):
    if faster < 0:
        return NEVER
    if later <= 0:
        return 0.0
    return later / faster if faster > 0 else NEVER


@functools.lru_cache(maxsize=None)
def break_even(report, cell, other, margin=None):
    """(steps, low, high, launches): when the cell, which is ready later, has overtaken the other."""
    margin = report.rules(cell.scenario)[0] if margin is None else margin
    others = other.launch_costs()
    pairs = [(cost, others[launch]) for launch, cost in cell.launch_costs().items() if launch in others]
    if not pairs:
        return 0.0, 0.0, NEVER, 0
    later = [own[0] - its[0] for own, its in pairs]
    least, faster, most = ([its[1] - scale * own[1] for own, its in pairs] for scale in (1 + margin, 1, 1 - margin))
    steps = median(list(map(steps_of, later, faster)))
    if rank := estimates.rank_of_interval(len(pairs), estimates.CONFIDENCE):
        ends = sorted(map(steps_of, later, most))[rank - 1], sorted(map(steps_of, later, least))[-rank]
    else:
        each = estimates.of_each(estimates.CONFIDENCE)
        interval = lambda values: estimates.paired_difference({i: [(0.0, v)] for i, v in enumerate(values)}, each)
        ends = (
            steps_of(interval(later).low, interval(most).high),
            steps_of(interval(later).high, interval(least).low),
        )
    return steps, *ends, len(pairs)


def overtaking_of(report, cell, other, margin=None):
    """The same as JSON has it."""
    steps, low, high, launches = break_even(report, cell, other, margin)
    if launches < estimates.FEWEST_LAUNCHES or (low == 0 and high == NEVER):
        words = "undecided"
    elif high == 0 or low == NEVER:
        words = "never" if high else "from the start"
    else:
        words = "at latest" if low == 0 else "at earliest" if high == NEVER else "after"
    finite = lambda value: value if math.isfinite(value) else None
    interval = {"low": finite(low), "high": finite(high)}
    return {"overtaking": words, "steps": finite(steps), "interval": interval, "launches": launches}


def check_overtaking(context, cell, other, words):
    report = context.report
    require(report.compare(other, cell).verdict == "faster", f"{cell.name} is not faster than {other.name}")
    ready = lambda c: median([ready for ready, _ in c.launch_costs().values()])
    require(ready(cell) > ready(other), f"{cell.name} is not ready later than {other.name}")
    steps, low, high, launches = break_even(context.report, cell, other)
    decided = launches >= estimates.FEWEST_LAUNCHES
    if match := re.fullmatch(rf"after ({NUMBER}) steps \[({NUMBER}), ({NUMBER})\]", words):
        fits = decided and 0 < low and high < NEVER and all(map(is_step_count, match.groups(), (steps, low, high)))
    elif match := re.fullmatch(rf"after at most ({NUMBER}) steps", words):
        fits = decided and low == 0 < high and is_step_count(match[1], high)
    elif match := re.fullmatch(rf"after at least ({NUMBER}) steps", words):
        fits = decided and 0 < low and high == NEVER and is_step_count(match[1], low)
    else:
        fits = {
            "from the start": decided and high == 0,
            "never": decided and low == NEVER,
            "at an undecided step": not decided or (low == 0 and high == NEVER),
        }.get(words, False)
    require(fits, f"{other.name} {words}: expected {steps} [{low}, {high}]")


OVERTAKING = (
    rf"after {NUMBER} steps \[{NUMBER}, {NUMBER}\]|after at (?:most|least) {NUMBER} steps|from the start|never|"
    r"at an undecided step"
)


@template(rf"(?P<name>.+?) overtakes (?P<others>.+ (?:{OVERTAKING}))\.")
def overtakes(context, sentence, name, others):
    require(sentence.scenario, "it is said of no scenario")
    cells = context.cells_of(sentence.scenario)
    cell = cell_in(cells, name)
    parts = re.findall(rf"(.+?) ({OVERTAKING})(?:, |$)", others)
    require(", ".join(f"{other} {words}" for other, words in parts) == others, f"{others!r} is no list")
    for other, words in parts:
        check_overtaking(context, cell, cell_in(cells, other), words)


@template(rf"(?P<name>.+?), which starts later, overtakes (?P<base>.+?) (?P<words>after {NUMBER} steps \[.+)\.")
def winner_overtakes(context, sentence, name, base, words):
    overview = context.overview
    points = []
    for row in overview.won_rows():
        cell = row.standing.first
        other = context.report.baseline_of(cell)
        if cell.variant != name or not overview.to_run_baseline(cell) or not is_asked(context, cell, other):
            continue
        steps, low, high, launches = break_even(context.report, cell, other)
        if launches >= estimates.FEWEST_LAUNCHES and 0 < low and high < NEVER and steps > 1:
            points.append((steps, row, cell, other))
    require(points and base == overview.baseline, "it overtakes nobody")
    points.sort(key=lambda point: point[0])
    told = [part if part.startswith("after") else "after " + part for part in re.split(r"(?<=[\])]) to ", words)]
    require(len(told) == min(len(points), 2), f"there are {len(points)} such points")
    for text, (_, row, cell, other) in zip(told, (points[0], points[-1])):
        match = re.fullmatch(r"(after .+?\])(?: \((.+)\))?", text)
        require(match and (overview.turned or match[2] == row.brief), f"{text}: it is so on {row.brief}")
        check_overtaking(context, cell, other, match[1])


def is_asked(context, cell, other):
    """Whether a break-even point is asked for: of cells that do arithmetic, the one faster per step and ready later."""
    ready = lambda c: median([ready for ready, _ in c.launch_costs().values()])
    computing = all("verification" in c.record and c.keeps_to_its_threads for c in (cell, other))
    return computing and context.report.compare(other, cell).verdict == "faster" and ready(cell) > ready(other)


@template(
    r"time to target: loss (?P<target><NUMBER>) from (?P<initial><NUMBER>)(?:, evaluated every (?P<every>\d+) steps)?"
    r"(?:, at most (?P<most>\d+) steps)?:?"
)
def target_title(context, sentence, target, initial, every, most):
    cells = [cell for cell in context.cells_of(sentence.scenario) if cell.target]
    require(
        any(
            three_digits(c.target["target_loss"], target) and three_digits(c.target["initial_loss"], initial)
            for c in cells
        ),
        "no training began so",
    )
    settings = context.resolved(sentence.scenario).get("target", {})
    for found, key in ((every, "evaluate_every"), (most, "most_steps")):
        require(found is None or int(found) == settings.get(key), f"{key} is {settings.get(key)}")


@template(
    r"(?P<name>.+) (?P<state>unreached|cut for lack of time): loss (?P<loss><NUMBER>) after (?P<steps>\d+) steps\."
)
def not_reached(context, sentence, name, state, loss, steps):
    target = cell_in(context.cells_of(sentence.scenario), name).target
    require(target and target["state"] == state.split(" ")[0], "its training ended otherwise")
    require(three_digits(target["loss"], loss) and int(steps) == target["stopped_after"], "at another loss")


@template(r"(?P<name>.+) (?:(?P<diverged>diverged) within (?P<steps>\d+) steps|reached)\.")
def diverged(context, sentence, name, diverged, steps):
    target = cell_in(context.cells_of(sentence.scenario), name).target
    require(target and target["state"] == (diverged or "reached"), "its training ended otherwise")
    require(steps is None or int(steps) == target["stopped_after"], "after other steps")


@template(
    r"There are times to a target loss, on (?P<count>\d+) scenarios?\.(?: (?P<label>.+?): (?P<words>.+))?"
)
def targets(context, sentence, count, label, words):
    scenarios = {cell.scenario for cell in context.report.cells if cell.time_to_target()}
    require(int(count) == len(scenarios), f"there are {len(scenarios)}")
    if words:
        check_target_first(context, label, words)


@template(r"No row has a time to its target loss, on (?P<count>\d+) scenarios?\.")
def no_targets(context, sentence, count):
    cells = [cell for cell in context.report.cells if cell.target]
    missed = {cell.scenario for cell in cells} - {cell.scenario for cell in cells if cell.time_to_target()}
    require(int(count) == len(missed), f"they are {len(missed)}")


@template(r"(?P<words>.+ reaches the target\b.+ takes less time\.)")
def target_first(context, sentence, words):
    check_target_first(context, sentence.scenario, words)


def check_target_first(context, label, words):
    match = re.fullmatch(
        rf"(.+) reaches the target(?: before (.+), in ({RATIO}) of the time|, (.+) does not), though a step of "
        r"(?:the other|that one) takes less time\.",
        words,
    )
    require(match, f"unknown words {words!r}")
    ranked = [cell for cell in context.cells_of(label) if cell.is_ranked]
    cell, other = cell_in(ranked, match[1]), cell_in(ranked, match[2] or match[4])
    require(context.report.compare(other, cell).verdict == "slower", "its step does not take more time")
    require(cell.time_to_target(), "it does not reach the target")
    if match[4]:
        require(other.target and other.target["state"] != "reached", "both reach it")
        return
    comparison = context.report.compare_to_target(other, cell)
    require(comparison.verdict == "faster" and is_ratio(match[3], comparison.ratio), f"the ratio is {comparison}")
