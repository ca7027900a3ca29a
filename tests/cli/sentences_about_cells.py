"""Templates of the sentences that say what was measured, what failed and what was left out."""

import re

from overview_rows import cut
from printed_figures import RATIO, is_percent, is_ratio, is_time, three_digits
from report_figures import FAILURES, counted, off_by
from sentence_templates import cell_in, check_counts, counts_in, plural, require, template

LONGEST_REASON = 90
MOST_ROWS = 25  # of the first screen
STATES = "|".join((*FAILURES, "unsupported", "pending", "ok"))


def groups(cells):
    """Cells that share a state and a reason, or a state and an implementation: the largest group first."""
    found, places = [], {}
    for cell in cells:
        by_reason, by_name = (cell.state, "reason", cell.reason), (cell.state, "name", cell.implementation)
        place = places.get(by_reason, places.get(by_name))
        if place is None:
            place = places[by_reason] = len(found)
            found.append([])
        places.setdefault(by_name, place)
        found[place].append(cell)
    return sorted(found, key=len, reverse=True)


@template(
    rf"(?P<state>{'|'.join(FAILURES)}): (?P<names>.+?)(?: and (?P<more>\d+) more)?(?: on (?P<where>.+?))?: (?P<reason>.+)"
)
def failure(context, sentence, state, names, more, where, reason):
    report = context.report
    for group in groups([cell for cell in report.cells if cell.state in FAILURES]):
        expected = list(dict.fromkeys(cell.implementation for cell in group))
        labels = {report.label(cell) for cell in group}
        place = None if len(report.scenarios) < 2 else labels.pop() if len(labels) == 1 else f"{len(labels)} scenarios"
        if (state, names.split(", "), int(more or 0), where, reason) == (
            group[0].state,
            expected[:3],
            max(0, len(expected) - 3),
            place,
            cut(group[0].reason, LONGEST_REASON),
        ):
            return
    require(False, "no cells failed so")


@template(r"and (?P<count>\d+) more failed cells?: (?P<states>.+)\.")
def more_failures(context, sentence, count, states):
    rest = [cell for group in groups([c for c in context.report.cells if c.state in FAILURES])[3:] for cell in group]
    require(int(count) == len(rest), f"{len(rest)} failed")
    check_counts(states, [cell.state for cell in rest])


@template(
    r"Not ranked: (?P<name>.+?)(?: on (?P<label>.+?))?: used (?P<used>[\d.]+) processors, has (?P<threads>\d+) threads?; "
    r"its (?P<time><TIME>) (?P<standing>would have been the fastest|took no part)"
    r"(?:; the same in (?P<more>\d+) more cells?)?\."
)
def not_ranked(context, sentence, name, label, used, threads, time, standing, more):
    report = context.report
    beyond = [cell for cell in report.cells if cell.is_timed and not cell.keeps_to_its_threads]
    cell = cell_in([c for c in beyond if label in (None, report.label(c))], name)
    require(abs(float(used) - cell.processors) < 0.00501 and int(threads) == cell.threads, "it used others")
    require(is_time(time, cell.step.value), f"it takes {cell.step.value} ns")
    would_win = lambda other: any(
        row.scenario == other.scenario
        and row.standing.first
        and row.standing.first.threads == other.threads
        and report.compare(row.standing.first, other).verdict == "faster"
        for row in context.overview.rows
    )
    require((standing == "would have been the fastest") == would_win(cell), "it would not, or it would")
    alike = [c for c in beyond if c.implementation == cell.implementation and would_win(c) == would_win(cell)]
    require(int(more or 0) == len(alike) - 1, f"there are {len(alike) - 1} more")


@template(r"and (?P<count>\d+) more cells? without a rank\.")
def more_without_rank(context, sentence, count):
    require(
        int(count) < sum(not cell.keeps_to_its_threads for cell in context.report.cells if cell.is_timed),
        "there are fewer",
    )


@template(
    r"(?:(?P<timed>\d+) of )?(?P<all>\d+) cells? timed(?:, (?P<kinds>\d+) of them never ranked \(policies, or no "
    r"arithmetic\))?(?:, (?P<pending>\d+) not reached)?\.(?: (?P<unsupported>\d+) unsupported: (?P<reasons>.+?)\.)?"
    r"(?: Controls differ from themselves by at most (?P<off>\S+%)\.)?"
)
def counts(context, sentence, timed, all, kinds, pending, unsupported, reasons, off):
    cells = context.report.cells
    count = lambda condition: sum(1 for cell in cells if condition(cell))
    require(int(all) == len(cells) and int(timed or all) == count(lambda c: c.is_timed), "others were timed")
    require(int(kinds or 0) == count(lambda c: c.is_timed and not c.record["ranked"]), "others are never ranked")
    require(int(pending or 0) == count(lambda c: c.state == "pending"), "others were not reached")
    lacking = [cell for cell in cells if cell.state == "unsupported"]
    require(int(unsupported or 0) == len(lacking), f"{len(lacking)} are unsupported")
    if lacking:
        check_reasons(reasons, groups(lacking))
    differences = [off_by(c) for _, _, c in context.report.controls]
    require(
        bool(off) == bool(differences) and (not off or is_percent(off, max(differences))), "controls differ otherwise"
    )


