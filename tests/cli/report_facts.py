"""The figures of a report's cells that its tables and charts may have, computed from the samples, with the names that
they are of."""

import functools
import math

import cost_fits
import estimates
import printed_figures
import thread_tables
from estimates import median
from expected_words import Figure, estimate, interval_in_unit_of, number, percent, ratio, time
from printed_figures import BYTES, INTERVAL, NUMBER, PERCENT, TIME, is_bytes, is_change
from records import signed
from report_figures import is_beside_others, pairs_of
from statements import count, known, quote, word
from value_tables import values_of

MEMORY = ("peak_resident_bytes", "imported_resident_bytes", "peak_anonymous_bytes")
PHASES = ("data", "forward", "backward", "exchange", "update", "record", "other")


def why_untimed(cell):
    return "ok: not timed" if cell.state == "ok" else cell.state + (f": {cell.reason}" if cell.reason else "")


def size(count):
    return Figure(rf"{NUMBER} (?:{'|'.join(BYTES)})", lambda text: is_bytes(text, count), count)


def change(of):
    return Figure(f"{PERCENT} {INTERVAL}", lambda text: is_change(text, of), of)


def bare_ratio(value):
    of = estimates.Estimate(value, value, value, 1)
    return Figure(f"{NUMBER}x", lambda text: printed_figures.is_ratio(text, of), value)


def exactly(*values):
    """Of charts."""
    return (Figure("(?!)", None, float(value)) for value in values)


def pieces(*sizes):
    """Where parts that follow each other begin and end."""
    at = 0.0
    for part in sizes:
        yield from exactly(at, at + max(part, 0.0))
        at += max(part, 0.0)


def compared(comparison):
    yield from (ratio(comparison.ratio), word(comparison.verdict), change(comparison.ratio))


@functools.lru_cache(maxsize=None)
def standing_of(report, scenario):
    """Of all its ranked cells."""
    return report.standing([cell for cell in report.cells if cell.scenario == scenario and cell.is_timed
                            and cell.is_ranked])


def strategy_of_tax(report):
    """Whose derivatives strategies stand with: the baseline's, where its backend has another; else by hand."""
    baseline = report.run["baseline"].partition("+")[0].partition("/")[0]
    own, others = set(), set()
    for cell in report.everything:
        (own if cell.strategy == baseline else others).add(cell.backend)
    return baseline if own & others else "hand"


def tax_figures(report, cell):
    strategy, place = strategy_of_tax(report), lambda c: (c.scenario, c.threads, c.arm)
    for base in report.cells:
        if place(base) == place(cell) and base.implementation == f"{strategy}/{cell.backend}" and not base.options:
            if base.is_timed and base.keeps_to_its_threads and cell.strategy != strategy:
                found, compared_to = estimates.paired_difference(pairs_of(base, cell)), report.compare(base, cell)
                yield "difference per step", signed(found)
                yield "verdict", word(compared_to.verdict)
                yield "change", change(compared_to.ratio)
                yield from [("per call", time(found.value / cell.calls()))] if cell.calls() > 0 else ()
            return


def step_figures(report, cell):
    step, operations = cell.step, report.scenarios[cell.scenario]["operations_per_step"]
    yield from (("time per step, 95%", estimate(step)), ("time/step", time(step.value)))
    yield from (("95%", interval_in_unit_of(step)), ("launches", count(step.launches)))
    yield from (("", figure) for figure in exactly(*step[:3], *map(min, cell.times.values())))
    yield "launches", number(sum(map(len, cell.times.values())) / step.launches)
    yield from [("GFLOP/s", number(operations / step.value))] if cell.is_ranked else ()
    if comparison := report.to_baseline(cell):
        yield from zip(("ratio to baseline", "verdict", ""), compared(comparison))
        yield from (("", figure) for figure in exactly(*comparison.ratio[:3]))
    elif is_beside_others(report, cell):
        yield "ratio to baseline", count(1)
    yield from tax_figures(report, cell)
    for scaling in filter(lambda scaling: scaling.cell is cell, thread_tables.scaling_of(report)):
        yield from (("speed-up, 95%", ratio(scaling.speed_up)), ("undivided", signed(scaling.undivided)))
        yield from (("efficiency", percent(scaling.efficiency.value)), ("verdict", word(scaling.verdict)))
    if cell.time_to_target():
        seconds, steps = cell.target.get("evaluation_seconds"), cell.target["stopped_after"]
        yield from (("steps", count(cell.target["steps"])), ("time to target", estimate(cell.time_to_target())))
        yield from [] if seconds is None else [("with evaluations", time(cell.time_for(steps, seconds * 1e9).value))]


