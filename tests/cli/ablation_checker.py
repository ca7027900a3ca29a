"""Proves what `gdbench ablate` says from the report that it wrote."""

from documents import FOREST, forest, launches, table, value_of
from estimates import MARGIN, fewest_launches
from expected_words import Figure, interval_in_unit_of, number, percent, ratio, time
from printed_figures import TIME, is_time


def signed(value):
    fits = lambda text: (text[0] == "-") == (value < 0) and is_time(text[1:], abs(value))
    return Figure(rf"[+-]{TIME}", fits, value)


def variant_name(variant):
    return f"without {variant['without']}" if variant["without"] else variant["variant"]


def variant_row(variant):
    name, step, comparison = (variant_name(variant),), variant["step_ns"], variant["comparison"]
    fired = ("-",) if variant["fired"] is None else (number(variant["fired"]),)
    if not step:
        status = variant["status"]
        reason = status["state"] + (f": {status['reason']}" if status["reason"] else "")
        return [name, ("-",), ("-",), ("-",), ("-",), fired, (reason,)]
    row = [name, (time(step.value),), (interval_in_unit_of(step),)]
    if not comparison:
        return [*row, ("1" if variant["variant"] == "as it is" else "-",), ("-",), fired, ("",)]
    of = variant["difference_ns"]
    difference = (signed(of.value), " [", signed(of.low), ", ", signed(of.high), "]")
    return [*row, (ratio(comparison.ratio),), difference, fired, (comparison.verdict,)]


def variant_bar(variant):
    comparison = variant["comparison"]
    state = "not compared" if variant["step_ns"] else variant["status"]["state"]
    return {
        "label": variant_name(variant),
        "values": [value_of(comparison.ratio)] if comparison else None,
        "word": comparison.verdict if comparison else state,
        "figure": (ratio(comparison.ratio),) if comparison else None,
    }


def variants_figure(shown):
    band = {"name": ("margin of ", percent(MARGIN)), "range": [1 / (1 + MARGIN), 1 + MARGIN]}
    rows = [variant_bar(variant) for variant in shown if variant["variant"] != "as it is"]
    sentence = (
        f"{FOREST} Where a step is slower without a part, that is what the part is worth. Grey is the margin, within "
        "which it does not matter."
    )
    title = "Time per step without a part over that of the cell as it is"
    chart = forest("times the cell as it is", rows, band)
    return [{"figure": {"title": title, "sentence": sentence, "chart": chart}}] if rows else []


def part_lines(variants):
    """Which parts are slower without, and which have no effect."""
    measured = [v for v in variants if v["without"] and v["comparison"]]
    groups = [("Slower", "slower"), ("Faster", "faster"), ("No difference", "equivalent")]
    lines = []
    for words, verdict in (*groups, ("Inconclusive", "inconclusive")):
        names = [v["without"] for v in measured if v["comparison"].verdict == verdict]
        lines += [(f"{words} without: {', '.join(names)}.",)] if names else []
    return lines


def ablation_document(ablation, _):
    variants = ablation.variants()
    shown, idle = [v for v in variants if v["fired"] != 0], [v["without"] for v in variants if v["fired"] == 0]
    titles = ("variant", "time/step", "interval", "ratio", "difference", "fired", "verdict")
    count = max((v["step_ns"].launches for v in shown if v["step_ns"]), default=0)
    fewest = fewest_launches(ablation.confidence)
    few = f"For verdicts on all of these at once there must be {fewest} launches or more."
    cell = f"{ablation.report.label(ablation.full)}/{ablation.full.implementation}"
    legend = (
        "ratio, difference: against the cell as it is, paired by round, median with ",
        number(100 * ablation.confidence),
        f"% interval (95% for all verdicts together) over {launches(count)}. fired: how often the part had an effect, "
        "as the implementation says.",
    )
    answer = [*part_lines(shown), *([(few,)] if 0 < count < fewest else [])]
    answer += [(f"No effect on this cell, so not measured: {', '.join(idle)}.",)] if idle else []
    nothing = {"text": "No part could be compared with the cell as it is.", "style": "unsure"}
    rows = [[(title,) for title in titles], *map(variant_row, shown)]
    blocks = [*variants_figure(shown), table(rows), {"paragraph": legend}]
    words = [f"{v['without']}: {v['description']}" for v in shown if v["description"]]
    sections = [{"title": "What each part is worth", "blocks": blocks}]
    return {
        "title": f"gdbench ablate: {cell}, impl.{ablation.option}={ablation.value}",
        "answer": answer or [nothing],
        "sections": sections + ([{"title": "What they do", "blocks": [{"list": words}]}] if words else []),
    }
