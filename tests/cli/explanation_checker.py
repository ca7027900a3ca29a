"""Proves what `gdbench explain` says of a report, from what its samples say."""

import json
import math
import re

from expected_words import check_lines, estimate, number, percent, ratio, time
from explanation_documents import explain
from explanations import WHOLE
from profile_words import largest_ops_lines, phase_lines
from values_checker import SAME, mismatches

SMALL_REST = 0.005


class Names:
    """What the two cells are called: ids without what the heading has."""

    def __init__(self, told):
        self.told = told
        self.a, self.b = self.short(told["a"], told["scenario"]), self.short(told["b"], told["b_scenario"])
        self.heading = told["scenario"]
        if told["differing"]:
            labels = (told["scenario"], told["b_scenario"])
            own, others = own_overrides(*labels), own_overrides(*reversed(labels))
            self.heading = labels[0].partition("[")[0] + (f"/{self.a}" if self.a == self.b else "")
            same = self.a == self.b
            self.a, self.b = (own, others) if same else (f"{own}/{self.a}", f"{others}/{self.b}")
        self.both = f" [{self.a}, {self.b}]"

    @staticmethod
    def short(cell, label):
        return cell.removeprefix(label + "/")

    def of(self, cell):
        named = {self.told["a"]: self.a, self.told["b"]: self.b}
        return named.get(cell) or self.short(cell, self.told["scenario"])


def overrides(label):
    return re.findall(r"[^,\]]+", label.partition("[")[2])


def own_overrides(label, other):
    return ",".join(entry for entry in overrides(label) if entry not in overrides(other)) or label


def difference_words(difference):
    """ "12 ns [11, 13] more"; what is less has its signs turned over."""
    less = difference.value < 0
    turned = difference._replace(value=-difference.value, low=-difference.high, high=-difference.low)
    return estimate(turned if less else difference), " less" if less else " more"


def launches(count):
    return f"{count} launch" + ("" if count == 1 else "es")


def verdict_line(told, names):
    found, pairing = (
        told["whole"]["comparison"],
        "paired by round" if told["paired"] else "not measured side by side",
    )
    steps = (names.a, " ", time(told["a_step_ns"].value), ", ", names.b, " ", time(told["b_step_ns"].value))
    rests = (" [", *steps, f"; {launches(found.ratio.launches)}, {pairing}]")
    takes = (" takes ", ratio(found.ratio), f" the time of {names.b}")
    if found.is_told:
        difference = difference_words(told["whole"]["difference_ns"])
        return (f"  {names.a} is {found.verdict}: it", *takes, ", ", *difference, " per step.", *rests)
    if found.verdict == "equivalent":
        return (f"  No difference: {names.a}", *takes, ", all of the interval within the margin.", *rests)
    if found.ratio.launches == 0:
        return (f"  Not compared: {found.remark}.{names.both}",)
    if found.is_clear:
        return (f"  {names.a}", *takes, f", clear but not confirmed: {found.remark}.", *rests)
    return (f"  No difference can be told: {names.a}", *takes, f"; {found.remark}.", *rests)


def differing_line(told, names):
    bare = lambda text: text[1:-1] if len(text) > 1 and text.startswith('"') else text
    shared = [key for key in told["differing"] if key["a"] and key["b"]]
    both = ", ".join(f"{key['key']} ({bare(key['a'])} instead of {bare(key['b'])})" for key in shared)
    text = f"  The scenarios differ in {both or 'what only one of them has'}"
    for side, other, name in (("a", "b", names.a), ("b", "a", names.b)):
        alone = [f"{key['key']}={bare(key[side])}" for key in told["differing"] if not key[other]]
        text += f"; {name} alone has {', '.join(alone)}" if alone else ""
    return (f"{text}; all else is the same. [{told['scenario']}, {told['b_scenario']}]",)


def run_words(run, step):
    if run["state"] != "reached":
        return (f"not within {run['stopped_after']} steps ({run['state']})",)
    return (f"{run['steps']} steps, ", time(run["steps"] * step.value))