def launch_figures(cell):
    launches, largest = cell.record["launches"], {}
    for title, key in zip(("peak memory", "after import", "own memory"), MEMORY):
        largest[key] = max((launch[key] for launch in launches if key in launch), default=0)
        yield title, size(largest[key])
    peak, _, own = largest.values()
    yield from (("", figure) for figure in pieces(own, peak - own))
    yield "first step", time(cell.median_of("first_step_ns"))
    yield "ready", time(median([ready for ready, _ in cell.launch_costs().values()]))
    yield "CPU/wall", percent(cell.processors)
    if any("import_seconds" in launch for launch in launches):
        yield "import", time(cell.median_of("import_seconds") * 1e9)
    single, is_telling = cell.single_steps()
    for title in ("p50", "p95", "p99", "max") if is_telling else ():
        yield title, time(single[f"{title}_ns"])
    yield from [("page faults", number(cell.page_faults))] if cell.page_faults else ()


def profile_figures(cell):
    if profile := cell.profile:
        step, records = profile["profiled_step_ns"], [r for r in profile["records"] if r.get("calls", 1) > 0]
        shares = [sum(r["time_ns"] for r in records if r["phase"] == name) / step for name in PHASES]
        yield from (("data", percent(shares[0])), ("", time(step)))
        yield "allocations", number(profile.get("allocations_per_step") or 0)
        yield from (("", figure) for figure in pieces(*shares, 1 - sum(shares)))


def cell_facts(report, cell):
    """Each in its column; those without one are of charts."""
    for column, figure in (*step_figures(report, cell), *launch_figures(cell), *profile_figures(cell)):
        yield known(figure, cell.name, columns=(column,) if column else ())


def values_facts(report, cell):
    """With the first value of a key and with others."""
    for value in (value for value in values_of(report) if value.first is cell):
        setting = value.setting(report, value.cell)
        yield from (known(figure, cell.name, setting) for figure in compared(value.comparison))
        yield from [known(bare_ratio(value.work), setting)] if value.work else ()
        yield known(time(cell.step.value), cell.name, value.setting(report, cell))


def grid_facts(report, cell, label):
    """Of a place in the grid of all implementations in all scenarios."""
    if not cell.is_timed:
        yield known(word(cell.state), cell.name, label)
        return
    standing = standing_of(report, cell.scenario)
    yield known(time(cell.step.value), cell.name, label)
    if cell is standing.first:
        yield known(word("wins" if standing.won else "ties" if standing.tied else "fastest"), cell.name, label)
    elif cell in standing.tied:
        yield known(word("ties"), cell.name, label)
    elif cell.is_ranked and (found := report.compare(standing.first, cell).ratio).launches:
        yield known(bare_ratio(found.value), cell.name, label)


def relative_facts(report):
    """Ratios to the fastest of each scenario, and their means."""
    ratios = {}
    for scenario in dict.fromkeys(cell.scenario for cell in report.cells):
        standing = standing_of(report, scenario)
        for cell in standing.cells if len(standing.cells) > 1 else ():
            same = estimates.Estimate(1.0, 1.0, 1.0, 1)
            found = same if cell is standing.first else report.compare(standing.first, cell).ratio
            ratios.setdefault(cell.name, []).extend([found] * bool(found.launches))
    for name, own in ratios.items():
        mean = math.exp(sum(math.log(r.value) for r in own) / max(len(own), 1))
        ends = [end for r in own for end in r[:3]]
        yield from (known(figure, name) for figure in (*exactly(mean, *ends), bare_ratio(mean), count(len(own))))


def cost_facts(report):
    for name, fit in cost_fits.fits_of(report).items():
        yield known(count(fit.scenarios), name, columns=("scenarios",))
        yield known(percent(fit.worst_miss), name, columns=("worst miss",))
        for title, (of, at_bound) in fit.coefficients.items():
            shown = Figure(rf"{TIME}", time(of.high).fits, of.high) if at_bound else estimate(of)
            yield known(shown, name, columns=(title,))
            yield from [known(count(0), name, columns=(title,))] if at_bound and of.high == 0 else ()
    for found in thread_tables.smallest_of(report):
        yield known(signed(found.undivided), found.cell.name, report.label(found.cell))


def untimed_facts(report, cells):
    """The cells that have no time for the same reason are named together."""
    untimed = [cell for cell in cells if not cell.is_timed]
    for why in {why_untimed(cell) for cell in untimed}:
        yield known(quote(why), *(cell.name for cell in untimed if why_untimed(cell) == why))
    for name in {cell.name for cell in untimed} - {cell.name for cell in report.cells if cell.is_timed}:
        yield known(word("Without a time"), name)
