"""Proves what `gdbench crossover` and `gdbench ablate` say, from the report that they wrote. Taken on trust is what no
report holds: whether a search was done, and the budget that one which is not would take."""

import json
import math

from estimates import fewest_launches
from expected_words import Figure, check_lines, estimate, interval_in_unit_of, number, percent, plural, ratio, time
from printed_figures import TIME, is_time
from search_documents import CONFIDENCE, WINNERS
from values_checker import mismatches

ENDED = "The search ended before it was done: a larger --budget narrows it down."
BUDGET = Figure(r"\d+[sm]", lambda text: int(text[:-1]) > 0, "a budget")
UNPROVEN = ("schema", "schema_version", "complete")


def launches(count, more=""):
    return f"{count}{more} launch" + ("" if count == 1 else "es")


def whole_steps(steps):
    """Rounded upwards, as only whole ones can be made."""
    if steps is None:
        return "never"
    return Figure(r"\d+", lambda text: int(text) == math.ceil(steps) or abs(int(text) - steps) < 1e-9 * steps, steps)


def steps_interval(point):
    return ("[", whole_steps(point["interval"]["low"]), ", ", whole_steps(point["interval"]["high"]), "]")


def size_rows(search):
    titles = [(title,) for title in ("rows", search.a, search.b, "ratio", "launches", "faster")]
    words = {"faster": search.a, "slower": search.b, "equivalent": "equal", "inconclusive": "undecided"}
    rows = []
    for point in search.points:
        found = point["comparison"]
        times = [(estimate(point[key]),) for key in ("a_step_ns", "b_step_ns")]
        count, faster = (str(found.ratio.launches),), (words[found.verdict],)
        rows.append([(str(point["size"]),), *times, (ratio(found.ratio),), count, faster])
    return [titles, *rows]


def place_words(zones, index):
    zone, is_first, is_last = zones[index], index == 0, index == len(zones) - 1
    first, last = zone["first"], zone["last"]
    if zone["verdict"] in WINNERS:
        if first == last:
            return f"At rows={first}"
        if is_first != is_last:
            return f"Up to rows={last}" if is_first else f"From rows={first} on"
        return f"From rows={first} to {last}"
    if is_first and is_last:
        return f"From rows={first} to {last}"
    if is_first or is_last:
        return f"Below rows={zones[1]['first']}" if is_first else f"Above rows={zones[-2]['last']}"
    return f"Between rows={zones[index - 1]['last']} and {zones[index + 1]['first']}"


def level_words(search, zone):
    margin = percent(search.margin)
    if zone["verdict"] == "equivalent":
        return ("the two are equal within ", margin)
    within = [p["comparison"] for p in search.points if zone["first"] <= p["size"] <= zone["last"]]
    equal = sum(comparison.verdict == "equivalent" for comparison in within)
    few = (" (equal within ", margin, f" at {equal} of {plural(len(within), 'size')})") if equal else ()
    return ("the two cannot be told apart", *few)


def zone_lines(search, index):
    zone, following = search.zones[index], search.zones[index + 1 : index + 2]
    ratios = {point["size"]: ratio(point["comparison"].ratio) for point in search.points}
    wins, first, last = zone["verdict"] in WINNERS, zone["first"], zone["last"]
    says = (f"{search.a} is {zone['verdict']} than {search.b}",) if wins else level_words(search, zone)
    ends = (ratios[first],) if wins and first == last else (ratios[first], f" at {first}")
    ends += (", ", ratios[last], f" at {last}") if first != last else ()
    lines = [(f"{place_words(search.zones, index)}, ", *says, ": ", *ends, ".")]
    if wins and following and following[0]["verdict"] in WINNERS and following[0]["first"] - last > 1:
        lines.append((f"Between rows={last} and {following[0]['first']} nothing was measured.",))
    return lines


def headlines(search):
    if not search.points:
        return [("Undecided: nothing was measured.",)]
    if search.outcome != "crossing":
        words = {"none": "No crossing.", "undecided": "Undecided whether there is a crossing."}
        return [(words[search.outcome],)]
    winners = [zone["verdict"] for zone in search.zones if zone["verdict"] in WINNERS]
    changes = sum(one != other for one, other in zip(winners, winners[1:]))
    monotone = f"The order is not monotone: the winner changes {plural(changes, 'time')}."
    return [(monotone,)] if changes > 1 else []


def need_lines(search):
    need = search.need()
    if not need:
        return []
    sizes, last = need["sizes"], need["sizes"][-1]
    where = f"{len(sizes)} sizes from rows={sizes[0]} to {last}"
    where = {1: f"rows={last}", 2: f"rows={sizes[0]} and {last}"}.get(len(sizes), where)
    parts = (f"Undecided at {where}: no number of launches is likely to decide",)
    if need["launches"]:
        count = launches(need["launches"], " more")
        parts = (f"Undecided at {where}: about {count} would decide (--budget ", BUDGET, ")")
    if need["margin"]:
        margin = number(math.ceil(need["margin"] * 1000) / 10)
        parts += ("; within --margin ", margin, "% the two are equal there")
    return [(*parts, ".")]


def check_sizes(search, text):
    lines = [line for line in text.split("\n") if line]
    zones = [line for index in range(len(search.zones)) for line in zone_lines(search, index)]
    ended = [(ENDED,)] if not search.need() and ENDED in lines else []
    legend = (
        f"ratio: time of a step, {search.a} over {search.b}, paired by launch, median with {100 * CONFIDENCE:g}% "
        "interval over launches; faster: all of it is beyond ",
        percent(search.margin),
        ", equal: all of it is within (--margin).",
    )
    expected = [(search.scenario,), *size_rows(search), *headlines(search), *zones, *need_lines(search), *ended, legend]
    return check_lines(lines, expected)


