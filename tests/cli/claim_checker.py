"""Proves what `gdbench claims` says of a report, from what the report's samples say."""

import json
import math

from expected_words import Figure, check_lines, number, percent, ratio
from printed_figures import numbers_in
from rendered_documents import markdown_row, unescaped
from sentence_templates import plural
from values_checker import mismatches

QUANTITIES = {
    "step": "time of a step",
    "first_step": "time of the first step",
    "time_for_steps": "time from loading to a step",
    "peak_memory": "peak memory",
    "own_memory": "own memory",
    "time_to_target": "time to the target loss",
    "steps_to_target": "steps to the target loss",
}
VERDICTS = ("confirmed", "refuted", "inconclusive", "not run")
LEGEND = (
    ("ratio: median with an interval over launches; the intervals of a claim hold at 95% together.",),
    ("confirmed and refuted: the whole interval lies on one side of the limit, at every point that the claim needs.",),
    ("in brackets: a point that is shown beside those that decide.",),
)


def settings_words(at):
    return ", ".join(f"{key}={value}" for key, value in at.items())


def at_words(at):
    return f" at {settings_words(at)}" if at else ""


def side_words(side):
    others = [f"{key}={value}" for key, value in side.items() if key != "implementation"]
    return " ".join([side["implementation"], *others] if "implementation" in side else others)


def limits_of(told):
    """The words and figures of what is claimed; none of a crossover."""
    limit = lambda value: (percent(value),) if told["kind"] == "saving" else (number(value), "x")
    least, most = told.get("at_least"), told.get("at_most")
    if least is not None and most is not None:
        return ("from ", *limit(least), " to ", *limit(most))
    if least is not None:
        return ("at least ", *limit(least))
    return ("at most ", *limit(most)) if most is not None else ()


def relation_line(relation):
    told = relation.told
    a, b = (side_words(full_side) for full_side in (relation.a, relation.b))
    quantity, steps = QUANTITIES[relation.quantity], told.get("steps", [])
    quantity = f"time from loading to step {steps[0]}" if len(steps) == 1 else quantity
    places = "somewhere" if told.get("points") == "any" else "everywhere"
    places += (" at " if relation.named else "") + ", ".join(f"{k}={'|'.join(v)}" for k, v in relation.named.items())
    limits, beside = limits_of(told), "" if relation.decides else "beside it, "
    words = {
        "ratio": (f"{a} over {b}: ", *limits),
        "saving": (f"what {a} saves beside {b}: ", *limits),
        "trend": (f"{a} over {b}: multiplied by ", *limits, f" along {relation.along}"),
    }
    if told["kind"] == "crossover":
        ahead = f"{a} is ahead of {b} at the first {relation.along} and behind at the last"
        return (f"{beside}{quantity}: {ahead}, {places}: ",)
    return (f"{beside}{quantity}, ", *words[told["kind"]], f", {places}: ")


def saved(ratio):
    """ "26% [22, 28]" of what is less than all of it; whole per cents."""
    values = [100 * (1 - end) for end in (ratio.value, ratio.high, ratio.low)]
    fits = lambda text: all(abs(float(t) - v) <= 0.5 + 1e-9 * abs(v) for t, v in zip(numbers_in(text), values))
    return Figure(r"-?\d+% \[-?\d+, -?\d+\]", fits, values)


def figure_of(relation, point):
    """None where there is none."""
    found = point["ratio"]
    if not found or found.launches == 0:
        return None
    if relation.told["kind"] == "saving":
        whole = lambda text: abs(float(text[:-1]) - 100 * (1 - found.value)) <= 0.5 + 1e-9
        return (Figure(r"-?\d+%", whole, 1 - found.value),) if relation.counted else (saved(found),)
    return (number(found.value), "x") if relation.counted else (ratio(found),)


def state_words(relation, point):
    state, kind = point["state"], relation.told["kind"]
    if state in ("undecided", "not run"):
        return state + (f": {point['remark']}" if state == "undecided" else "")
    text = "" if state == "shown" else state
    if kind == "crossover":
        sides = {"below": f"{side_words(relation.a)} is ahead", "above": f"{side_words(relation.b)} is ahead"}
        text += (": " if text else "") + sides.get(point["position"], "nobody is ahead")
    elif kind == "trend" and point["decides"]:
        text += ": what the ratio is multiplied by"
    return f"({text})" if text and not point["decides"] and state != "shown" else text


def was_run(relation):
    return any(point["state"] != "not run" for point in relation.points)


def table_of(relation):
    """Rows of texts of columns, the titles first."""
    if not was_run(relation):
        return []
    axes = list(dict.fromkeys(key for point in relation.points for key in point["at"]))
    figure = "saved" if relation.told["kind"] == "saving" else "ratio"
    rows = [[(title,) for title in (*axes, figure, "launches", "says")]]
    for point in relation.points:
        values = [(point["at"].get(axis, "-"),) for axis in axes]
        count = str(point["ratio"].launches) if point["ratio"] else "-"
        says = (state_words(relation, point),)
        rows.append([*values, figure_of(relation, point) or ("-",), (count,), says])
    return rows


