"""What the tables of a report must hold: for each column, by its title, the words and figures of a cell's row."""

import estimates
import thread_tables
from estimates import median
from expected_words import Figure, estimate, first_mismatch, interval_in_unit_of, number, percent, ratio, time
from printed_figures import BYTES, INTERVAL, NUMBER, PERCENT, is_bytes, is_change
from report_figures import is_beside_others, pairs_of


def marked(figure, of):
    """With the mark of an estimate that rests on a single launch."""
    return (figure, " *" if of.launches == 1 else "")


def optional(value, figure):
    return None if value is None else (figure(value),)


def size(count):
    return Figure(rf"{NUMBER} (?:{'|'.join(BYTES)})", lambda text: is_bytes(text, count), count)


def signed(of):
    return Figure(rf"[+-]{estimate(of).pattern}", estimate(of).fits, of)


def change(of):
    return Figure(f"{PERCENT} {INTERVAL}", lambda text: is_change(text, of), of)


def has_import(cell):
    return any("import_seconds" in launch for launch in cell.record["launches"])


def largest(key):
    values = lambda cell: [launch[key] for launch in cell.record["launches"] if key in launch]
    return lambda context, cell: optional(max(values(cell), default=None), size)


def ratio_to_baseline(context, cell):
    comparison = context.report.to_baseline(cell)
    return (ratio(comparison.ratio),) if comparison else ("1",) if is_beside_others(context.report, cell) else None


def verdict(context, cell):
    comparison = context.report.to_baseline(cell)
    return (comparison.verdict,) if comparison else ("baseline",) if is_beside_others(context.report, cell) else None


def rate(context, cell):
    operations = context.report.scenarios[cell.scenario]["operations_per_step"]
    return (number(operations / cell.step.value),) if cell.is_ranked else None


def launches(context, cell):
    blocks = sum(len(times) for times in cell.times.values())
    return (f"{cell.step.launches} x ", number(blocks / cell.step.launches))


def page_faults(context, cell):
    few = cell.page_faults is None or cell.page_faults < 0.05
    return None if few else (number(cell.page_faults),)


def data(context, cell):
    if not cell.profile:
        return None
    time_ns = sum(r["time_ns"] for r in cell.profile["records"] if r["phase"] == "data")
    share = time_ns / cell.profile["profiled_step_ns"]
    return (percent(share),) if share >= 0.005 and time_ns >= 100 else None


def ceiling(context, cell):
    found = cell.record.get("summary", {}).get("ceiling")  # its floor is taken as the report has it
    return found and (percent(found["floor_ns"] / cell.step.value), Figure(".*", lambda text: True, "what limits it"))


ROWS = {
    "implementation": lambda context, cell: (cell.name,),
    "time/step": lambda context, cell: marked(time(cell.step.value), cell.step),
    "95%": lambda context, cell: (interval_in_unit_of(cell.step),),
    "ratio to baseline": ratio_to_baseline,
    "verdict": verdict,
    "GFLOP/s": rate,
    "of ceiling": ceiling,
    "data": data,
    "CPU/wall": lambda context, cell: (percent(cell.processors),) if has_import(cell) else None,
    "page faults": page_faults,
    "import": lambda context, cell: (time(cell.median_of("import_seconds") * 1e9),) if has_import(cell) else None,
    "first step": lambda context, cell: (time(cell.median_of("first_step_ns")),),
    "launches": launches,
    "peak memory": largest("peak_resident_bytes"),
    "after import": largest("imported_resident_bytes"),
    "own memory": largest("peak_anonymous_bytes"),
    "allocations": lambda context, cell: optional((cell.profile or {}).get("allocations_per_step"), number),
}


def strategy_beside(report):
    """Whose derivatives strategies stand beside: the baseline's, where its backend has another; else by hand."""
    baseline = report.run["baseline"].partition("+")[0].partition("/")[0]
    own, others = set(), set()
    for cell in report.everything:
        (own if cell.strategy == baseline else others).add(cell.backend)
    return baseline if own & others else "hand"


def base_of_tax(context, cell):
    strategy = strategy_beside(context.report)
    place = lambda c: (c.scenario, c.threads, c.arm)
    for c in context.report.cells:
        if place(c) == place(cell) and c.implementation == f"{strategy}/{cell.backend}" and not c.options:
            return c if c.is_timed and c.keeps_to_its_threads and cell.strategy != strategy else None
    return None


def tax(column):
    """Of a cell beside that of the strategy that others stand beside; there is no row without one."""
    return lambda context, cell: (base := base_of_tax(context, cell)) and column(context, base, cell)


def difference(context, base, cell):
    found = estimates.paired_difference(pairs_of(base, cell))
    return marked(signed(found), found)


