"""What the first screen and the summary of a report may say: figures and claims that follow from its samples, with the
names that they are of. Whole numbers are for the tests of the words, but for those of wins."""

import math
from collections import Counter

import thread_tables
from break_even import is_asked, overtaking_of
from estimates import Estimate
from expected_words import NUMBER, Figure, bare_ratio, estimate, number, percent, ratio, time
from explanation_documents import dispatch_cost, explain
from explanations import imports
from overview_rows import overview_of
from records import signed
from report_facts import (exactly, pair_facts, standing_facts, standing_of, target_facts, untimed_facts,
                          value_facts)
from report_figures import off_by
from statements import count, known, overtaking_facts, pair, quote, word
from value_tables import values_of

WHOLE = Figure(r"\d+(?: launch(?:es)?)?", lambda _: True, None)


def overview_facts(report, fits):
    overview = overview_of(report)
    yield from (known(quote(text)) for text in given(report))
    for row in overview.rows if overview.any_ranked else ():
        yield from row_facts(overview, row)
        yield from tie_facts(overview, row)
    yield from (*tally_facts(overview), *baseline_facts(overview), *thread_facts(overview))
    yield from (*grid_facts(report), *environment_facts(report), *cost_facts(fits))
    for cell in report.cells:
        yield from cell_facts(overview, cell)
    for key, scenario in report.scenarios.items():
        label = {scenario["label"]}
        yield from target_facts(report, key, label)
        yield from untimed_facts([cell for cell in report.cells if cell.scenario == key], label)
    places = {cell: overview.place(row) for row in overview.rows for cell in row.counting}
    for value in values_of(report):
        yield from value_facts(report, value, places.get(value.first, ()))
    yield from reason_facts(overview)
    yield from [known(percent(max(off_by(c) for *_, c in report.controls)))] if report.controls else ()


def given(report):
    """Texts that a report has as it was given them."""
    conditions = [c["found"] for c in report.document.get("conditions") or [] if c["severity"] == "warning"]
    builds = [part for cell in report.cells for part in cell.record["build"].split(", ")]
    return filter(None, {*conditions, *report.document["notes"], *builds})


def row_facts(overview, row):
    """Of who is first there, beside the baseline, too."""
    report, first = overview.report, row.standing.first
    yield from standing_facts(report, row.standing, row.counting, overview.forms, overview.place(row))
    base = row.standing.won and overview.to_run_baseline(first) and report.baseline_of(first)
    if base:
        yield from pair_facts(report, base, first, {overview.baseline})
        if is_asked(report, first, base):
            yield from overtaking_facts(overtaking_of(report, first, base), overview.forms(first),
                                        overview.forms(base), overview.place(row))


def reason_facts(overview):
    """Of the largest lead that is sure."""
    rows = [row for row in overview.rows if overview.any_ranked and row.standing.next]
    rows = [row for row in rows if row.standing.won or row.standing.lead.is_clear]
    row = max(rows, key=lambda row: row.standing.lead.ratio.value, default=None)
    first = row and row.standing.first
    for slow in {row.standing.next, *filter(imports, row.counting)} - {first} if row else ():
        names = overview.forms(first, slow) | overview.place(row)
        yield known(word("leads"), subject=overview.forms(first), beside=names)
        figures = [quote(f"{overview.name(first)} {round(first.calls())}")]
        if cost := dispatch_cost(slow):
            figures += [number(cost["dispatches"]), percent(cost["share"])]
        yield from (known(figure, beside=names) for figure in figures)
        profiles = explain(overview.report, first, slow)["profiles"]
        for phase in profiles["phases"][:1] if profiles else []:
            if phase["standing"] == "cause" and not phase["only_bounded"]:
                yield known(pair(time(phase["a_ns"]), time(phase["b_ns"])), beside=names)


def tie_facts(overview, row):
    kind = row.kinds.get(overview.key(row.standing.first)) if row.standing.won else None
    for standing, words in ((row.standing, "Tied|= tied.*"), (kind, "Tied|that wins")):
        if standing and standing.tied:
            names = [overview.name(cell) for cell in (standing.first, *standing.tied)]
            fits = lambda text, names=names: text.split(" = ") == names[: text.count(" = ") + 1]
            yield known(Figure(".+ = .+", fits, names), *filter(None, [overview.place(row)]))
            yield known(word(words))


def tally_facts(overview):
    """ "hand/naive 2", of rows that it wins, or where it is the fastest without a verdict."""
    rows = overview.rows if overview.any_ranked else []
    for is_clear in (True, False):
        yield from (known(quote(f"{name} {n}")) for name, n in Counter(
            overview.name(row.standing.first) for row in rows
            if row.standing.undecidable and row.standing.lead.is_clear == is_clear).items())
    for key, n in Counter(overview.key(row.standing.first) for row in rows if row.standing.won).items():
        firsts = [row.standing.first for row in rows if row.standing.won and overview.key(row.standing.first) == key]
        variants = {cell.variant for cell in firsts}
        (name,) = variants if len(variants) == 1 else {key}
        yield known(word(f"wins {n} of {len(rows)}"), subject=name)
        yield from (known(figure) for figure in (quote(f"{name} {n}"), word(r"\* wins|win")))


