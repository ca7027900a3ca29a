"""What the charts of a report must show, and its grid of all implementations in all scenarios."""

import functools
import math
import re

from documents import same
from estimates import median
from expected_words import percent, ratio, time
from printed_figures import TIME, is_ratio, is_time
from report_figures import FAILURES


UNTIMED = "Without a time in any scenario: "


def untimed_complaints(context, text):
    names = {cell.name for cell in context.report.cells} - {cell.name for cell in context.report.cells if cell.is_timed}
    said = text.removeprefix(UNTIMED).removesuffix(".").split(", ")
    return [] if sorted(said) == sorted(names) else [f"{text!r}: expected {sorted(names)}"]


def cells_of(context, chart):
    """By their names, of the chart's scenario."""
    return {cell.name: cell for cell in context.cells_of(chart.scenario) if cell.is_timed}


def check(context, chart):
    expected = {
        "Time per step": check_times,
        "Times relative to the fastest": check_relative,
        "Where a step's time goes": check_phases,
        "Memory": check_memory,
    }.get(chart.title)
    return expected(context, chart) if expected else [f"{chart.title!r} is no chart that is known"]


def fits(figure, text):
    return re.fullmatch(figure.pattern, text) is not None and figure.fits(text)


def differs(row, axis, of):
    """Whether the row's estimate of an axis is another one."""
    found = [value for value in row["values"] if value["axis"] == axis]
    if of is None or len(found) != 1:
        return of is not None or bool(found)
    value, (low, high) = found[0]["value"], found[0].get("interval", (None, None))
    alike = lambda one, other: same(one, other) if math.isfinite(other) and one is not None else one is None
    return not (alike(value, of.value) and alike(low, of.low) and alike(high, of.high))


def check_times(context, chart):
    cells, complaints = cells_of(context, chart), []
    if sorted(row["label"] for row in chart.rows) != sorted(cells):
        return [f"{chart.scenario}: times of {[row['label'] for row in chart.rows]}, not of {list(cells)}"]
    for row in chart.rows:
        cell = cells[row["label"]]
        baseline = context.report.to_baseline(cell)
        launches = [min(times) for times in cell.times.values()]
        wrong = differs(row, 0, cell.step) or differs(row, 1, baseline and baseline.ratio)
        if wrong or not fits(time(cell.step.value), row["figure"]):
            complaints.append(f"{chart.scenario}, {row['label']}: {row['values']}, {row['figure']}")
        if len(row.get("dots", [])) != len(launches) or not all(map(same, sorted(row["dots"]), sorted(launches))):
            complaints.append(f"{chart.scenario}, {row['label']}: dots {row.get('dots')}, not {launches}")
    return complaints


def check_relative(context, chart):
    """Ratios to the fastest as comparisons have them; of one scenario with their intervals."""
    ratios, scenarios, complaints = {}, 0, []
    for scenario in {cell.scenario: cell for cell in context.report.cells}:
        standing = standing_of(context.report, scenario)
        if len(standing.cells) < 2:
            continue
        scenarios += 1
        for cell in standing.cells:
            found = Exactly(1) if cell is standing.first else context.report.compare(standing.first, cell).ratio
            if found.launches:
                ratios.setdefault(cell.name, []).append(found)
    means = {name: math.exp(sum(math.log(r.value) for r in own) / len(own)) for name, own in ratios.items()}
    for row in chart.rows:
        own, mean = ratios.get(row["label"], [Exactly(0)]), means.get(row["label"], 0)
        dots = sorted(ratio.value for ratio in own) if len(own) > 1 else []
        if len(row.get("dots", [])) != len(dots) or not all(map(same, sorted(row.get("dots", [])), dots)):
            complaints.append(f"{row['label']}: dots {row.get('dots')}, not {dots}")
        (value,), alone = row["values"], scenarios == 1 and not isinstance(own[-1], Exactly)
        wrong = differs(row, 0, own[-1]) if alone else not same(value["value"], mean) or "interval" in value
        count = f" ({len(own)})" if len(own) < scenarios else ""
        factor, space, rest = row["figure"].partition(" ")
        if wrong or space + rest != count or not is_ratio(factor, Exactly(mean)):
            complaints.append(f"{row['label']}: {row}, not {mean}{count}")
    order = [row["label"] for row in chart.rows]
    if order != sorted(order, key=lambda name: means.get(name, 0)) or len(order) != min(16, len(means)):
        complaints.append(f"{order} are not the fastest of {len(means)}")
    return complaints


class Exactly:
    launches = 1

    def __init__(self, value):
        self.value = self.low = self.high = value


