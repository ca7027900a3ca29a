"""What the samples of a report say: who is compared with whom, and what comes out. Independent of the program."""

import math
from functools import lru_cache

import estimates
from estimates import Comparison, median

FAILURES = ("wrong", "crashed", "timed out", "untrusted")
NAMED_SCRIPT_RATIO = 1.1
HELPER_ALLOWANCE = 0.15  # of a processor, for threads that only wake and wait


class Cell:
    """A cell with its warm samples; equality is identity."""

    def __init__(self, record):
        self.record = record
        self.id, self.scenario, self.arm = record["id"], record["scenario"], record["arm"]
        self.implementation, self.threads = record["implementation"], record["threads"]
        self.options = dict(sorted(record["options"].items()))
        self.state, self.reason = record["status"]["state"], record["status"]["reason"]
        self.profile, self.target = record.get("profile"), record.get("target")
        self.visits = {}
        for sample in record["samples"]:
            if not sample["cold"] and sample["real_ns"] > 0:
                self.visits.setdefault((sample["launch"], sample["round"]), []).append(sample["real_ns"])
        self.times = {}
        for (launch, _), times in self.visits.items():
            self.times.setdefault(launch, []).extend(times)
        self.is_timed = self.state == "ok" and bool(self.times)
        self.step = estimates.typical_time(self.times) if self.is_timed else None
        shares = [s["cpu_ns"] / s["real_ns"] for s in record["samples"] if not s["cold"] and s["real_ns"] > 0]
        self.processors = median(shares)
        faults = [s["page_faults"] for s in record["samples"] if not s["cold"] and "page_faults" in s]
        self.page_faults = median(faults) if faults else None
        self.keeps_to_its_threads = self.processors <= self.threads + HELPER_ALLOWANCE
        self.is_ranked = self.is_timed and record["ranked"] and self.keeps_to_its_threads
        self.variant = " ".join([self.implementation, *map("{0[0]}={0[1]}".format, self.options.items())])
        self.name = self.variant + (f" @{self.threads}" if self.threads != 1 else "")
        self.name += f" #{self.arm}" if self.arm != "new" else ""
        self.strategy, _, self.backend = self.implementation.partition("@")[0].partition("+")[0].partition("/")
        self.mode = " ".join([self.implementation.partition("/")[2] or self.implementation, *self.options.values()])

    def median_of(self, key):
        return median(self.of_launches(key))

    def of_launches(self, key):
        return [launch[key] for launch in self.record["launches"] if key in launch]

    def single_steps(self):
        """As the summary has them, and whether timing them one by one costs little."""
        launches = self.of_launches("single_steps")
        if not launches:
            return None, False
        figures = {key: median([launch[key] for launch in launches])
                   for key in ("p50_ns", "p95_ns", "p99_ns", "cost")}
        figures["steps"] = sum(launch["steps"] for launch in launches)
        figures["max_ns"] = max(launch["max_ns"] for launch in launches)
        return figures, abs(figures["cost"]) <= 0.02

    def script(self):
        """(ratio of a script's steps to the samples, page faults of a step there), where these differ by over 10%."""
        scripts = {launch["launch"]: launch["script"] for launch in self.record["launches"]
                   if "script" in launch and launch["launch"] in self.times}
        if not self.is_timed or not scripts:
            return None
        ratio = estimates.paired_ratio({launch: [(min(self.times[launch]), script["step_ns"])]
                                        for launch, script in scripts.items()})
        if ratio.high >= 1 / NAMED_SCRIPT_RATIO and ratio.low <= NAMED_SCRIPT_RATIO:
            return None
        faults = [script["page_faults"] for script in scripts.values() if "page_faults" in script]
        return ratio, median(faults) if faults else None

    def launch_costs(self):
        """Launch -> what came before its steady steps, and one of those, in nanoseconds."""
        costs = {}
        for launch in self.record["launches"]:
            if launch["launch"] not in self.times:
                continue
            step = min(self.times[launch["launch"]])
            loading = launch["load_seconds"] + launch["prepare_seconds"] - launch.get("import_seconds", 0.0)
            costs[launch["launch"]] = (loading * 1e9 + launch["first_step_ns"] - step, step)
        return costs

    def training_times(self, steps):
        return {launch: ready + steps * step for launch, (ready, step) in self.launch_costs().items()}

    def time_to_target(self):
        if not self.is_timed or not self.target or self.target["state"] != "reached":
            return None
        return self.time_for(self.target["steps"])

    def time_for(self, steps, added_ns=0.0):
        return estimates.typical_time({launch: [t + added_ns] for launch, t in self.training_times(steps).items()})

    def calls(self):
        records = self.profile["records"] if self.profile else []
        if self.of_launches("import_seconds"):
            return self.profile.get("dispatches_per_step", 0.0) if self.profile else 0
        return sum(r["calls"] for r in records if r["phase"] in ("forward", "backward", "update"))


def pairs_of(base, candidate):
    """Launch -> pairs of times that were measured side by side."""
    pairs = {}
    for visit, times in candidate.visits.items():
        for pair in zip(base.visits.get(visit, []), times):
            pairs.setdefault(visit[0], []).append(pair)
    return pairs


