"""Proves the tables of a rendered report: every cell of every column, by the column's title."""

import re

import cost_fits
import estimates
import thread_tables
from estimates import median
from printed_figures import (
    NUMBER,
    is_bytes,
    is_change,
    is_estimate,
    is_interval_in_unit_of,
    is_percent,
    is_ratio,
    is_time,
)
from printed_figures import three_digits
from report_figures import pairs_of
from sentence_templates import Lie, cell_in, require
from sentences_about_cells import why_untimed

MARK = " *"  # of a figure that rests on a single launch


def without_mark(text, estimate):
    require(text.endswith(MARK) == (estimate.launches == 1), "the mark of a single launch is wrong")
    return text.removesuffix(MARK)


def check_time(context, cell, text):
    require(is_time(without_mark(text, cell.step), cell.step.value), f"it takes {cell.step.value} ns")


def is_half_width(text, estimate):
    farther = max(estimate.value - estimate.low, estimate.high - estimate.value) / estimate.value
    return text.startswith("+-") and is_percent(text[2:], farther)


def check_interval(context, cell, text):
    require(is_interval_in_unit_of(text, cell.step) or is_half_width(text, cell.step), f"its interval is {cell.step}")


def check_ratio_to_baseline(context, cell, text):
    comparison = context.report.to_baseline(cell)
    if comparison is None:
        require(text in ("-", "1") and (text == "1") == context.is_baseline(cell), "it has no ratio")
    else:
        require(is_ratio(text, comparison.ratio) and "[" in text, f"the ratio is {comparison.ratio}")


def check_verdict(context, cell, text):
    comparison = context.report.to_baseline(cell)
    expected = comparison.verdict if comparison else "baseline" if context.is_baseline(cell) else "-"
    require(text == expected, f"the verdict is {expected}")


def rate_of(context, cell):
    return context.report.scenarios[cell.scenario]["operations_per_step"] / cell.step.value


def check_rate(context, cell, text):
    require(text == "-" if not cell.is_ranked else three_digits(rate_of(context, cell), text), "the rate is another")


def optional(text, value, is_printed):
    require(text == "-" if value is None else is_printed(text, value), f"it is {value}")


def largest(cell, key):
    values = [launch[key] for launch in cell.record["launches"] if key in launch]
    return max(values) if values else None


def has_import(cell):
    return any("import_seconds" in launch for launch in cell.record["launches"])


def check_import(context, cell, text):
    optional(text, cell.median_of("import_seconds") * 1e9 if has_import(cell) else None, is_time)


def check_launches(context, cell, text):
    blocks = sum(len(times) for times in cell.times.values())
    match = re.fullmatch(rf"(\d+) x ({NUMBER})", text)
    require(
        match and int(match[1]) == cell.step.launches and three_digits(blocks / cell.step.launches, match[2]),
        f"{blocks} blocks",
    )


def check_page_faults(context, cell, text):
    few = cell.page_faults is None or cell.page_faults < 0.05
    optional(text, None if few else cell.page_faults, lambda text, faults: three_digits(faults, text))


def check_data(context, cell, text):
    share = None
    if cell.profile:
        time_ns = sum(r["time_ns"] for r in cell.profile["records"] if r["phase"] == "data")
        share = time_ns / cell.profile["profiled_step_ns"]
        share = share if share >= 0.005 and time_ns >= 100 else None
    optional(text, share, is_percent)


def check_allocations(context, cell, text):
    optional(text, (cell.profile or {}).get("allocations_per_step"), lambda t, v: three_digits(v, t))


def check_ceiling(context, cell, text):
    ceiling = cell.record.get("summary", {}).get("ceiling")  # its floor is taken as the report has it
    optional(text.split(" ")[0], ceiling and ceiling["floor_ns"] / cell.step.value, is_percent)


