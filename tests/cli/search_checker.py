"""Proves what `gdbench crossover` and `gdbench ablate` say, record and document, from the report that they wrote. Taken
on trust is what no report holds: whether a search was done, and the budget that one which is not would take."""

import json
import math
import re

from break_even import ready
from estimates import CONFIDENCE, MARGIN, fewest_launches
from expected_words import Figure, estimate, interval_in_unit_of, number, percent, ratio, time
from printed_figures import INTERVAL, NUMBER
from records import Record, facts_of
from search_documents import WINNERS, Ablation, Sizes
from statements import count, known, overtaking_facts, quote, word
from values_checker import mismatches

UNPROVEN = ("schema", "schema_version", "complete")
BUDGET = Figure(r"\d+ ?[sm]", lambda text: True, "a budget")


def margin_facts(margin):
    yield known(percent(margin))
    yield from (known(number(end)) for end in (1, 1 + margin, 1 / (1 + margin)))


def sizes_facts(search):
    both, zones = (search.a, search.b), search.zones
    side = {"a_step_ns": search.a, "b_step_ns": search.b}
    for point in search.points:
        place = f"rows={point['size']}"
        for around in ((), (place,)):
            yield from facts_of(point, lambda key, _, names: (side[key], *names) if key in side else names, around)
        yield from (known(figure, place) for figure in (word("[Uu]ndecided|equal"), count(point["size"])))
        for names in ((*both, place), (*reversed(both), place)):
            turned = {"faster": "slower", "slower": "faster"} if names[0] == search.b else {}
            verdict = point["comparison"].verdict
            if verdict in WINNERS:
                yield known(word(turned.get(verdict, verdict)), *names[1:], subject=names[0])
    yield from facts_of(search.need() or {}, lambda *_: ())
    yield from margin_facts(search.margin)
    yield known(percent(0.99))
    yield known(number(math.ceil((search.need() or {"margin": 0})["margin"] * 1000) / 10))
    legend = ("Below 1 {} is faster, above 1 {}", "time of a step, {} over {}", "{} and {}")
    yield from (known(quote(text.format(*both))) for text in (*legend, "faster: all of it is beyond"))
    for point in search.points:  # "a faster", of a line of a chart
        winner = {"faster": search.a, "slower": search.b}.get(point["comparison"].verdict)
        yield from [known(word("faster"), f"{winner} faster")] if winner else ()
    for at, zone in enumerate(zones):  # "Below rows=30, …": up to a winner it is open
        around = zones[at - 1]["last"] if at else zones[1]["first"] if len(zones) > 1 else zone["first"]
        ends = [point for point in search.points if point["size"] in (zone["first"], zone["last"])]
        if zone["verdict"] not in WINNERS:
            yield from (known(ratio(point["comparison"].ratio), f"rows={around}") for point in ends)
    verdicts = [point["comparison"].verdict for point in search.points]
    winners = [zone["verdict"] for zone in zones if zone["verdict"] in WINNERS]
    yield known(count(sum(map(str.__ne__, winners, winners[1:]))))
    for zone in zones:
        own = [v for point, v in zip(search.points, verdicts) if zone["first"] <= point["size"] <= zone["last"]]
        yield known(count(own.count("equivalent"), len(own)))
    if search.outcome == "undecided" or "inconclusive" in verdicts:
        yield known(word("[Uu]ndecided"))


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
    yield known(number(most))
    yield from (known(whole_steps(steps), *of) for steps in (1, *ends) for of in ((), names))
    yield from [known(in_brackets(*ends))] if len(ends) == 3 else ()
    yield known(count(point["launches"]))
    yield known(quote("{} and {}".format(*names)))
    yield from overtaking_facts(point, search.ahead, search.other)
    yield from [known(word(r"never(?=\])"))] if point["interval"]["high"] is None else ()
    yield known(word("ahead"), *names)
    yield known(word("less"), *names)
    for cell, name in zip(search.cells, names):
        yield from (known(number(ready(cell) + steps * cell.step.value), name) for steps in counts)
        costs = [cell.median_of(key) * 1e9 for key in ("load_seconds", "prepare_seconds")]
        costs += [cell.median_of("first_step_ns"), ready(cell), cell.step.value]
        yield from (known(time(cost), name) for cost in costs)
        yield known(interval_in_unit_of(cell.step), name)


def ablation_facts(ablation):
    of_part = lambda key, value, names: (value["without"] or value["variant"],
                                         ) if "variant" in (value if isinstance(value, dict) else ()) else names
    for variant in ablation.variants():
        name = (variant["without"] or variant["variant"],)
        yield from facts_of(variant, of_part)
        if step := variant["step_ns"]:
            yield from (known(figure, name) for figure in (interval_in_unit_of(step), time(step.value)))
            yield known(count(step.launches))
        yield from [known(word("No effect"), name)] if variant["fired"] == 0 else ()
        yield from [known(quote(variant["description"]), subject=name[0])] if variant["description"] else ()
        verdict = variant["comparison"].verdict if variant["comparison"] else variant["status"]["state"]
        yield known(word(re.sub("^(.)", lambda letter: f"[{letter[1]}{letter[1].upper()}]", verdict)), name)
        yield from [known(quote(": ".join(variant["status"].values())), name)] if variant["status"]["reason"] else ()
    yield known(percent(ablation.confidence))
    yield known(count(fewest_launches(ablation.confidence), 1))
    yield known(count(1), "as it is")
    yield from (known(quote(text))
                for text in ("against the cell as it is", "a ratio of 1", "a step is slower without a part"))
    yield from margin_facts(MARGIN)


def check(search, names, text):
    """`names`: of what it compares. The record lacks the seconds that a search would take, and whether it was done."""
    found = json.loads(text)
    document = found.pop("document")
    found.get("need", {}).pop("budget_seconds", None)
    complaints = mismatches({key: value for key, value in found.items() if key not in UNPROVEN}, search.document())
    facts = {Sizes: sizes_facts, Ablation: ablation_facts}.get(type(search), steps_facts)(search)
    record = Record([*facts, known(BUDGET)], names)
    complaints += [wrong for sentence in document["answer"] for wrong in record.about(sentence)]
    return complaints + [wrong for section in document["sections"] for wrong in record.complaints(section["blocks"])]
