"""The figures that a report's cells and pairs of cells have, computed from the samples, with the names that they are
of, and what follows from them for a scenario."""

import functools

import estimates
import thread_tables
from break_even import is_asked, overtaking_of, ready
from expected_words import (NUMBER, Figure, bare_ratio, change, estimate, interval_in_unit_of, number, percent, ratio,
                            size, three_digits, time)
from records import signed
from report_figures import is_beside_others, pairs_of
from statements import count, known, overtaking_facts, quote, word
from value_tables import values_of
from values_checker import record_of

PHASES = ("data", "forward", "backward", "exchange", "update", "record", "other")
OUTCOMES = {"unreached": "unreached", "diverged": "diverged within", "cut": "cut for lack of time"}
SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def exactly(*values):
    """Of charts."""
    return (Figure("(?!)", None, float(value)) for value in values)


def pieces(*sizes):
    """Where parts that follow each other begin and end."""
    at = 0.0
    for part in sizes:
        yield from exactly(at, at + max(part, 0.0))
        at += max(part, 0.0)


# Title of a column -> how it shows a value of the CSV.
COLUMNS = {
    "time/step": (time, "step_ns"), "first step": (time, "first_step_ns"), "GFLOP/s": (number, "gflop_per_second"),
    **{name: (time, f"step_{name}_ns") for name in ("p50", "p95", "p99", "max")},
    "peak memory": (size, "peak_resident_bytes"), "after import": (size, "imported_resident_bytes"),
    "own memory": (size, "peak_anonymous_bytes"), "CPU/wall": (percent, "cpu_per_wall"),
    "import": (lambda seconds: time(1e9 * seconds), "import_seconds"), "data": (percent, "data_share"),
    "page faults": (number, "page_faults_per_step"), "allocations": (number, "allocations_per_step"),
    "steps": (count, "target_steps"), "with evaluations": (time, "time_to_target_with_evaluations_ns"),
}


def cell_figures(report, cell):
    """(title of the column that it stands in, figure); without a title it is one of a chart."""
    record, step = record_of(report, cell), cell.step
    yield from ((title, make(record[key])) for title, (make, key) in COLUMNS.items() if record[key] != "")
    yield from (("time per step, 95%", estimate(step)), ("95%", interval_in_unit_of(step)))
    yield from (("launches", count(step.launches)), ("launches", number(record["samples"] / step.launches)))
    yield "ready", time(ready(cell))
    if cell.time_to_target():
        yield "time to target", estimate(cell.time_to_target())
    charts = [*exactly(*step[:3], *map(min, cell.times.values()))]
    if comparison := report.to_baseline(cell):
        yield from zip(("ratio to baseline", "verdict"), compared(comparison))
        charts += exactly(*comparison.ratio[:3])
    elif is_beside_others(report, cell):
        yield "ratio to baseline", count(1)
    for scaling in filter(lambda scaling: scaling.cell is cell, thread_tables.scaling_of(report)):
        yield from (("speed-up, 95%", ratio(scaling.speed_up)), ("undivided", signed(scaling.undivided)))
        yield "efficiency", percent(scaling.efficiency.value)
        yield "verdict of speed-up, 95%", word(scaling.verdict)
    peak, own = (record[key] or 0 for key in ("peak_resident_bytes", "peak_anonymous_bytes"))
    charts += pieces(own, peak - own)
    if cell.profile:
        whole, records = cell.profile["profiled_step_ns"], [r for r in cell.profile["records"] if r.get("calls", 1) > 0]
        shares = [sum(r["time_ns"] for r in records if r["phase"] == name) / whole for name in PHASES]
        charts += (time(whole), *pieces(*shares, 1 - sum(shares)))
    yield from (("", figure) for figure in charts)
    yield from tax_figures(report, cell)