def check_reasons(text, found):
    shown = [
        cut(group[0].reason, LONGEST_REASON) + (f" ({len(group)})" if len(found) > 1 else "") for group in found[:2]
    ]
    rest = f" and {plural(len(found) - 2, 'other reason')}" if len(found) > 2 else ""
    require(text == ", ".join(shown) + rest, f"{text}: expected {shown}")


@template(r"(?P<all>\d+) cells?(?:: (?P<states>.+))?")
def states(context, sentence, all, states):
    cells = context.report.cells
    require(int(all) == len(cells), f"there are {len(cells)}")
    expected = {state: n for state, n in counted([cell.state for cell in cells])}
    told = {part.partition(" ")[2]: int(part.partition(" ")[0]) for part in (states or "").split(", ") if part}
    require(told == expected, f"expected {expected}")


def warnings_of(report):
    return [
        f"{c['name']}: {c['found']}; {c['effect']} (gdbench doctor)"
        for c in report.document.get("conditions") or []
        if c["severity"] == "warning"
    ]


@template(r"warning: (?P<text>.+)")
def warning(context, sentence, text):
    require(text in warnings_of(context.report), "there is no such warning")


@template(r"and (?P<count>\d+) more warnings? \(gdbench doctor\)\.")
def more_warnings(context, sentence, count):
    require(int(count) == len(warnings_of(context.report)) - 2, "there are others")


def in_a_script(context, text):
    """Whether a note says of a framework's cell, as far as it goes, what a script's steps take."""
    match = re.match(rf"in a script (\S+) takes ({RATIO})", text)
    cell = match and next((cell for cell in context.report.cells if cell.id == match[1]), None)
    ratio, page_faults = (cell and cell.script()) or (None, None)
    if not ratio or not is_ratio(match[2], ratio):
        return False
    found = re.search(r"with (\S+) page faults a step", text)
    return not found or three_digits(page_faults, found[1])


@template(r"note: (?P<text>.+?)(?:; and (?P<more>\d+) more notes?\.)?")
def note(context, sentence, text, more):
    notes, scripts = context.report.document["notes"], sum(cell.script() is not None for cell in context.report.cells)
    known = text in [cut(note, 2 * LONGEST_REASON) for note in notes] + notes
    require(known or in_a_script(context, text), "there is no such note")
    require(more is None or int(more) == scripts + len(notes) - 1, "there are others")


def why_untimed(cell):
    return "ok: not timed" if cell.state == "ok" else cell.state + (f": {cell.reason}" if cell.reason else "")


@template(rf"(?:(?P<names>\S.*?) +)?(?P<state>{STATES})(?:: (?P<reason>.+))?")
def untimed(context, sentence, names, state, reason):
    cells = [c for c in context.cells_of(sentence.scenario) if not c.is_timed and c.state == state]
    if names is not None:
        require(
            why_untimed(cell_in(cells, names)) == state + (f": {reason}" if reason else ""), "its reason is another"
        )
        return
    told = [f"{why_untimed(c)}: " + ", ".join(other.name for other in cells if other.reason == c.reason) for c in cells]
    require(sentence.text in told, "other cells have no time for it")


@template(r"Fastest of their kind: (?P<kinds>.+)\.")
def kinds(context, sentence, kinds):
    for part in kinds.split("; "):
        kind, _, text = part.partition("/")
        columns = [key for key in context.overview.keys if key.partition("/")[0] == kind]
        require(any(is_counted(context, key, text) for key in columns), f"{part}: no column {kind} has these")


@template(r"and (?P<count>\d+) more rows?")
def hidden_implementations(context, sentence, count):
    require(context.overview.turned and int(count) == len(context.overview.keys) - MOST_ROWS, "there are others")


def is_counted(context, key, text):
    """Whether these are the modes of a column's entries with their counts."""
    cells = [row.entries.get(key) for row in context.overview.rows]
    expected = counted([cell.mode for cell in cells if cell is not None and cell.is_timed])
    entries, more = counts_in(text)
    told = [(name, int(count or expected[0][1])) for name, count in entries] if expected else []
    return len(expected) == len(entries) + more and told == expected[: len(entries)] != []


@template(
    r"Left out of a table for lack of width: .+\.|More: gdbench report .+|What the columns mean: .+|"
    r"what the strategy costs, beside \S+ on the same backend:?|what more threads bring, beside the same with one:|"
    r"what more threads cost each step at most, by the shortest step of each:|not timed|\S+ columns?|"
    r"\* within one process: a single launch, so the interval says nothing about other launches|"
    r"(?i:not ranked) \(policies, no arithmetic, or more processors than threads\):|"
    r"time = a \+ b x kernel calls \+ c x operations.*"
)
def without_figures(context, sentence):
    """Nothing in these depends on the samples."""


def build_text(cell):
    runtime = cell.record.get("runtime", {})
    return "; ".join([*filter(None, [cell.record["build"]]), *(f"{key} {runtime[key]}" for key in sorted(runtime))])


@template(r"Build of (?P<names>[^:]+): (?P<build>.+)\.")
def build_of_rows(context, sentence, names, build):
    rows = [cell for cell in context.report.cells if cell.is_timed and build_text(cell) == build]
    require(names.split(", ") == list(dict.fromkeys(cell.implementation for cell in rows)), "it is of other rows")


@template(r"\S+ \d\S*(?:, \S+ \d\S*)*")
def versions(context, sentence):
    named = {part for cell in context.report.cells if cell.is_timed for part in cell.record["build"].split(", ")}
    require(set(sentence.text.split(", ")) <= named, "no row's build says so")