def baseline_facts(overview):
    name = overview.report.run["baseline"]
    if overview.baseline:
        yield known(word("ratios to"), overview.baseline)
    else:
        yield known(word("ratios are to the fastest"), beside={name} - {""})
    if not overview.any_ranked:
        yield known(word("no winner"))


def thread_facts(overview):
    places = {cell: overview.place(row) or {f"@{cell.threads}"} for row in overview.rows for cell in row.cells}
    for scaling in thread_tables.scaling_of(overview.report):
        cell = scaling.cell
        yield from [known(ratio(scaling.speed_up), cell.variant, places[cell])] if cell in places else ()
    for found in thread_tables.smallest_of(overview.report):
        yield known(signed(found.undivided), found.cell.name, overview.report.label(found.cell))


def cell_facts(overview, cell):
    """Of its use of processors and of its script; and where it has no time at all."""
    report, where = overview.report, [] if overview.turned else [overview.report.label(cell)]
    if overview.is_beyond(cell):
        used = Figure(NUMBER, lambda text: abs(float(text) - cell.processors) < 0.00501, cell.processors)
        yield from (known(figure, cell.name, *where) for figure in (used, time(cell.step.value)))
        firsts = [row.standing.first for row in overview.rows if row.scenario == cell.scenario and row.standing.first]
        if any(f.threads == cell.threads and report.compare(f, cell).verdict == "faster" for f in firsts):
            yield known(word("fastest"), cell.name, *where)
    if script := cell.script():
        yield from (known(figure, cell.id) for figure in (ratio(script[0]), number(script[1] or 0)))
    if not any(other.is_timed for other in report.cells if other.name == cell.name):
        yield known(word("Without a time"), cell.name)


def grid_facts(report):
    """Of the places in the grid of all implementations in all scenarios, and of the mean ratios to the fastest."""
    ratios, same = {}, Estimate(1.0, 1.0, 1.0, 1)
    for cell in report.cells:
        label, standing = report.label(cell), standing_of(report, cell.scenario)
        if not cell.is_timed:
            yield known(word(cell.state), cell.name, label)
            continue
        yield known(time(cell.step.value), cell.name, label)
        found = same if cell is standing.first else cell.is_ranked and report.compare(standing.first, cell).ratio
        if cell is standing.first or cell in standing.tied:
            yield known(word("wins" if standing.won else "= ties" if standing.tied else "fastest"), cell.name, label)
        elif found and found.launches:
            yield known(bare_ratio(found.value), cell.name, label)
        if standing.others and found and found.launches:
            ratios.setdefault(cell.name, []).append(found)
    for name, own in ratios.items():
        mean = math.exp(sum(math.log(r.value) for r in own) / len(own))
        ends = [end for r in own for end in r[:3]]
        yield from (known(figure, name) for figure in (*exactly(mean, *ends), bare_ratio(mean), count(len(own))))


def cost_facts(fits):
    """`fits`: of what size costs, as the report's JSON has them."""
    titles = {"a: per step": ("step_ns", 1), "b: per kernel call": ("call_ns", 1),
              "c: per Mflop": ("operation_ns", 1e6)}
    for fit in fits:
        name = f"{fit['implementation']} {fit['dtype']}" + (f" @{fit['threads']}" if fit["threads"] != 1 else "")
        name += f" #{fit['arm']}" if fit["arm"] != "new" else ""
        yield known(count(fit["scenarios"]), name, columns=("scenarios",))
        yield known(percent(fit["largest_relative_residual"]), name, columns=("worst miss",))
        for title, (key, scale) in titles.items():
            if told := fit.get(key):
                of = Estimate(told["value"], *told["interval"].values(), told["launches"]).scaled(scale)
                shown = (time(of.high), count(round(of.high))) if key in fit.get("at_bound", ()) else (estimate(of),)
                yield from (known(figure, name, columns=(title,)) for figure in shown)


def environment_facts(report):
    """Of a cell in one environment beside itself in another."""
    environment = lambda cell: cell.implementation.partition("@")[2]
    bare = lambda cell: cell.name.replace(f"@{environment(cell)}", "", 1)
    first = {}
    for cell in (cell for cell in report.cells if cell.is_timed and cell.arm == "new" and environment(cell)):
        base = first.setdefault((cell.scenario, bare(cell)), cell)
        if base is not cell:
            found, names = report.compare(base, cell), [environment(cell), environment(base)]
            yield from (known(ratio(found.ratio), *names, subject=bare(cell)), known(word(found.verdict), *names))