def per_call(context, base, cell):
    calls = cell.calls()
    return (time(estimates.paired_difference(pairs_of(base, cell)).value / calls),) if calls > 0 else None


TAXES = {
    "implementation": ROWS["implementation"],
    "difference per step": tax(difference),
    "change": tax(lambda context, base, cell: (change(context.report.compare(base, cell).ratio),)),
    "per call": tax(per_call),
    "verdict": tax(lambda context, base, cell: (context.report.compare(base, cell).verdict,)),
}


def with_evaluations(context, cell):
    seconds = cell.target.get("evaluation_seconds")
    return None if seconds is None else (time(cell.time_for(cell.target["stopped_after"], seconds * 1e9).value),)


TARGETS = {
    "implementation": ROWS["implementation"],
    "steps": lambda context, cell: (str(cell.target["steps"]),),
    "time/step": lambda context, cell: (time(cell.step.value),),
    "ready": lambda context, cell: (time(median([ready for ready, _ in cell.launch_costs().values()])),),
    "time to target": lambda context, cell: marked(estimate(cell.time_to_target()), cell.time_to_target()),
    "with evaluations": with_evaluations,
    "import": ROWS["import"],
    "skipped steps": lambda context, cell: optional(cell.target.get("skipped_steps"), lambda n: str(n)),
}


def scaling(column):
    return lambda context, cell: (found := thread_tables.of(context, cell)) and column(found)


SCALING = {
    "implementation": ROWS["implementation"],
    "of ceiling": ceiling,
    "speed-up, 95%": scaling(lambda found: marked(ratio(found.speed_up), found.speed_up)),
    "efficiency": scaling(lambda found: (percent(found.efficiency.value),)),
    "undivided": scaling(lambda found: (signed(found.undivided),)),
    "verdict": scaling(lambda found: (found.verdict,)),
}


def turned_time(context, cell):
    row, ranked = context.overview.rows[0], context.overview.any_ranked
    if ranked and not cell.is_ranked:
        return ("(", estimate(cell.step), ")")
    mark = row.standing.mark(cell) if ranked and row.entries.get(cell.name) is cell else ""
    return (mark, estimate(cell.step))


def turned_ratio(context, cell):
    comparison = context.overview.ratio_shown(context.overview.rows[0], cell)
    if comparison:
        return (ratio(comparison.ratio),)
    return ("1",) if cell.implementation == context.overview.baseline else None


def turned_verdict(context, cell):
    comparison = context.overview.ratio_shown(context.overview.rows[0], cell)
    if not cell.keeps_to_its_threads:
        return ("not ranked",)
    if comparison is None and cell.implementation == context.overview.baseline:
        return ("baseline",)
    if not context.overview.any_ranked or context.overview.rows[0].standing.undecidable:
        return None
    return (comparison.verdict,) if comparison else None


TURNED = {
    "implementation": ROWS["implementation"],
    "time per step, 95%": turned_time,
    "ratio to baseline": turned_ratio,
    "ratio to the fastest": turned_ratio,
    "verdict": turned_verdict,
}
BY_A_TITLE = {"difference per step": TAXES, "speed-up, 95%": SCALING, "time to target": TARGETS, "time/step": ROWS}


def check_table(context, table):
    """Complaints about a table whose rows are cells of the report."""
    known = (columns for title, columns in BY_A_TITLE.items() if title in table.titles)
    columns = TURNED if table.scenario is None else next(known)
    cells = context.overview.cells if columns is TURNED else context.cells_of(table.scenario)
    timed, complaints = {cell.name: cell for cell in cells if cell.is_timed}, []
    for row in table.rows:
        cell = timed.get(row[0])
        if cell is None or len(row) != len(table.titles) or (columns is TARGETS and not cell.time_to_target()):
            complaints.append(f"{table.scenario}: {row} has no time, or not as many cells as {table.titles}")
            continue
        for title, text in zip(table.titles, row):
            expected = columns[title](context, cell) if title in columns else ("no such column",)
            if wrong := first_mismatch(text, expected or ("-",)):
                complaints.append(f"{table.scenario}, {row[0]}, {title}: {text!r}: {wrong}")
    return complaints


def why_untimed(cell):
    return "ok: not timed" if cell.state == "ok" else cell.state + (f": {cell.reason}" if cell.reason else "")


def check_untimed(context, table):
    named = [(name, reason) for names, reason in table.rows for name in names.split(", ")]
    expected = [(cell.name, why_untimed(cell)) for cell in context.cells_of(table.scenario) if not cell.is_timed]
    return [] if sorted(named) == sorted(expected) else [f"{table.scenario}: {named}: expected {expected}"]