class Report:
    """A report with every comparison that its sentences may rest on."""

    def __init__(self, document):
        self.document, self.run = document, document["run"]
        self.scenarios = {scenario["key"]: scenario for scenario in document["scenarios"]}
        self.everything = [Cell(record) for record in document["cells"]]
        self.cells = [cell for cell in self.everything if cell.arm != "control"]
        self.control_cells = [cell for cell in self.everything if cell.arm == "control"]
        self.controls = self.find_controls()
        self.baselines = self.find_baselines()
        self.compare = lru_cache(maxsize=None)(self.compare_uncached)

    def label(self, cell):
        return self.scenarios[cell.scenario]["label"]

    def find_controls(self):
        """(control, its twin, comparison) of every control that was timed beside its twin."""
        controls = []
        for cell in self.control_cells:
            place = lambda of: (of.scenario, of.implementation, of.options, of.threads)
            twin = next((other for other in self.cells if other.is_timed and place(other) == place(cell)), None)
            pairs = pairs_of(twin, cell) if twin and cell.is_timed else {}
            if pairs:
                controls.append((cell, twin, estimates.verdict_of(estimates.paired_ratio(pairs), estimates.MARGIN)))
        return controls

    @lru_cache(maxsize=None)
    def rules(self, *scenarios):
        """The margin of verdicts about all of them, and why their controls forbid verdicts; empty where they do not."""
        margins, words = [estimates.MARGIN], {}
        for cell, _, control in self.controls:
            if cell.scenario in scenarios and control.ratio.launches >= estimates.FEWEST_LAUNCHES:
                margins.append(off_by(control))
            if control.verdict in ("faster", "slower"):
                value, low, high = (f"{end:.3g}" for end in control.ratio[:3])
                words[cell.scenario] = f"the control took {value} [{low}, {high}] times as long as itself: " \
                                       "this machine was unfit"
        return max(margins), next((words[scenario] for scenario in scenarios if scenario in words), "")

    def judge(self, pairs, *scenarios):
        """Of pairs of times of two cells in these scenarios."""
        margin, unfit = self.rules(*scenarios)
        return estimates.verdict_of(estimates.paired_ratio(pairs), margin, unfit=unfit)

    def compare_uncached(self, base, candidate):
        return self.judge(pairs_of(base, candidate), base.scenario)

    def compare_to_target(self, base, candidate):
        own, times = (cell.training_times(cell.target["steps"]) for cell in (candidate, base))
        return self.judge({launch: [(times[launch], own[launch])] for launch in own if launch in times}, base.scenario)

    def find_baselines(self):
        """(scenario, threads, arm) -> whom ratios there are to: the run's baseline, else the fastest that is ranked."""
        groups = {}
        for cell in self.everything:
            if cell.is_timed:
                groups.setdefault((cell.scenario, cell.threads, cell.arm), []).append(cell)
        baselines = {}
        for group, cells in groups.items():
            own = [cell for cell in cells if cell.implementation == self.run["baseline"]]
            ranked = [cell for cell in cells if cell.is_ranked]
            if own:
                baselines[group] = min(own, key=lambda cell: bool(cell.options))
            elif ranked:
                baselines[group] = min(ranked, key=lambda cell: cell.step.value)
        return baselines

    def baseline_of(self, cell):
        return self.baselines.get((cell.scenario, cell.threads, cell.arm))

    def to_baseline(self, cell):
        """The comparison with the baseline's cell; None for that one and where nothing was measured side by side."""
        base = self.baseline_of(cell)
        if base is None or base is cell or not cell.is_timed:
            return None
        comparison = self.compare(base, cell)
        return comparison if comparison.ratio.launches > 0 else None

    def standing(self, cells):
        return Standing(self, [cell for cell in cells if cell.is_timed])


class Standing:
    """Who is ahead among timed cells of a scenario, by paired comparisons: the first in time whom nobody beats."""

    def __init__(self, report, cells):
        self.report = report
        self.cells = sorted(cells, key=lambda cell: cell.step.value)
        self.first = self.cells[0] if self.cells else None
        for cell in self.cells:
            if report.compare(self.first, cell).verdict == "faster":
                self.first = cell
        self.others = [cell for cell in self.cells if cell is not self.first]
        self.comparisons = {cell: report.compare(self.first, cell) for cell in self.others}
        self.next = self.others[0] if self.others else None
        self.undecidable = any(c.undecidable or c.verdict == "faster" for c in self.comparisons.values())
        self.tied = [c for c in self.others if self.comparisons[c].verdict != "slower"] if not self.undecidable else []
        self.won = bool(self.others) and not self.undecidable and not self.tied

    @property
    def lead(self):
        return self.comparisons[self.next]

    def mark(self, cell):
        if self.won:
            return "*" if cell is self.first else ""
        return "=" if self.tied and (cell is self.first or cell in self.tied) else ""


def is_beside_others(report, cell):
    """Whether ratios of other cells are to this one."""
    return report.baseline_of(cell) is cell and any(
        other is not cell and report.to_baseline(other) and report.baseline_of(other) is cell
        for other in report.everything
    )


def off_by(comparison: Comparison):
    """What a control differs from itself by, as a share."""
    return math.exp(abs(math.log(comparison.ratio.value))) - 1