def flip_lines(relation):
    winners, a = relation.told["kind"] == "crossover", side_words(relation.a)
    truth, untruth = (f"{a} is ahead", f"{a} is behind") if winners else ("it holds", "it does not")
    lines = []
    for flip in relation.flips:
        ends = (truth, untruth) if flip["holds_at_from"] else (untruth, truth)
        axis, at = flip["axis"], at_words(flip["at"])
        first, then = (f"{axis}={flip[end]}, where {words}" for end, words in zip(("from", "to"), ends))
        lines.append((f"Flips{at} between {first}, and {then}.",))
    return lines


def not_run_lines(relation):
    reasons = [point["remark"] for point in relation.points if point["state"] == "not run"]
    counts = {reason: reasons.count(reason) for reason in reasons}
    return [(f"Not run: {r}" + (f" ({plural(n, 'point')})" if n > 1 else "") + ".",) for r, n in counts.items()]


def duration(seconds):
    """Rounded upwards."""
    count, unit = (math.ceil(seconds), "s") if seconds < 90 else (math.ceil(seconds / 60), "min")
    return (number(count), f" {unit}")


def verdict_parts(judgement):
    relation = judgement.deciding
    if relation.deciding is None:
        return ("",)
    point = relation.points[relation.deciding]
    if judgement.verdict == "not run":
        return (point["remark"],)
    limits = limits_of(relation.told)
    parts = (*(figure_of(relation, point) or ()), at_words(point["at"]))
    parts += (" (claimed: ", *limits, ")") if limits else ()
    if judgement.verdict == "inconclusive":
        launches, seconds = judgement.needed
        count = f"needs about {launches} launch{'' if launches == 1 else 'es'}, "
        hopeless = ("no number of launches is likely to decide it",)
        need = (count, *duration(seconds), f" (--launches {launches})") if launches else hopeless
        parts += (f"; {point['remark']}; ", *need)
    flips = [f"flips between {f['axis']}={f['from']} and {f['to']}{at_words(f['at'])}" for f in relation.flips]
    return (*parts, "".join(f"; {words}" for words in flips), *alternative(judgement))


def alternative(judgement):
    """What is faster than a side of a decided claim about steps, where it was measured beside it."""
    is_plain = lambda relation: relation.told["kind"] == "ratio" and relation.quantity == "step"
    decided = judgement.deciding
    if judgement.verdict not in ("confirmed", "refuted") or not is_plain(decided):
        return ()
    sides = [decided.b, decided.a]
    for side in sides:
        for other in judgement.relations:
            if other.decides or not is_plain(other) or other.b != side or other.a in sides:
                continue
            ratios = [point["ratio"] for point in other.points]
            if all(r and r.launches >= 3 and r.high * 1.01 < 1 for r in ratios):
                point = max(other.points, key=lambda point: point["ratio"].value)
                place = f" of {side_words(side)}{at_words(point['at'])}"
                return (f"; faster: {side_words(other.a)}, which takes ", *figure_of(other, point), place)
    return ()


def counts_line(judgements):
    verdicts = [judgement.verdict for judgement in judgements]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts)
    return (f"{plural(len(judgements), 'claim')}: {counts}",)


def has_figures(judgement):
    return any(map(was_run, judgement.relations))


def check_console(judgements, text):
    """Of lines that were not broken."""
    expected = []
    for judgement in filter(has_figures, judgements):
        claim = judgement.claim
        expected += [(f"{claim['id']}: {judgement.verdict}",), (f'  "{claim["sentence"]}"',)]
        expected.append((f"  from: {claim['source']}",))
        for relation in judgement.relations:
            expected.append(("  ", *relation_line(relation), relation.verdict))
            expected += table_of(relation)
            expected += [("  ", *line) for line in flip_lines(relation) + not_run_lines(relation)]
    expected.append(counts_line(judgements))
    expected += [[(j.claim["id"],), (j.verdict,), verdict_parts(j)] for j in judgements]
    return check_lines([line for line in text.split("\n") if line], [*expected, *LEGEND])


def check_markdown(judgements, text):
    titles = [[("claim",), ("sentence",), ("verdict",), ("figure",), ("source",)]]
    rows = [
        [(j.claim["id"],), (j.claim["sentence"],), (j.verdict,), verdict_parts(j), (j.claim["source"],)]
        for j in judgements
    ]
    expected = [("# Claims",), counts_line(judgements), *titles, *rows]
    for judgement in filter(has_figures, judgements):
        claim = judgement.claim
        expected += [(f"## {claim['id']}: {judgement.verdict}",), (f"{claim['sentence']} ({claim['source']})",)]
        for relation in judgement.relations:
            expected.append((*relation_line(relation), f"**{relation.verdict}**"))
            expected += table_of(relation)
            expected += [("- ", *line) for line in flip_lines(relation) + not_run_lines(relation)]
    lines = [line for line in text.split("\n") if line and not line.startswith("| ---")]
    lines = [markdown_row(line) if line.startswith("| ") else unescaped(line) for line in lines]
    return check_lines(lines, [*expected, *(("- ", *line) for line in LEGEND)])


def check_json(judgements, text):
    return mismatches(json.loads(text)["claims"], [judgement.document() for judgement in judgements])