ROWS = {
    "implementation": lambda context, cell, text: require(text == cell.name, cell.name),
    "time/step": check_time,
    "95%": check_interval,
    "ratio to baseline": check_ratio_to_baseline,
    "verdict": check_verdict,
    "GFLOP/s": check_rate,
    "of ceiling": check_ceiling,
    "data": check_data,
    "CPU/wall": lambda context, cell, text: optional(text, cell.processors if has_import(cell) else None, is_percent),
    "page faults": check_page_faults,
    "import": check_import,
    "first step": lambda context, cell, text: optional(text, cell.median_of("first_step_ns"), is_time),
    "launches": check_launches,
    "peak memory": lambda context, cell, text: optional(text, largest(cell, "peak_resident_bytes"), is_bytes),
    "after import": lambda context, cell, text: optional(text, largest(cell, "imported_resident_bytes"), is_bytes),
    "own memory": lambda context, cell, text: optional(text, largest(cell, "peak_anonymous_bytes"), is_bytes),
    "allocations": check_allocations,
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
    found = [
        c
        for c in context.report.cells
        if (c.scenario, c.threads, c.arm) == (cell.scenario, cell.threads, cell.arm)
        and not c.options
        and c.is_timed
        and c.implementation == f"{strategy}/{cell.backend}"
        and c.keeps_to_its_threads
    ]
    require(found and cell.strategy != strategy, f"there is no {strategy}/{cell.backend} beside it")
    return found[0]


def difference_of(context, cell):
    return estimates.paired_difference(pairs_of(base_of_tax(context, cell), cell))


def check_per_call(context, cell, text):
    optional(text, difference_of(context, cell).value / cell.calls() if cell.calls() > 0 else None, is_time)


def check_tax(context, cell, text):
    difference = difference_of(context, cell)
    require(
        is_estimate(without_mark(text, difference), difference) and text[0] in "+-", f"the difference is {difference}"
    )


TAXES = {
    "implementation": ROWS["implementation"],
    "difference per step": check_tax,
    "change": lambda context, cell, text: require(
        is_change(text, context.report.compare(base_of_tax(context, cell), cell).ratio), "the ratio is another"
    ),
    "per call": check_per_call,
    "verdict": lambda context, cell, text: require(
        text == context.report.compare(base_of_tax(context, cell), cell).verdict, "the verdict is another"
    ),
}


def check_to_target(context, cell, text):
    time = cell.time_to_target()
    require(is_estimate(without_mark(text, time), time), f"it takes {time}")


def check_with_evaluations(context, cell, text):
    seconds = cell.target.get("evaluation_seconds")
    time = None if seconds is None else cell.time_for(cell.target["stopped_after"], seconds * 1e9).value
    optional(text, time, is_time)


TARGETS = {
    "implementation": ROWS["implementation"],
    "steps": lambda context, cell, text: require(int(text) == cell.target["steps"], f"{cell.target['steps']}"),
    "time/step": lambda context, cell, text: require(is_time(text, cell.step.value), f"it takes {cell.step.value} ns"),
    "ready": lambda context, cell, text: optional(text, median([r for r, _ in cell.launch_costs().values()]), is_time),
    "time to target": check_to_target,
    "with evaluations": check_with_evaluations,
    "import": check_import,
    "skipped steps": lambda context, cell, text: optional(
        text, cell.target.get("skipped_steps"), lambda text, count: text == str(count)
    ),
}


SCALING = {"implementation": ROWS["implementation"], "of ceiling": ROWS["of ceiling"], **thread_tables.COLUMNS}


def check_turned_time(context, cell, text):
    row = context.overview.rows[0]
    brackets = context.overview.any_ranked and not cell.is_ranked
    mark = row.standing.mark(cell) if context.overview.any_ranked and row.entries.get(cell.name) is cell else ""
    inner = text[1:-1] if brackets else text
    require(
        (text[0] == "(") == brackets and inner.startswith(mark) and (mark or inner[0] not in "*="),
        f"its mark is {mark!r}",
    )
    require(is_estimate(inner.lstrip("*="), cell.step), f"it takes {cell.step}")


def check_turned_ratio(context, cell, text):
    comparison = context.overview.ratio_shown(context.overview.rows[0], cell)
    if comparison is None:
        require(text == "-" or (text == "1" and cell.implementation == context.overview.baseline), "it has no ratio")
    else:
        require(is_ratio(text, comparison.ratio), f"the ratio is {comparison.ratio}")


def check_turned_verdict(context, cell, text):
    comparison = context.overview.ratio_shown(context.overview.rows[0], cell)
    if text == "not ranked":
        require(not cell.keeps_to_its_threads, "it is ranked")
    elif text == "baseline":
        require(comparison is None and cell.implementation == context.overview.baseline, "it is not")
    elif text != "-":
        require(comparison is not None and text == comparison.verdict, f"the verdict is {comparison}")


TURNED = {
    "implementation": ROWS["implementation"],
    "timeperstep,95%": check_turned_time,
    "ratiotobaseline": check_turned_ratio,
    "ratiotothefastest": check_turned_ratio,
    "verdict": check_turned_verdict,
}


def columns_for(table):
    if table.titles[0] == "implementation" and table.scenario is None:
        return TURNED
    if "difference per step" in table.titles:
        return TAXES
    if "speed-up, 95%" in table.titles:
        return SCALING
    return TARGETS if "time to target" in table.titles else ROWS


def check_table(context, table):
    """Complaints about the cells of a table whose rows are cells of the report."""
    if table.titles == ["not timed", "reason"]:
        return check_untimed(context, table)
    columns, complaints = columns_for(table), []
    cells = context.overview.cells if columns is TURNED else context.cells_of(table.scenario)
    for row in table.rows:
        if len(row) != len(table.titles):
            complaints.append(f"{table.scenario}: {row} has not as many cells as {table.titles}")
        for title, text in zip(table.titles, row):
            try:
                key = title.replace(" ", "") if columns is TURNED and title != "implementation" else title
                require(key in columns, "no column is known by that title")
                name = row[0] if columns is not TURNED else context.full_name(row[0], cells)
                cell = cell_in(cells, name)
                require(cell.is_timed and (columns is not TARGETS or cell.time_to_target()), "it has no time")
                columns[key](context, cell, name if title == "implementation" else text)
            except (Lie, ValueError) as lie:
                complaints.append(f"{table.scenario}, {row[0]}, {title}: {text!r}: {lie}")
    return complaints


def is_coefficient(text, estimate, at_bound):
    text = without_mark(text, estimate)
    if not at_bound:
        return is_estimate(text, estimate)
    if estimate.high == 0:
        return text == "0 (bound)"
    return text.startswith("at most ") and is_time(text.removeprefix("at most "), estimate.high)


def check_costs(context, table):
    """Of the table of what size costs."""
    fits, complaints = cost_fits.fits_of(context.report), []
    for row in table.rows:
        fit = fits.get(row[0])
        if fit is None:
            complaints.append(f"{row[0]}: it has no fit")
            continue
        for title, text in zip(table.titles[1:], row[1:]):
            if title == "scenarios":
                right = int(text) == fit.scenarios
            elif title == "worst miss":
                right = is_percent(text, fit.worst_miss)
            else:
                right = is_coefficient(text, *fit.coefficients[title]) if title in fit.coefficients else text == "-"
            complaints += [] if right else [f"{row[0]}, {title}: {text!r}: expected {fit}"]
    return complaints


def check_untimed(context, table):
    complaints, named = [], set()
    for names, reason in table.rows:
        for name in names.split(", "):
            complaints += [f"{name}: is there twice"] if name in named else []
            named.add(name)
            cells = [c for c in context.cells_of(table.scenario) if c.name == name and not c.is_timed]
            words = [why_untimed(c) for c in cells]
            complaints += [] if reason in words else [f"{name}: {reason}: expected {words}"]
    return complaints