def target_line(told, names):
    target = told["target"]
    runs = [run_words(target[side], told[f"{side}_step_ns"]) for side in ("a", "b")]
    losses = [target[side]["target_loss"] for side in ("a", "b")]
    text = ("  From being ready to a loss of ", number(losses[0]), f": {names.a} ", *runs[0], f"; {names.b} ", *runs[1])
    text += (" to its own of ", number(losses[1])) if losses[0] != losses[1] else ()
    if not target["time"]:
        return (*text, f".{names.both}")
    found = target["time"]["comparison"]
    text += (f". {names.a}" + (f" is {found.verdict} there: it" if found.is_told else ""), " takes ")
    text += (ratio(found.ratio), f" the time of {names.b}")
    text += (", ", *difference_words(target["time"]["difference_ns"])) if found.is_told else ()
    text += (": no difference",) if found.verdict == "equivalent" else ()
    remark = f"; {found.remark}" if found.remark else ""
    return (*text, f"{remark}. [steps x time of a step; another learning rate may change the steps]")


def part_line(told, names, part):
    difference = part["difference"]
    found, whole = difference["comparison"], told["whole"]["difference_ns"].value
    if found.is_told:
        share = difference["difference_ns"].value / whole
        of_whole = (percent(share), " of the difference, ") if abs(share) <= 1 else ()
        words = (*of_whole, *difference_words(difference["difference_ns"]))
    elif found.verdict == "equivalent":
        words = ("no difference, ", ratio(found.ratio))
    else:
        words = (f"not told, {found.remark}",)
    values = f"{part['value'] or 'none'} instead of {part['base_value'] or 'none'}"
    cells = f"{names.of(difference['cell'])} - {names.of(difference['base'])}"
    return (f"    {part['axis']} ({values}): ", *words, f". [{cells}]")


def axes_lines(told, names):
    lines = []
    for path in told["paths"]:
        parts, first = path["parts"], path["parts"][0]
        if len(parts) == 1:
            values = f"{first['value'] or 'none'} instead of {first['base_value'] or 'none'}"
            return [(f"  They differ in the {first['axis']} alone: {values}.{names.both}",)]
        over_a_row = "  No profile divides it; a row between the two does:"
        lines.append((over_a_row if first["axis"] == WHOLE else "  One axis after the other:",))
        lines += [part_line(told, names, part) for part in parts]
        if abs(path["rest_ns"]) >= SMALL_REST * abs(told["whole"]["difference_ns"].value):
            rest, why = time(abs(path["rest_ns"])), ", as medians do not add up exactly."
            lines.append(("    The parts miss the whole by ", rest, f"{why} [{names.a} - {names.b}]"))
    return lines


def overtaking_words(point):
    steps = lambda value: number(math.ceil(value))
    low, high = point["interval"]["low"], point["interval"]["high"]
    return {
        "from the start": lambda: (" is ahead from the first step on.",),
        "after": lambda: (
            *(" is ahead after ", steps(point["steps"])),
            *(" steps (95%: ", steps(low), " to ", steps(high), ")."),
        ),
        "never": lambda: (" never gets ahead.",),
        "at latest": lambda: (" is ahead after at most ", steps(high), " steps; which is ready sooner is not told."),
        "at earliest": lambda: (
            *(" is ahead after at least ", steps(low)),
            " steps: its gain per step may be next to nothing.",
        ),
        "undecided": lambda: (" is ahead is not told by these launches.",),
    }[point["overtaking"]]()