def pieces_of(parts):
    """Parts as they follow each other: (name, from, to) of those that are there."""
    at, found = 0.0, []
    for name, size in parts:
        if size > 0:
            found.append((name, at, at + size))
        at += max(size, 0.0)
    return found


def piece_complaints(chart, row, expected):
    found = [(piece["name"], piece["from"], piece["to"]) for piece in row["pieces"]]
    alike = len(found) == len(expected) and all(
        one[0] == other[0] and math.isclose(one[1], other[1], rel_tol=1e-6, abs_tol=1e-9)
        and math.isclose(one[2], other[2], rel_tol=1e-6, abs_tol=1e-9)
        for one, other in zip(found, expected)
    )
    return [] if alike else [f"{chart.title}, {row['label']}: {found}, not {expected}"]


def check_phases(context, chart):
    cells, complaints = cells_of(context, chart), []
    for row in chart.rows:
        profile = row["label"] in cells and cells[row["label"]].profile
        if not profile:
            complaints.append(f"{row['label']!r} has no profile")
            continue
        step, records = profile["profiled_step_ns"], [r for r in profile["records"] if r.get("calls", 1) > 0]
        names = ("data", "forward", "backward", "exchange", "update", "record", "other")
        shares = [(name, sum(r["time_ns"] for r in records if r["phase"] == name) / step) for name in names]
        claimed = sum(r["time_ns"] for r in records if r["phase"] in names)
        expected = pieces_of([*shares, ("unattributed", (step - claimed) / step)])
        complaints += piece_complaints(chart, row, expected)
        complaints += [] if fits(time(step), row["figure"]) else [f"{row['label']}: {row['figure']}, not {step}"]
    return complaints


def check_memory(context, chart):
    cells, complaints = cells_of(context, chart), []
    for row in chart.rows:
        if row["label"] not in cells:
            complaints.append(f"{row['label']!r} was not timed")
            continue
        launches = cells[row["label"]].record["launches"]
        own = max((launch.get("peak_anonymous_bytes", 0) for launch in launches), default=0)
        peak = max((launch.get("peak_resident_bytes", 0) for launch in launches), default=0)
        expected = [("its own", 0, own), ("shared, as data and libraries", own, max(own, peak))]
        complaints += piece_complaints(chart, row, expected)
    return complaints


def check_whole_grid(context, table):
    """Each place: a time, and what it is to the scenario's fastest."""
    complaints, labels = [], {context.report.scenarios[key]["label"]: key for key in context.report.scenarios}
    turned = table.titles[0] == "scenario"
    for first, *texts in table.rows:
        for title, text in zip(table.titles[1:], texts):
            label, name = (first, title) if turned else (title, first)
            cells = [cell for cell in context.report.cells if cell.name == name and cell.scenario == labels.get(label)]
            wrong = place_complaint(context, cells[0] if cells else None, text)
            complaints += [f"{label}, {name}: {text!r}: {wrong}"] if wrong else []
    return complaints


@functools.lru_cache(maxsize=None)
def standing_of(report, scenario):
    """Of all its ranked cells."""
    cells = [cell for cell in report.cells if cell.scenario == scenario and cell.is_timed and cell.is_ranked]
    return report.standing(cells)


def place_complaint(context, cell, text):
    if cell is None:
        return "there is no such cell" if text else None
    if not cell.is_timed:
        sign = "\u2715" if cell.state in FAILURES else "\u2013"
        return None if text == f"{sign} {cell.state}" else f"expected {cell.state}"
    found = re.fullmatch(r"(\S+ \S+) (.*)", text)
    words = found[2].split(" ") if found else []
    if not found or not re.fullmatch(TIME, found[1]) or not is_time(found[1], cell.step.value):
        return f"expected {cell.step.value}"
    if not cell.is_ranked:
        return None if words == ["not", "ranked"] else "it has no rank"
    standing = standing_of(context.report, cell.scenario)
    if cell is standing.first:
        mark = ["\u2605", "wins"] if standing.won else ["=", "ties"] if standing.tied else ["\u2606", "fastest"]
        return None if words == mark else f"expected {mark}"
    if cell in standing.tied:
        return None if words == ["=", "ties"] else "it ties"
    compared = context.report.compare(standing.first, cell)
    if compared.ratio.launches == 0:
        return None if words == ["not", "compared"] else "it is not compared"
    factor = words[-1] if len(words) == 2 and re.fullmatch(r"[\d.]+x", words[-1]) else ""
    right = words[0] == "\u25bc" and factor and is_ratio(factor, compared.ratio)
    return None if right else f"expected {compared.ratio}"