def tax_figures(report, cell):
    """Of what the strategy costs, over that of the baseline where its backend has another, else over that by hand."""
    strategy = report.run["baseline"].partition("+")[0].partition("/")[0]
    own, others = ({c.backend for c in report.everything if (c.strategy == strategy) == is_own} for is_own in (1, 0))
    strategy, place = strategy if own & others else "hand", lambda c: (c.scenario, c.threads, c.arm)
    base = next((c for c in report.cells if place(c) == place(cell) and not c.options
                 and c.implementation == f"{strategy}/{cell.backend}"), None)
    if base and base.is_timed and base.keeps_to_its_threads and cell.strategy != strategy:
        found, compared_to = estimates.paired_difference(pairs_of(base, cell)), report.compare(base, cell)
        yield from (("difference per step", signed(found)), ("change", change(compared_to.ratio)))
        yield "verdict of change", word(compared_to.verdict)
        yield from [("per call", time(found.value / cell.calls()))] if cell.calls() > 0 else ()


def compared(comparison):
    return ratio(comparison.ratio), word(comparison.verdict), change(comparison.ratio)


def pair_facts(report, base, cell, names, place=frozenset()):
    """Of two cells of a scenario, with why there is no verdict; one of the names is said, and where that is."""
    found, (_, unfit) = report.compare(base, cell), report.rules(base.scenario)
    if found.ratio.launches:
        yield known(ratio(found.ratio), names, *filter(None, [place]))
        yield known(bare_ratio(found.ratio.value), names | place)
    remark = estimates.judged(found, unfit=unfit).remark if found.verdict == "inconclusive" else ""
    for reason in filter(None, [remark, found.verdict == "faster" and "the comparisons contradict each other"]):
        yield known(quote(reason))


@functools.lru_cache(maxsize=None)
def standing_of(report, scenario):
    """Of all its ranked cells."""
    return report.standing([cell for cell in report.cells if cell.scenario == scenario and cell.is_ranked])


def standing_facts(report, standing, cells, forms, place=frozenset()):
    """Who wins among the cells, and by how much, or why nobody does. `forms`: what a cell is called."""
    first = standing.first
    if first is None:
        return
    for cell in cells:
        yield known(time(cell.step.value), subject=forms(cell))
        yield from pair_facts(report, first, cell, forms(first) | forms(cell), place) if cell is not first else ()
    if standing.won:
        yield known(word("wins"), subject=forms(first))
    if standing.undecidable:
        yield known(word("fastest"), subject=forms(first))
        words = "ahead|not confirmed" if standing.lead.is_clear else "Fastest"
        yield known(word(words), beside=forms(first) | place)
    if standing.tied:
        tied = {form for cell in (first, *standing.tied) for form in forms(cell)}
        is_one = len(standing.tied) == 1 and standing.lead.verdict == "equivalent"
        yield known(word("equivalent" if is_one else "no winner"), tied)


def target_facts(report, scenario, beside=()):
    """Of cells that reach the target first though their steps take longer."""
    ranked = [cell for cell in report.cells if cell.scenario == scenario and cell.is_ranked]
    for cell in filter(lambda cell: cell.time_to_target(), ranked):
        for other in (other for other in ranked if report.compare(other, cell).verdict == "slower"):
            later = other.time_to_target() and report.compare_to_target(other, cell)
            if (other.target and other.target["state"] != "reached") or (later and later.verdict == "faster"):
                yield known(word("reaches"), other.name, subject=cell.name, beside=beside)
                yield known(word("less time"), other.name, cell.name, beside=beside)
            yield from [known(ratio(later.ratio), other.name, cell.name, beside=beside)] if later else ()


def value_facts(report, value, place=()):
    """Of a value of a key beside the first one, at a place of the first screen."""
    own, first = (value.setting(report, cell) for cell in (value.cell, value.first))
    beside = {first, *place}
    yield from (known(figure, value.first.name, own, beside=beside) for figure in compared(value.comparison))
    yield from [known(bare_ratio(value.work), own, beside=beside)] if value.work else ()
    yield known(time(value.first.step.value), value.first.name, first)


