"""The cells and figures that a claim's relations compare, found again in a report. Of matrices the axes are read, not
what they exclude and include, and no options of implementations."""

import itertools

import estimates
from report_figures import pairs_of
from value_tables import are_side_by_side

FULL_KEYS = {"rows": "data.rows", "features": "data.features", "batch": "batch.rows", "optimizer": "optimizer.kind"}
OWN_AXES = ("scenario", "implementation", "threads")


def full(settings):
    return {FULL_KEYS.get(key, key): str(value) for key, value in sorted(settings.items())}


class Cells:
    """The cells of a report by what a matrix says of them."""

    def __init__(self, report, keys):
        """`keys`: (scenario, its settings as sorted pairs) -> the scenario's key in the report."""
        self.report, self.keys = report, keys

    def find(self, place):
        """(cell or None, why it cannot be judged or nothing)."""
        implementation, settings = place["implementation"], set(place.items())
        if not any(cell.implementation == implementation for cell in self.report.everything):
            return None, f"no implementation {implementation} was run"
        own = frozenset((key, value) for key, value in settings if key not in OWN_AXES)
        scenario, threads = self.keys.get((place["scenario"], own)), int(place["threads"])
        for cell in self.report.everything:
            same = (cell.scenario, cell.implementation, cell.threads) == (scenario, implementation, threads)
            if same and cell.arm == "new" and not cell.options:
                return cell, reason_of(cell)
        return None, f"{implementation} was not measured with these settings"


def reason_of(cell):
    if cell.state == "pending":
        return cell.reason or "it was not reached"
    if cell.state != "ok":
        return f"{cell.state}: {cell.reason}"
    if not cell.is_timed:
        return "no launch of it was finished"
    if not cell.keeps_to_its_threads:
        noun = "thread" if cell.threads == 1 else "threads"
        return f"used {cell.processors:.2f} processors, has {cell.threads} {noun}"
    return ""


def reason_without(quantity, cell):
    """Why a cell that is timed has no such quantity."""
    if quantity == "own_memory":
        read = all("peak_anonymous_bytes" in launch for launch in cell.record["launches"])
        return "" if read else "its own memory was not read"
    if quantity not in ("steps_to_target", "time_to_target"):
        return ""
    if not cell.target:
        return "it was not trained to a target"
    state, steps = cell.target["state"], cell.target["stopped_after"]
    return "" if state == "reached" else f"it did not reach the target loss: {state} after {steps} steps"


def values_of(quantity, steps, cell):
    """Launch -> value."""
    keys = {"first_step": "first_step_ns", "peak_memory": "peak_resident_bytes", "own_memory": "peak_anonymous_bytes"}
    if quantity == "step":
        return {launch: min(times) for launch, times in cell.times.items()}
    if quantity == "steps_to_target":
        return {0: float(cell.target["steps"])}
    if quantity in ("time_to_target", "time_for_steps"):
        return cell.training_times(steps or cell.target["steps"])
    return {launch["launch"]: float(launch[keys[quantity]]) for launch in cell.record["launches"]}


def paired(base, candidate):
    return {launch: [(base[launch], value)] for launch, value in candidate.items() if launch in base}


def compared(report, quantity, steps, base, candidate):
    """(pairs by launch,), or the values of either cell where the two were not measured side by side."""
    side_by_side = are_side_by_side(report, base, candidate)
    if quantity == "step":
        return (pairs_of(base, candidate),) if side_by_side else (base.times, candidate.times)
    values = [values_of(quantity, steps, cell) for cell in (base, candidate)]
    if side_by_side or quantity == "steps_to_target":
        return (paired(*values),)
    return tuple({launch: [value] for launch, value in own.items()} for own in values)


def ratio_of(figures, confidence):
    estimate = estimates.paired_ratio if len(figures) == 1 else estimates.unpaired_ratio
    return estimate(*figures, confidence)


def points_of(experiment):
    """The cells of a matrix, as keys with values: scenarios, then axes by name, the last one fastest."""
    axes = experiment["matrix"]["axes"]
    keys = sorted(key for key in axes if key not in OWN_AXES)
    texts = [[str(value) for value in axes[key]] for key in keys]
    names = [FULL_KEYS.get(key, key) for key in keys]
    points = []
    for scenario, *values in itertools.product(axes["scenario"], *texts):
        for threads, implementation in itertools.product(axes.get("threads", [1]), axes["implementation"]):
            settings = dict(zip(names, values))
            own = {"implementation": implementation, "threads": str(threads)}
            points.append({"scenario": scenario, **settings, **own})
    return points


def pairs_in(points, relation):
    """(what they agree in and not all pairs do, place of a, place of b)."""
    a, b = full(relation["a"]), full(relation["b"])
    chosen = lambda point, side: all(point.get(key) == value for key, value in side.items())
    rest = lambda point: {key: value for key, value in point.items() if key not in a and key not in b}
    bases = [point for point in points if chosen(point, b)]
    pairs = []
    for point in points:
        base = next((other for other in bases if rest(other) == rest(point)), None) if chosen(point, a) else None
        pairs += [(rest(point), point, base)] if base else []
    differ = {key for at, _, _ in pairs for key in at if len({str(other[key]) for other, _, _ in pairs}) > 1}
    return [({key: at[key] for key in at if key in differ}, one, other) for at, one, other in pairs]