def start_lines(told, names):
    start, point = told["start"], told["start"]["break_even"]
    beside = lambda what, key: (what, time(start[key]["a"]), " beside ", time(start[key]["b"]))
    costs = (*beside("    load ", "load_ns"), *beside(", prepare ", "prepare_ns"))
    lines = [("  Before the steady steps:",), (*costs, *beside(", first step ", "first_step_ns"), f".{names.both}")]
    for side, name in (("a", names.a), ("b", names.b)):
        own = (start["import_ns"] or {}).get(side)
        spends = (f"    Of preparing, {name} spends ", time(own or 0), f" on loading its framework. [{name}]")
        lines += [spends] if own is not None else []
    cell, undecided = names.of(point["cell"]), point["overtaking"] == "undecided"
    rests = f" [{cell}, {names.of(point['other'])}; {launches(point['launches'])}]"
    lines.append(("    From how many steps on " if undecided else "    ", cell, *overtaking_words(point), rests))
    return lines


def advice_lines(told, names):
    advice = told["advice"]
    if not advice:
        return []
    cell, other = names.of(advice["cell"]), names.b if advice["cell"] == told["a"] else names.a
    subject = "what no phase claims" if advice["subject"] == "unattributed" else advice["subject"]
    axis = f"the {advice['subject']} {advice['value'] or 'none'}"
    change = axis if advice["remedy"] == "axis" else f"{subject} as in {other}"
    saves = (time(advice["saving_ns"]), ", ", percent(advice["share"]))
    return [
        (f"  What would help {cell} most: {change}, which saves about ", *saves, f" of its step. [{cell}, {other}]")
    ]


def script_lines(told, names):
    lines = []
    for script, cell in ((told["a_script"], names.a), (told["b_script"], names.b)):
        if not script:
            continue
        faults = script["page_faults"] or 0
        helps = ", which lets the garbage collector run: gc.freeze() before the loop, gc.disable() within it."
        if faults >= 1:
            frees = " page faults a step: it gives freed memory back; "
            helps = (", with ", number(faults), f"{frees}bytearray(30 << 20) at its start keeps it.")
        takes = (f"  In a script {cell} takes ", ratio(script["ratio"]), " as long")
        lines.append((*takes, *(helps if faults >= 1 else (helps,)), f" [{cell}]"))
    return lines


def missing_lines(told, names):
    lines = []
    for entry in told["missing"]:
        cell, measures = names.of(entry["cell"]), "; this measures it:" if entry["command"] else "."
        words = {
            "launches": "More launches, of these two alone, may tell" + measures,
            "profile": f"The report has no profile of {cell}{measures}",
            "no profile": f"{cell} offers no profile: its step cannot be divided.",
            "one piece": f"{cell} does its step in one piece, which no profile divides"
            + ("; this tells what its parts are worth:" if entry["command"] else "."),
            "clock": f"Reading the clock takes more than half of the difference in the profile of {cell}: its phases "
            "are too short to be timed one by one, however often.",
            "repeats": "No phase stands out from what these profiles are off by; profiles of more processes narrow "
            "that:",
        }
        lines += [(f"  {words[entry['lack']]}",)] + ([(f"    {entry['command']}",)] if entry["command"] else [])
    return lines


def expected_lines(told):
    names = Names(told)
    lines = [(f"{names.heading}: {names.a} beside {names.b}",), verdict_line(told, names)]
    lines += [differing_line(told, names)] if told["differing"] else []
    lines += [target_line(told, names)] if told["target"] else []
    lines += phase_lines(told, names)
    lines += largest_ops_lines(told, names)
    lines += axes_lines(told, names)
    lines += start_lines(told, names) if told["start"] else []
    return lines + advice_lines(told, names) + script_lines(told, names) + missing_lines(told, names)


def check_explanations(report, pairs, text):
    """Of the console's text, whose lines were not broken."""
    expected = [line for pair in pairs for line in expected_lines(explain(report, *pair))]
    return check_lines([line for line in text.split("\n") if line], expected)


def check_json(report, pairs, text):
    document, expected = json.loads(text), [explain(report, *pair) for pair in pairs]
    slack = SAME * max(max(told["a_step_ns"].value, told["b_step_ns"].value) for told in expected)
    return mismatches(document["explanations"], expected, slack=slack)
