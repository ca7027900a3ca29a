"""The rows of a report's first screen and who stands in them, made from the samples."""

import functools
import re

from report_figures import FAILURES

FEW_VARIANTS = 6  # as many as have a column each
BRIEF = 32  # characters of a row's name in a sentence


def words_of(label):
    return re.sub(r"[\[\],]", " ", label).split()


def cut(text, width):
    return text if len(text) <= width else text[: width - 2] + ".."


def shortened(labels, width):
    """Labels without the words that all have in common; where they are too long, settings by last name or value."""
    words = [words_of(label) for label in labels]
    common = [word for word in words[0] if all(word in other for other in words)] if len(words) > 1 else []
    if any(len(label) <= len(common) for label in words):
        common = []
    rest = []
    for label in words:
        label = list(label)
        for word in common:
            label.remove(word)
        rest.append(label)
    fit = lambda texts: all(len(text) <= width for text in texts)
    if not common and fit(labels):
        return labels
    texts = [" ".join(label) for label in rest]
    if not fit(texts):
        texts = [" ".join(re.sub(r"^[^=]*\.(?=[^.=]*=)", "", word) for word in label) for label in rest]
    if not fit(texts):
        values = [" ".join(word.partition("=")[2] or word for word in label) for label in rest]
        texts = values if len(set(values)) == len(values) else texts
        texts = [cut(text, width) for text in texts]
    return texts


class Row:
    """A scenario, once for each thread count."""

    def __init__(self, scenario, threads, cells):
        self.scenario, self.threads, self.cells = scenario, threads, cells
        self.failures = [cell for cell in cells if cell.state in FAILURES]


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
        variants, kinds = {cell.variant for cell in counting}, {self.prefix(cell) for cell in counting}
        self.by_kind = not self.turned and len(variants) > FEW_VARIANTS and len(kinds) > 1
        own = [cell for cell in counting if self.to_run_baseline(cell)]
        self.baseline = report.run["baseline"] if own else ""
        shown = [
            cell for cell in self.cells
            if self.counts(cell) or (self.turned and cell.is_timed and not cell.keeps_to_its_threads)
        ]
        self.keys = list(dict.fromkeys(self.key(cell) for cell in shown))
        self.rows = self.make_rows()
        for row, brief in zip(self.rows, shortened([row.label for row in self.rows], BRIEF) if self.rows else []):
            row.brief = brief

    @staticmethod
    def prefix(cell):
        return cell.implementation.partition("/")[0]

    def counts(self, cell):
        return cell.is_timed and (cell.is_ranked or not self.any_ranked)

    def to_run_baseline(self, cell):
        base = self.report.baseline_of(cell)
        return self.report.to_baseline(cell) if base and base.implementation == self.report.run["baseline"] else None

    def kind(self, cell):
        return cell.implementation if cell.implementation == self.baseline else self.prefix(cell)

    def key(self, cell):
        return cell.name if self.turned else self.kind(cell) if self.by_kind else cell.variant

    def make_rows(self):
        order = list(self.report.scenarios)
        places = {(order.index(cell.scenario), 1 if self.turned else cell.threads) for cell in self.cells}
        rows = []
        for place, threads in sorted(places):
            cells = [c for c in self.cells if c.scenario == order[place] and (self.turned or c.threads == threads)]
            row = Row(order[place], threads, cells)
            row.label = self.report.scenarios[order[place]]["label"] + (f" @{threads}" if threads != 1 else "")
            row.entries = {key: self.entry([c for c in cells if self.key(c) == key]) for key in self.keys}
            counting = [cell for cell in cells if self.counts(cell)]
            by_key = {key: [cell for cell in counting if self.key(cell) == key] for key in self.keys}
            row.kinds = {key: self.report.standing(cells) for key, cells in by_key.items() if cells}
            row.standing = self.report.standing([standing.first for standing in row.kinds.values()])
            if any(c is not None and c.is_timed for c in row.entries.values()) or row.failures:
                rows.append(row)
        return rows

    def entry(self, cells):
        """The cell that a column shows: nobody of it beats that one; else one that says why there is none."""
        counting = [cell for cell in cells if self.counts(cell)]
        if counting:
            return self.report.standing(counting).first
        beyond = [cell for cell in cells if cell.is_timed and not cell.keeps_to_its_threads]
        failed = [cell for cell in cells if cell.state in FAILURES]
        return min(beyond, key=lambda cell: cell.step.value) if beyond else failed[0] if failed else None

    def decided(self, row):
        return row.standing if self.any_ranked else None

    def won_rows(self):
        return [row for row in self.rows if self.any_ranked and row.standing.won]

    def winners(self):
        """Key of a column -> the rows that it wins."""
        wins = {}
        for row in self.won_rows():
            wins.setdefault(self.key(row.standing.first), []).append(row)
        return wins

    def ratio_shown(self, row, cell):
        if cell is None or not cell.is_timed:
            return None
        if self.baseline:
            return self.to_run_baseline(cell)
        first = row.standing.first
        comparison = None if first is None or cell is first else self.report.compare(first, cell)
        return comparison if comparison and comparison.ratio.launches > 0 else None