def steps_answer(search):
    ahead, other, point = search.ahead, search.other, search.point
    low, high = (whole_steps(point["interval"][end]) for end in ("low", "high"))
    return {
        "from the start": (f"{ahead} is ahead of {other} from the start: it is ready sooner and its step takes less.",),
        "after": (
            *(f"{other} is ready sooner; {ahead} has overtaken it from about ", whole_steps(point["steps"])),
            *(" steps on ", *steps_interval(point), "."),
        ),
        "never": (f"{ahead} never overtakes {other}: it is ready later and its step takes no less.",),
        "at latest": (
            *(f"{ahead} has overtaken {other} after at most ", high, " steps (its step takes less); which of "),
            "them is ready sooner these launches do not tell.",
        ),
        "at earliest": (
            *(f"{other} is ready sooner; {ahead} overtakes it after at least ", low, " steps, if ever: which step "),
            "takes less these launches do not tell beyond the margin; more of them (--budget) or a smaller "
            "--margin may.",
        ),
        "undecided": (
            f"Cannot be decided from {launches(point['launches'])} from how many steps on {ahead} has overtaken ",
            *(f"{other}: the interval is ", *steps_interval(point), "; more launches may tell (--budget)."),
        ),
    }[point["overtaking"]]


def check_steps(search, text):
    titles = ("implementation", "load", "prepare", "first step", "steady step", "95%")
    rows = [[(title,) for title in titles]]
    for cell in search.cells:
        costs = [cell.median_of(key) * 1e9 for key in ("load_seconds", "prepare_seconds")]
        costs += [cell.median_of("first_step_ns"), cell.step.value]
        rows.append([(cell.implementation,), *((time(cost),) for cost in costs), (interval_in_unit_of(cell.step),)])
    legend = (
        f"Medians over {launches(search.point['launches'])}; starting the process is not counted. In brackets the 95% "
        "interval over launches.",
    )
    expected = [(search.scenario,), *rows, steps_answer(search), legend]
    return check_lines([line for line in text.split("\n") if line], expected)


def signed(value):
    fits = lambda text: (text[0] == "-") == (value < 0) and is_time(text[1:], abs(value))
    return Figure(rf"[+-]{TIME}", fits, value)


def variant_name(variant):
    return f"without {variant['without']}" if variant["without"] else variant["variant"]


def variant_row(variant):
    name, step, comparison = (variant_name(variant),), variant["step_ns"], variant["comparison"]
    if not step:
        status = variant["status"]
        return [name, (status["state"] + (f": {status['reason']}" if status["reason"] else ""),)]
    row = [name, (time(step.value),), (interval_in_unit_of(step),)]
    fired = [] if variant["fired"] is None else [(number(variant["fired"]),)]
    if not comparison:
        return [*row, ("1" if variant["variant"] == "as it is" else "-",), *fired]
    of = variant["difference_ns"]
    difference = (signed(of.value), " [", signed(of.low), ", ", signed(of.high), "]")
    return [*row, (ratio(comparison.ratio),), difference, (comparison.verdict,), *fired]


def part_lines(variants):
    """Which parts are slower without, and which have no effect."""
    measured = [v for v in variants if v["without"] and v["comparison"]]
    groups = [("Slower", "slower"), ("Faster", "faster"), ("No difference", "equivalent")]
    lines = []
    for words, verdict in (*groups, ("Inconclusive", "inconclusive")):
        names = [v["without"] for v in measured if v["comparison"].verdict == verdict]
        lines += [(f"{words} without: {', '.join(names)}.",)] if names else []
    return lines


def words_lines(variants):
    lines = [(f"  {v['without']}: {v['description']}",) for v in variants if v["description"]]
    return [("What they do:",), *lines] if lines else []


def check_ablation(ablation, text):
    variants = ablation.variants()
    shown, idle = [v for v in variants if v["fired"] != 0], [v["without"] for v in variants if v["fired"] == 0]
    titles = ("variant", "time/step", "interval", "ratio", "difference", "verdict", "fired")
    count = max((v["step_ns"].launches for v in shown if v["step_ns"]), default=0)
    fewest = fewest_launches(ablation.confidence)
    few = f"For verdicts on all of these at once there must be {fewest} launches or more."
    cell = f"{ablation.report.label(ablation.full)}/{ablation.full.implementation}"
    legend = (
        *(
            "ratio, difference: against the cell as it is, paired by round, median with ",
            number(100 * ablation.confidence),
        ),
        f"% interval (95% for all verdicts together) over {launches(count)}. fired: how often the part had an effect, "
        "as the implementation says.",
    )
    expected = [
        (f"{cell}, impl.{ablation.option}={ablation.value}",),
        [(title,) for title in titles],
        *map(variant_row, shown),
        *part_lines(shown),
        *([(few,)] if 0 < count < fewest else []),
        *([(f"No effect on this cell, so not measured: {', '.join(idle)}.",)] if idle else []),
        *words_lines(shown),
        legend,
    ]
    return check_lines([line for line in text.split("\n") if line], expected)


def check_json(search, text):
    """Of what a report holds: neither whether a search was done, nor the seconds that it would take."""
    found, expected = json.loads(text), search.document()
    found.get("need", {}).pop("budget_seconds", None)
    return mismatches({key: value for key, value in found.items() if key not in UNPROVEN}, expected)
