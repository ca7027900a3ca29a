"""Proves what `gdbench crossover` says, record and document, from the report that it wrote. Taken on trust is
what no report holds: whether a search was done, and the budget that one which is not would take."""

import json
import math

from break_even import ready
from documents import finite, launches, table
from expected_words import Figure, estimate, interval_in_unit_of, number, percent, plural, ratio, time
from printed_figures import NUMBER
from search_documents import CONFIDENCE, WINNERS
from values_checker import mismatches

ENDED = "The search ended before it was done: a larger --budget narrows it down."
BUDGET = Figure(r"\d+[sm]", lambda text: int(text[:-1]) > 0, "a budget")
UNPROVEN = ("schema", "schema_version", "complete")


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
    return ("the two cannot be distinguished", *few)


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


def headline(search):
    if not search.points:
        return ("Undecided: nothing was measured.",)
    if search.outcome == "undecided":
        return ("Undecided whether there is a crossing.",)
    ends = [place_words(search.zones, index) for index in sorted({0, len(search.zones) - 1})
            if search.zones[index]["verdict"] == "inconclusive"]
    ends = "; undecided " + " and ".join(end[0].lower() + end[1:] for end in ends) if ends else ""
    if search.outcome == "none":
        return (f"No crossing{ends}.",)
    winners = [zone["verdict"] for zone in search.zones if zone["verdict"] in WINNERS]
    changes = sum(one != other for one, other in zip(winners, winners[1:]))
    monotone = f"The order is not monotone: the winner changes {plural(changes, 'time')}"
    return ((monotone if changes > 1 else "One crossing") + ends + ".",)


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


def logarithmic(title):
    return {"title": title, "logarithmic": True}


def point_at(x, of):
    return {"x": x, "y": of.value, "interval": finite(of.low, of.high)}


def series(name, points):
    return {"name": name, "measured": True, "points": points}


def open_ranges(zones):
    """(words, from, to) where the winner changes or is not known."""
    for before, zone, after in zip([None, *zones], zones, [*zones[1:], None]):
        if zone["verdict"] not in WINNERS:
            words = "equal" if zone["verdict"] == "equivalent" else "undecided"
            yield words, (before["last"] if before else zone["first"]), (after["first"] if after else zone["last"])
        elif after and after["verdict"] in WINNERS:
            yield "crossing", zone["last"], after["first"]


def times_figure(search):
    ranges = [(f"{words}, {low} to {high}", low, high) for words, low, high in open_ranges(search.zones)]
    bands = f"Bands show where the winner changes or is not known: {', '.join(words for words, *_ in ranges)}."
    sides = ((search.a, "a_step_ns"), (search.b, "b_step_ns"))
    points_of = lambda key: [point_at(point["size"], point[key]) for point in search.points]
    chart = {
        "x": logarithmic("rows"),
        "y": logarithmic("time per step"),
        "series": [series(name, points_of(key)) for name, key in sides],
        "bands": [{"x": [low, high]} for _, low, high in ranges] or None,
        "rules": [{"x": low, "text": words} for words, low, _ in ranges] or None,
    }
    sentence = "Medians over launches with their intervals. " + (bands if ranges else "One winner from end to end.")
    return {"figure": {"title": "Time per step over rows", "sentence": sentence, "chart": chart}}


def ratios_figure(search):
    names = {"faster": f"{search.a} faster", "slower": f"{search.b} faster", "equivalent": "equal"}
    names["inconclusive"] = "undecided"
    margin = search.margin
    lines = []
    for verdict, name in names.items():
        found = [(point["size"], point["comparison"]) for point in search.points]
        points = [point_at(size, comparison.ratio) for size, comparison in found if comparison.verdict == verdict]
        lines += [series(name, points)] if points else []
    zones = [{"x": zone["first"], "text": names[zone["verdict"]]} for zone in search.zones]
    chart = {
        "x": logarithmic("rows"),
        "y": logarithmic("ratio"),
        "series": lines,
        "bands": [{"y": [1 / (1 + margin), 1 + margin]}],
        "rules": [{"y": 1, "text": ""}, *zones],
    }
    sentence = (
        f"Below 1 {search.a} is faster, above 1 {search.b}; the band is the margin of ",
        percent(margin),
        ", which an interval must leave as a whole for a winner.",
    )
    title = f"Time of {search.a} over that of {search.b}"
    return {"figure": {"title": title, "sentence": sentence, "chart": chart}}


