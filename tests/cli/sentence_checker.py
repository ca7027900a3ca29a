"""Takes what gdbench renders of a report and proves it from the report's samples. The document is proven figure by
figure and claim by claim; what the first screen shows must be in it. Returns complaints, a line each."""

import csv
import io
import json
import re

import cost_fits
import grids
import report_items
from overview_facts import Overview
from overview_rows import overview_of
from records import Record
from report_facts import compared, cost_facts, grid_facts, relative_facts, untimed_facts
from scenario_facts import scenario_facts
from statements import CLAIMS, known
from values_checker import check_record, check_summaries

UNREAD = ("More: gdbench report ", "What the columns mean: ", "implementation ")


def plain_lines(text):
    """The words of each line, without empty cells."""
    return [[word for word in line.split() if word != "-"] for line in text.split("\n")]


class Context:
    """What checks ask for: the report, its overview, and what was read of the output so far."""

    def __init__(self, report):
        self.report = report
        self.overview = overview_of(report)
        self.shown_rows = []  # of the grid

    def cells_of(self, label):
        return [cell for cell in self.report.cells if self.report.label(cell) == label]


class Proof:
    """Of all that is rendered of one report."""

    def __init__(self, report):
        self.context, self.overview = Context(report), Overview(Context(report))
        self.facts = {report.scenarios[key]["label"]: list(scenario_facts(report, key)) for key in report.scenarios}
        self.facts[None] = [*self.overview.facts, *self.overview.hidden([]), *untimed_facts(report, report.cells)]
        self.facts[None] += [*relative_facts(report), *cost_facts(report)]
        overview = self.context.overview
        for cell in report.cells:
            self.facts[None] += grid_facts(report, cell, report.label(cell))
            shown = overview.turned and overview.ratio_shown(overview.rows[0], cell)
            self.facts[report.label(cell)] += [known(figure, cell.name) for figure in compared(shown)] if shown else []
        every = [fact for facts in self.facts.values() for fact in facts]
        names = names_in(self.context)
        self.records = {label: Record(facts, names) for label, facts in self.facts.items()}
        self.grid = {}  # words of a row of the first screen -> that row
        self.reader = Record(every, names).reader

    def complaints(self, text, label):
        """About a sentence under the heading of a scenario, or under none."""
        if text.endswith(":") and not any(map(str.isdigit, text)):
            return [f"{text!r}: a title claims something"] if re.search(rf"\b(?:{CLAIMS})\b", text) else []
        if label and text.startswith(f"{label}: "):
            label = None  # who wins is known of all scenarios
        facts = self.facts[label] if label else [*self.facts[None], *self.overview.hidden(self.context.shown_rows)]
        return self.reader.complaints(text, facts, label)

    def items(self, text):
        return list(report_items.items_of(json.loads(text), self.facts))

    def check_document(self, text):
        complaints = []
        for item in self.items(text):
            record = self.records[item.scenario]
            if isinstance(item, report_items.Sentence):
                complaints += self.complaints(item.text, item.scenario)
            elif isinstance(item, report_items.Chart):
                complaints += record.about_chart({"rows": item.rows}, " ")
            elif item.scenario or item.titles[0] == "implementation" or not item.name.startswith("The fastest of each"):
                alone = list(self.records.values())[0] if "time per step, 95%" in item.titles else record
                complaints += alone.about_table({"columns": item.titles, "rows": item.rows})
                complaints += [f"{row}: it is the other way round" for row in item.rows
                               if is_contradictory(item.titles, row)]
            else:
                complaints += grids.check_grid(self.context, item)
                rows = [tuple(word for word in " ".join(row).split() if word != "-") for row in item.rows]
                self.grid = dict(zip(rows, self.context.shown_rows))
        return complaints

    def check_console(self, document, text):
        """Of a text whose lines were not broken: what the document does not say must be proven by itself."""
        proven, place, label, complaints = list(report_items.words_of(self.items(document))), 0, None, []
        self.context.shown_rows = [self.grid[row] for row in map(tuple, plain_lines(text)) if row in self.grid]
        for line, words in zip(text.split("\n"), plain_lines(text)):
            label = line if line in self.facts else None if line and not line.startswith(" ") else label
            if not words or line.strip().startswith(UNREAD):
                continue
            # No sentence of a scenario stands for one of another.
            others = [plain_lines(title)[0] for title in self.facts if title and title != label] if label else []
            found = next((at for at in range(place, len(proven)) if proven[at] in (words, *others)), None)
            if found is not None and proven[found] == words:
                place = found
            elif words in proven and label is None:
                continue
            elif words in proven:
                complaints.append(f"{line!r} is elsewhere in the document")
            else:
                complaints += self.complaints(" ".join(words), label)
        return complaints


def is_contradictory(titles, row):
    """Whether the row's verdict goes against its own ratio, change or speed-up."""
    found = dict(zip(titles, row))
    for title, is_less in (
        ("change", lambda text: text[0] == "-"), ("speed-up, 95%", lambda text: float(text.split("x")[0]) > 1),
        ("ratio to baseline", lambda text: float(text.split("x")[0]) < 1),
        ("ratio to the fastest", lambda text: float(text.split("x")[0]) < 1),
    ):
        if title in found and found.get("verdict") in ("faster", "slower"):
            return is_less(found[title]) != (found["verdict"] == "faster") and not found[title].startswith("1.00x")
    return False


def names_in(context):
    report, overview = context.report, context.overview
    names = {form for cell in report.everything for form in (cell.id, cell.name, cell.variant, cell.implementation)}
    names |= {form for row in overview.rows for form in (row.brief, row.label, f"@{row.threads}")}
    names |= {part for cell in report.cells if "@" in cell.implementation for part in cell.implementation.split("@")}
    names |= {form for cell in overview.cells for form in (f"@{cell.threads}", overview.kind(cell))}
    names |= set(overview.keys) | {report.run["baseline"]} | set(cost_fits.fits_of(report))
    for scenario in report.scenarios.values():
        names.add(scenario["label"])
        names |= {f"{key}={value}" for key, value in scenario.get("side_by_side", {}).get("values", {}).items()}
    return names


def check_csv(report, text):
    context = Context(report)
    records = list(csv.DictReader(io.StringIO(text, newline="")))
    cells = {cell.id: cell for cell in context.report.cells}
    if sorted(record["cell"] for record in records) != sorted(cells):
        return ["the rows are not the report's cells"]
    return [complaint for record in records for complaint in check_record(context, cells[record["cell"]], record)]


def check_json(report, text):
    return check_summaries(Context(report), text)