def chosen_baseline(report, key):
    """Where the run's own has no time: the fastest, whom ratios are to."""
    bases = {cell for cell in report.baselines.values() if cell.scenario == key and is_beside_others(report, cell)}
    base = min((cell for cell in bases if cell.is_ranked), key=lambda cell: cell.step.value, default=None)
    return base if base and base.implementation != report.run["baseline"] else None


def untimed_facts(cells, beside=()):
    """The cells that have no time for the same reason are named together."""
    whys = {cell: "ok: not timed" if cell.state == "ok" else cell.state + (f": {cell.reason}" if cell.reason else "")
            for cell in cells if not cell.is_timed}
    for why in whys.values():
        names = {form for cell in whys if whys[cell] == why for form in (cell.name, cell.implementation)}
        yield known(quote(why), beside={*names, *beside})
        yield known(quote(why.partition(": ")[0] + ":"), names, beside=beside)
        yield from [known(quote(why.partition(": ")[2]))] if ": " in why else ()


def launch_facts(cell):
    """What sentences say of a cell's launches."""
    if any(cell.of_launches("traces")):
        imports = estimates.median([launch.get("import_seconds", 0.0) for launch in cell.record["launches"]])
        preparing = (cell.median_of("prepare_seconds") - imports) * 1e9
        yield time(preparing + cell.median_of("first_step_ns"))
    single, is_telling = cell.single_steps()
    yield from [percent(single["cost"])] if single and not is_telling else ()
    block = cell.record.get("block") or {}
    yield from [number(block["learning_rate"])] if block.get("reduced_learning_rate") else ()


def scenario_facts(report, key):
    """Of the part of a report about one scenario."""
    record = report.scenarios[key]
    cells = [cell for cell in report.cells if cell.scenario == key]
    timed = [cell for cell in cells if cell.is_timed]
    scaled = lambda text, work=record["operations_per_step"]: three_digits(
        work / SCALES[text.split(" ")[1].removesuffix("flop")], text.split(" ")[0])
    yield known(Figure(rf"{NUMBER} [kMGT]?flop", scaled, record["operations_per_step"]))
    singles = sum(of["steps"] for cell in timed for of in cell.of_launches("single_steps"))
    yield known(count(-(-record["rows"] // max(record["batch_rows"], 1)), singles))
    for cell in timed:
        yield from (known(figure, cell.name, columns=(title,) if title else ())
                    for title, figure in cell_figures(report, cell))
        yield from (known(figure, subject=cell.name) for figure in launch_facts(cell))
        for other in (c for c in timed if (c.threads, c.arm) == (cell.threads, cell.arm) and is_asked(report, cell, c)):
            yield from overtaking_facts(overtaking_of(report, cell, other), cell.name, other.name)
    for value in (value for value in values_of(report) if value.first.scenario == key):
        yield from value_facts(report, value)
    for name, target in ((cell.name, cell.target) for cell in cells if cell.target):
        yield from (known(number(target[key])) for key in ("target_loss", "initial_loss"))
        yield from (known(of, subject=name) for of in (number(target["loss"]), count(target["stopped_after"])))
        yield known(quote(OUTCOMES[target["state"]]) if target["state"] in OUTCOMES else word("reached"), subject=name)
    rate = record["resolved"].get("optimizer", {}).get("learning_rate", 0.0)
    yield from (known(figure) for figure in (percent(0.02), number(rate), word("longer")))
    standing = standing_of(report, key)
    yield from standing_facts(report, standing, standing.cells, lambda cell: {cell.name})
    yield from (*target_facts(report, key), *untimed_facts(cells))
    if base := chosen_baseline(report, key):
        yield known(word("ratios are to|fastest"), base.name, beside={report.run["baseline"]} - {""})
    for control, _, comparison in report.controls:
        if control.scenario == key:
            yield known(change(comparison.ratio), control.implementation)
            if comparison.verdict in ("faster", "slower"):
                yield known(word("unfit"), control.implementation)