def sizes_document(search, found):
    zones = [line for index in range(len(search.zones)) for line in zone_lines(search, index)]
    ended = [(ENDED,)] if not search.need() and not found["complete"] else []
    legend = (
        f"ratio: time of a step, {search.a} over {search.b}, paired by launch, median with {100 * CONFIDENCE:g}% "
        "interval over launches; faster: all of it is beyond ",
        percent(search.margin),
        ", equal: all of it is within (--margin).",
    )
    blocks = [times_figure(search), ratios_figure(search), table(size_rows(search)), {"paragraph": legend}]
    section = {"title": f"Where is {search.a} faster than {search.b}?", "blocks": blocks}
    return {
        "title": f"gdbench crossover {search.scenario}: {search.a} and {search.b} over rows",
        "answer": [headline(search), *zones, *need_lines(search), *ended],
        "sections": [section] if search.points else [],
    }


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


def step_count(steps):
    """Upwards, at an axis: "500", "1.2e5"."""
    fits = lambda text: abs(float(text) - math.ceil(steps)) <= (0.06 * steps if "e" in text else 0.51)
    return Figure(NUMBER, fits, steps)


def sums_figure(search):
    """What so many steps take, from the medians, as the break-even counts: ready and steady steps."""
    point, interval = search.point, search.point["interval"]
    known = [steps for steps in (point["steps"], *interval.values()) if steps is not None]
    most = 10 ** math.ceil(math.log10(max([1e4, *(100 * steps for steps in known)])))
    counts = [factor * 10**power for power in range(20) for factor in (1, 2, 5) if factor * 10**power <= most]
    lines = []
    for cell in search.cells:
        points = [{"x": steps, "y": ready(cell) + steps * cell.step.value} for steps in counts]
        lines.append(series(cell.implementation, points))
    inside = lambda steps: most if steps is None else min(max(steps, 1), most)
    low, high = inside(interval["low"]), inside(interval["high"])
    words = {
        "after": ("from ", step_count(inside(point["steps"])), " [", step_count(low), ", ", step_count(high), "]"),
        "at latest": ("at most ", step_count(high)),
        "at earliest": ("not before ", step_count(low)),
        "undecided": ("undecided, from ", step_count(low), " on"),
    }.get(point["overtaking"])
    at = inside(point["steps"]) if point["overtaking"] == "after" else low
    chart = {
        "x": logarithmic("steps"),
        "y": logarithmic("ready + steps"),
        "series": lines,
        "bands": [{"x": [low, high]}] if words else None,
        "rules": [{"x": at, "text": words}] if words else None,
    }
    band = "The band is the 95% interval of where one has overtaken." if words else "No crossing is drawn."
    sentence = "Ready and so many steady steps, from medians over launches. " + band
    return {"figure": {"title": "Time until so many steps are done", "sentence": sentence, "chart": chart}}


def steps_document(search, _):
    titles = ("implementation", "load", "prepare", "first step", "ready", "steady step", "95%")
    rows = [[(title,) for title in titles]]
    for cell in search.cells:
        costs = [cell.median_of(key) * 1e9 for key in ("load_seconds", "prepare_seconds")]
        costs += [cell.median_of("first_step_ns"), ready(cell), cell.step.value]
        rows.append([(cell.implementation,), *((time(cost),) for cost in costs), (interval_in_unit_of(cell.step),)])
    legend = (
        f"Medians over {launches(search.point['launches'])}. ready: load, prepare without imports, and what the first "
        "step takes beyond a steady one; so many steps are counted from there, without the start of the process. In "
        "brackets the 95% interval over launches."
    )
    a, b = (cell.implementation for cell in search.cells)
    blocks = [sums_figure(search), table(rows), {"paragraph": legend}]
    return {
        "title": f"gdbench crossover {search.scenario}: {a} and {b} over the number of steps",
        "answer": [steps_answer(search)],
        "sections": [{"title": f"From how many steps on is which of {a} and {b} ahead?", "blocks": blocks}],
    }


def check(document_of, search, text):
    """`document_of`: search, what was found -> the document; the record has neither the seconds that a search would
    take nor whether it was done."""
    found, expected = json.loads(text), search.document()
    expected["document"] = document_of(search, found)
    found.get("need", {}).pop("budget_seconds", None)
    return mismatches({key: value for key, value in found.items() if key not in UNPROVEN}, expected)
