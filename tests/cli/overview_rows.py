"""The rows of a report's first screen and who stands in them, made from the samples."""

import functools
import re
from types import SimpleNamespace

from report_figures import FAILURES

FEW_VARIANTS = 6  # as many as have a column each


def shortened(labels):
    """Labels without the words that all have in common."""
    words = [re.sub(r"[\[\],]", " ", label).split() for label in labels]
    common = set(words[0]).intersection(*words) if len(words) > 1 else set()
    if not common or any(len(label) <= len(common) for label in words):
        return labels
    return [" ".join(word for word in label if word not in common) for label in words]


@functools.lru_cache(maxsize=4)
def overview_of(report):
    return Overview(report)


class Overview:
    def __init__(self, report):
        self.report = report
        arms = any(cell.arm == "new" for cell in report.cells)
        self.cells = [cell for cell in report.cells if cell.arm == "new" or not arms]
        self.any_ranked = any(cell.is_ranked for cell in self.cells)
        counting = [cell for cell in self.cells if self.counts(cell)]
        self.turned = len({cell.scenario for cell in self.cells}) == 1
        variants, kinds = {cell.variant for cell in counting}, {cell.strategy for cell in counting}
        self.by_kind = not self.turned and len(variants) > FEW_VARIANTS and len(kinds) > 1
        self.baseline = report.run["baseline"] if any(map(self.to_run_baseline, counting)) else ""
        shown = [cell for cell in self.cells if self.counts(cell) or (self.turned and self.is_beyond(cell))]
        self.keys = list(dict.fromkeys(self.key(cell) for cell in shown))
        self.rows = self.make_rows()
        for row, brief in zip(self.rows, shortened([row.label for row in self.rows]) if self.rows else []):
            row.brief = brief

    @staticmethod
    def is_beyond(cell):
        return cell.is_timed and not cell.keeps_to_its_threads

    def counts(self, cell):
        return cell.is_timed and (cell.is_ranked or not self.any_ranked)

    def to_run_baseline(self, cell):
        base = self.report.baseline_of(cell)
        return self.report.to_baseline(cell) if base and base.implementation == self.report.run["baseline"] else None

    def kind(self, cell):
        return cell.implementation if cell.implementation == self.baseline else cell.strategy

    def key(self, cell):
        return cell.name if self.turned else self.kind(cell) if self.by_kind else cell.variant

    def name(self, cell):
        return cell.name if self.turned else cell.variant

    def forms(self, *cells):
        """Whatever a sentence about rows calls them."""
        return {form for cell in cells for form in (self.name(cell), self.key(cell), self.kind(cell))}

    def place(self, row):
        """What a sentence calls the row; nothing where there is only one scenario."""
        return set() if self.turned else {row.brief, row.label}

    def make_rows(self):
        """A scenario has one for each thread count."""
        order = list(self.report.scenarios)
        places = {(order.index(cell.scenario), 1 if self.turned else cell.threads) for cell in self.cells}
        rows = []
        for place, threads in sorted(places):
            cells = [c for c in self.cells if c.scenario == order[place] and (self.turned or c.threads == threads)]
            row = SimpleNamespace(scenario=order[place], threads=threads, cells=cells)
            row.label = self.report.scenarios[order[place]]["label"] + (f" @{threads}" if threads != 1 else "")
            row.counting = list(filter(self.counts, cells))
            kinds = {key: [cell for cell in cells if self.key(cell) == key] for key in self.keys}
            row.entries = {key: self.entry(of_kind) for key, of_kind in kinds.items()}
            row.kinds = {key: self.report.standing(list(filter(self.counts, of_kind)))
                         for key, of_kind in kinds.items() if any(map(self.counts, of_kind))}
            row.standing = self.report.standing([standing.first for standing in row.kinds.values()])
            if any(c and c.is_timed for c in row.entries.values()) or any(c.state in FAILURES for c in cells):
                rows.append(row)
        return rows

    def entry(self, cells):
        """The cell that a column shows: nobody of it beats that one; else one that says why there is none."""
        counting = list(filter(self.counts, cells))
        if counting:
            return self.report.standing(counting).first
        beyond = sorted(filter(self.is_beyond, cells), key=lambda cell: cell.step.value)
        return next(iter(beyond + [cell for cell in cells if cell.state in FAILURES]), None)

    def ratio_shown(self, row, cell):
        if cell is None or not cell.is_timed:
            return None
        if self.baseline:
            return self.to_run_baseline(cell)
        first = row.standing.first
        comparison = None if first is None or cell is first else self.report.compare(first, cell)
        return comparison if comparison and comparison.ratio.launches > 0 else None
