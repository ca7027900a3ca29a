"""What the first screen and the summary of a report may say: figures and claims that follow from its samples, with the
names that they are of."""

import math

import estimates
import thread_tables
import value_tables
from break_even import NEVER, break_even, is_asked
from expected_words import Figure, number, percent, ratio, time
from explanation_documents import dispatch_cost, explain
from explanations import imports
from grids import MOST_ROWS
from overview_rows import cut
from printed_figures import INTERVAL, NUMBER, is_ratio, is_step_count, numbers_in
from report_figures import FAILURES, counted, groups, off_by
from statements import count, known, pair, quote, word
from verdict_facts import Verdicts, counts_facts, other_reasons

LONGEST_REASON = 90


def steps_after(point):
    """ "12 steps [10, 14]"."""
    fits = lambda text: all(map(is_step_count, numbers_in(text), point))
    return Figure(f"{NUMBER} steps {INTERVAL}", fits, point)


class Overview(Verdicts):
    """`facts`: what may be said, whatever is shown."""

    def __init__(self, context):
        super().__init__(context)
        parts = (
            *(self.run(), self.verdicts(), self.threads(), self.overtaking(), self.values(), self.reasons()),
            *(self.frameworks(), self.failures(), self.not_ranked(), self.counts(), self.targets(), self.notes()),
            *(environment_facts(self.report), self.builds()),
        )
        self.facts = [fact for part in parts for fact in part]

    def labels(self, *cells):
        return [] if len(self.report.scenarios) < 2 else [{self.report.label(cell) for cell in cells}]

    def run(self):
        known_run, cells = self.report.run, self.report.cells
        launches = [cell.step.launches for cell in cells if cell.is_timed]
        cpu = self.report.document["environment"].get("cpu", {})
        implementations = {cell.implementation for cell in cells + self.report.control_cells}
        values = (len(self.report.scenarios), len(implementations), known_run["seed"], self.report.elapsed())
        spread = [end(of) for of in (launches, [cell.threads for cell in cells]) if of for end in (min, max)]
        yield known(count(*values, *spread, cpu.get("logical_processors", 0)))
        yield known(Figure(r"\d+ s", lambda text: text == f"{self.report.elapsed()} s", self.report.elapsed()))
        for text in self.given():
            yield known(quote(text))
        base = self.overview.baseline
        yield known(word("ratios to"), *([base] if base else []))
        if base:
            yield known(word("wins?|lead"), base)
        else:
            yield known(word("ratios are to the fastest|fastest"), *filter(None, [known_run["baseline"]]))
            yield known(word("ratios are to the fastest|fastest"))
        if not self.overview.any_ranked:
            yield known(word("no winner"))

    def given(self):
        """Texts that a report has as it was given them."""
        environment, known_run = self.report.document["environment"], self.report.run
        build = environment.get("build", {})
        texts = [environment.get("cpu", {}).get("model"), environment.get("kernel"), build.get("compiler")]
        texts += [f"git {build.get('git_revision', '')[:12]}", known_run["id"], known_run["started_at"]]
        texts += [known_run["matrix"], *(s["resolved"].get("dtype", "") for s in self.report.scenarios.values())]
        texts += [part for cell in self.report.cells for part in cell.record["build"].split(", ")]
        texts += [c["found"] for c in self.report.document.get("conditions") or [] if c["severity"] == "warning"]
        texts += [text for note in self.report.document["notes"] for text in (note, cut(note, 2 * LONGEST_REASON))]
        return list(filter(None, texts))

    def threads(self):
        place_of = {
            cell.id: {f"@{cell.threads}"} if self.overview.turned else {row.brief} for row in self.overview.rows
            for cell in row.cells if cell.is_ranked
        }
        found = {}
        for scaling in thread_tables.scaling_of(self.report):
            if scaling.cell.id in place_of:
                found.setdefault(scaling.cell.variant, []).append(scaling)
        for name, scalings in found.items():
            scalings.sort(key=lambda scaling: scaling.speed_up.value)
            for scaling in (scalings[0], scalings[-1]):
                yield known(ratio(scaling.speed_up), name, place_of[scaling.cell.id])

    def overtaking(self):
        points = {}
        for row in self.overview.won_rows():
            cell, other = row.standing.first, self.report.baseline_of(row.standing.first)
            if not self.overview.to_run_baseline(cell) or not is_asked(self.report, cell, other):
                continue
            steps, low, high, launches = break_even(self.report, cell, other)
            if launches >= estimates.FEWEST_LAUNCHES and 0 < low and high < NEVER and steps > 1:
                points.setdefault(self.name(cell), []).append(((steps, low, high), row, other))
        for name, found in points.items():
            found.sort(key=lambda one: one[0][0])
            yield known(word("overtakes"), subject=name)
            for point, row, other in (found[0], found[-1]):
                yield known(steps_after(point), name, self.name(other), *self.place(row))

    def values(self):
        told = value_tables.farthest(self.context)
        for value in told:
            names = [value.setting(self.report, value.cell), value.setting(self.report, value.first), value.first.name]
            row = value_tables.row_of(self.context, told[0].first)
            firsts = {first for first, _ in value_tables.pairs_of_values(self.context)}
            place = self.place(row) if len(firsts) > 1 else []
            yield known(ratio(value.comparison.ratio), *place, *names)
            yield known(count(len(value_tables.pairs_of_values(self.context))))
            if value.work:
                estimate = estimates.Estimate(value.work, value.work, value.work, 1)
                yield known(Figure(f"{NUMBER}x", lambda text: is_ratio(text, estimate), value.work), *names[:2])

    def decided_rows(self):
        told = lambda standing: standing.next and (standing.won or standing.lead.is_clear)
        return [row for row in self.ranked_rows if told(row.standing)]

    def best_framework(self, row):
        """(cell, ratio of its time to the fastest's); nothing where that is a framework's, or none has a time."""
        frameworks = [cell for cell in row.cells if self.overview.counts(cell) and imports(cell)]
        if not frameworks or imports(row.standing.first):
            return None
        best = self.report.standing(frameworks).first
        found = self.report.compare(row.standing.first, best).ratio
        return (best, found) if found.launches > 0 else None

    def reasons(self):
        """Why the largest lead is."""
        if not self.decided_rows():
            return
        row = max(self.decided_rows(), key=lambda row: row.standing.lead.ratio.value)
        fast, framework = row.standing.first, self.best_framework(row)
        for slow in [row.standing.next] + ([framework[0]] if framework else []):
            names = [self.name(fast), self.name(slow), *self.place(row)]
            yield known(word("leads"), *names, subject=self.name(fast))
            if (cost := dispatch_cost(slow)) and cost["share"] >= 0.05:
                yield known(number(cost["dispatches"]), *names)
                yield known(percent(cost["share"]), *names)
            else:
                for cell in (fast, slow) if fast.profile and slow.profile else ():
                    yield known(count(round(cell.calls())), *names)
                    yield known(quote(f"{self.name(cell)} {round(cell.calls())}"), *self.place(row))
            profiles = explain(self.report, fast, slow)["profiles"]
            for phase in profiles["phases"][:1] if profiles else []:
                if phase["standing"] == "cause" and not phase["only_bounded"]:
                    yield known(quote(phase["phase"]), *names)
                    yield known(pair(time(phase["a_ns"]), time(phase["b_ns"])), *names)

    def frameworks(self):
        found = [(row, *best) for row in self.ranked_rows if (best := self.best_framework(row))]
        found.sort(key=lambda one: one[2].value)
        for row, cell, one in found[:1] + found[-1:]:
            yield known(ratio(one), self.name(cell), *self.place(row))
        if found:
            yield known(word("fastest"))

    def failures(self):
        failed = groups([cell for cell in self.report.cells if cell.state in FAILURES])
        for group in failed:
            names = list(dict.fromkeys(cell.implementation for cell in group))
            labels = {self.report.label(cell) for cell in group}
            place = self.labels(group[0]) if len(labels) == 1 else []
            yield known(quote(cut(group[0].reason, LONGEST_REASON)), *place, *names[:3])
            yield known(count(len(names) - 3, len(labels)), *names[:3])
        rest = [cell for group in failed[3:] for cell in group]
        yield known(count(len(rest)))
        yield from counts_facts([cell.state for cell in rest]) if rest else ()

    def not_ranked(self):
        beyond = [cell for cell in self.report.cells if cell.is_timed and not cell.keeps_to_its_threads]
        for cell in beyond:
            names = [cell.name, *self.labels(cell)]
            wins = self.would_win(cell)
            used = Figure(NUMBER, lambda text, used=cell.processors: abs(float(text) - used) < 0.00501, cell.processors)
            alike = [c for c in beyond if c.implementation == cell.implementation and self.would_win(c) == wins]
            yield known(used, *names)
            yield known(count(cell.threads, len(alike) - 1), *names)
            yield known(time(cell.step.value), *names)
            yield from [known(word("fastest"), *names)] if wins else ()
        yield known(count(*range(1, len(beyond))))

    def would_win(self, other):
        return any(
            row.scenario == other.scenario and row.standing.first and row.standing.first.threads == other.threads
            and self.report.compare(row.standing.first, other).verdict == "faster" for row in self.overview.rows
        )

    def counts(self):
        cells = self.report.cells
        timed = [cell for cell in cells if cell.is_timed]
        unranked = sum(not cell.record["ranked"] for cell in timed)
        pending = sum(cell.state == "pending" for cell in cells)
        yield known(count(len(cells), len(timed), unranked, pending))
        yield from [known(word("never"))] if unranked else ()
        for state, n in counted([cell.state for cell in cells]):
            yield known(quote(f"{n} {state}"))
        lacking = groups([cell for cell in cells if cell.state == "unsupported"])
        yield known(count(sum(map(len, lacking))))
        yield known(other_reasons(len(lacking) - 2))
        for group in lacking[:2]:
            text = cut(group[0].reason, LONGEST_REASON)
            yield known(quote(f"{text} ({len(group)})" if len(lacking) > 1 else text))
        differences = [off_by(c) for _, _, c in self.report.controls]
        yield from [known(percent(max(differences)))] if differences else ()

    def targets(self):
        reached = {cell.scenario for cell in self.report.cells if cell.time_to_target()}
        tried = {cell.scenario for cell in self.report.cells if cell.target}
        yield known(count(len(reached), len(tried - reached)))
        for scenario in reached:
            yield from target_facts(self.report, scenario, [self.report.scenarios[scenario]["label"]])

    def notes(self):
        scripts = [(cell, cell.script()) for cell in self.report.cells if cell.script()]
        warnings = [c for c in self.report.document.get("conditions") or [] if c["severity"] == "warning"]
        yield known(count(len(scripts) + len(self.report.document["notes"]) - 1, len(warnings) - 2))
        for cell, (found, faults) in scripts:
            yield known(ratio(found), cell.id)
            yield known(count(30, 20), cell.id)  # of the remedy
            yield from [known(number(faults), cell.id)] if faults is not None else ()

    def hidden(self, shown):
        """Of the rows that are not among those that are shown, and of implementations where these are the rows."""
        rows = [row for row in self.overview.rows if row not in shown]
        won = [row for row in rows if self.overview.any_ranked and row.standing.won]
        scenarios = len({row.scenario for row in rows})
        yield known(count(len(rows), scenarios, len(rows) - len(won), len(self.overview.keys) - MOST_ROWS))
        for kind, n in counted([self.overview.kind(row.standing.first) for row in won]):
            yield known(word("wins"), subject=kind)
            yield known(count(n), kind)

    def builds(self):
        timed = [cell for cell in self.report.cells if cell.is_timed]
        for build in {build_text(cell) for cell in timed}:
            names = dict.fromkeys(cell.implementation for cell in timed if build_text(cell) == build)
            yield known(quote(build), *names)


