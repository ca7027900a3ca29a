"""What the part of a report about one scenario may say in sentences, as it follows from the samples."""

import estimates
from break_even import NEVER, break_even, is_asked
from expected_words import Figure, number, percent, time
from overview_facts import target_facts
from printed_figures import INTERVAL, NUMBER, is_step_count, numbers_in, three_digits
from report_facts import cell_facts, change, untimed_facts, values_facts
from report_figures import is_beside_others
from statements import count, known, quote, word

SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def description_facts(record):
    epoch = -(-record["rows"] // max(record["batch_rows"], 1))
    yield known(count(record["rows"], record["features"], record["parameters"], record["batch_rows"], epoch))
    layers = record["resolved"].get("model", {}).get("layers", [])
    yield known(quote("-".join([str(record["features"]), *(str(layer["width"]) for layer in layers)])))
    yield known(quote(record["resolved"].get("dtype", "")))
    work = record["operations_per_step"]
    scaled = lambda text: three_digits(work / SCALES[text.split(" ")[1].removesuffix("flop")], text.split(" ")[0])
    yield known(Figure(rf"{NUMBER} [kMGT]?flop", scaled, work))


def overtaking(report, cell, other):
    """ "after 12 steps [10, 14]", "at most 12 steps", "never", ...: what a statement has beside the other's name."""

    def fits(text):
        steps, low, high, launches = break_even(report, cell, other)
        decided, ends = launches >= estimates.FEWEST_LAUNCHES, numbers_in(text)
        if not is_asked(report, cell, other):
            return False
        if text.startswith("at most"):
            return decided and low == 0 < high and is_step_count(ends[0], high)
        if text.startswith("at least"):
            return decided and 0 < low and high == NEVER and is_step_count(ends[0], low)
        if ends:
            return decided and 0 < low and high < NEVER and all(map(is_step_count, ends, (steps, low, high)))
        words = {"from the start": decided and high == 0, "never": decided and low == NEVER}
        return words.get(text, not decided or (low == 0 and high == NEVER))

    pattern = rf"(?:at (?:most|least) )?{NUMBER} steps(?: {INTERVAL})?|from the start|never|undecided step"
    return Figure(pattern, fits, break_even)


def training_facts(record, cells):
    settings = record["resolved"].get("target", {})
    yield known(count(settings.get("evaluate_every"), settings.get("most_steps")))
    for cell in cells:
        if cell.target:
            yield known(number(cell.target["target_loss"]))
            yield known(number(cell.target["initial_loss"]))
            yield known(number(cell.target["loss"]), subject=cell.name)
            stopped = cell.target["stopped_after"]
            yield known(Figure(r"\d+ steps", lambda text, n=stopped: text == f"{n} steps", stopped), subject=cell.name)


def chosen_baseline(report, key):
    """Where the run's own has no time: the fastest, whom ratios are to."""
    bases = {cell for cell in report.baselines.values() if cell.scenario == key and is_beside_others(report, cell)}
    base = min((cell for cell in bases if cell.is_ranked), key=lambda cell: cell.step.value, default=None)
    return base if base and base.implementation != report.run["baseline"] else None


def scenario_facts(report, key):
    record = report.scenarios[key]
    cells = [cell for cell in report.cells if cell.scenario == key]
    timed = [cell for cell in cells if cell.is_timed]
    yield from description_facts(record)
    for cell in timed:
        yield from (*cell_facts(report, cell), *values_facts(report, cell))
        yield known(word("overtakes"), subject=cell.name)
        yield from (known(overtaking(report, cell, other), cell.name, subject=other.name) for other in timed)
    yield from training_facts(record, cells)
    yield from target_facts(report, key, [])
    yield from untimed_facts(report, cells)
    if base := chosen_baseline(report, key):
        yield known(word("ratios are to|fastest"), base.name)
        yield known(word("fastest"), base.name, report.run["baseline"] or base.name)
    for control, _, comparison in report.controls:
        if control.scenario == key:
            yield known(change(comparison.ratio), control.implementation)
            if comparison.verdict in ("faster", "slower"):
                yield known(word("unfit"), control.implementation)
    for cell in timed:
        launches = cell.record["launches"]
        if traces := max((launch.get("traces", 0) for launch in launches), default=0):
            preparing = cell.median_of("prepare_seconds")
            preparing -= estimates.median([launch.get("import_seconds", 0.0) for launch in launches])
            yield known(count(traces), subject=cell.name)
            yield known(time(preparing * 1e9 + cell.median_of("first_step_ns")), subject=cell.name)
    singles = [(cell, *cell.single_steps()) for cell in timed if cell.single_steps()[0]]
    yield from [known(word(f"{sum(single['steps'] for _, single, _ in singles)} steps"))] if singles else ()
    for cell, single, is_telling in singles:
        yield from () if is_telling else (known(percent(single["cost"]), subject=cell.name), known(percent(0.02)))
    for cell in timed:
        block = cell.record.get("block") or {}
        if block.get("reduced_learning_rate"):
            yield known(number(block["learning_rate"]), subject=cell.name)
            yield known(number(record["resolved"]["optimizer"]["learning_rate"]))
            yield known(word("longer"))