def build_text(cell):
    runtime = cell.record.get("runtime", {})
    return "; ".join([*filter(None, [cell.record["build"]]), *(f"{key} {runtime[key]}" for key in sorted(runtime))])


def target_facts(report, scenario, label):
    """Of cells that reach the target first though their steps take longer."""
    ranked = [cell for cell in report.cells if cell.scenario == scenario and cell.is_ranked]
    for cell in filter(lambda cell: cell.time_to_target(), ranked):
        for other in ranked:
            if report.compare(other, cell).verdict != "slower":
                continue
            names = [*label, other.name]
            if other.target and other.target["state"] != "reached":
                yield known(word("reaches|less time"), *names, cell.name)
            elif other.time_to_target() and (found := report.compare_to_target(other, cell)).verdict == "faster":
                yield known(word("reaches"), *names, subject=cell.name)
                yield known(word("less time"), *names)
                yield known(ratio(found.ratio), *names, cell.name)


def environment_of(cell):
    return cell.implementation.partition("@")[2]


def name_of(cell):
    return cell.name.replace(f"@{environment_of(cell)}", "", 1)


def pairs_of(report):
    """(cell in the first environment, cell in another)."""
    first, pairs = {}, []
    for cell in report.cells:
        if cell.is_timed and cell.arm == "new" and environment_of(cell):
            known_one = first.setdefault((cell.scenario, name_of(cell)), cell)
            pairs += [] if known_one is cell else [(known_one, cell)]
    return pairs


def environment_facts(report):
    """Of the row that is the farthest apart, and of the versions that only one of the two has."""
    pairs = pairs_of(report)
    for other in {environment_of(cell) for _, cell in pairs}:
        compared = {pair: report.compare(*pair) for pair in pairs if environment_of(pair[1]) == other}
        farthest = max(compared, key=lambda pair: abs(math.log(compared[pair].ratio.value)))
        names = [other, environment_of(farthest[0])]
        yield known(ratio(compared[farthest].ratio), *names, subject=name_of(farthest[1]))
        yield known(word(compared[farthest].verdict), *names)
        versions = [cell.record["build"].split(", ") for cell in farthest]
        for own, others, name in zip(versions, versions[::-1], reversed(names)):
            yield from (known(quote(part), subject=name) for part in own if part not in others)
