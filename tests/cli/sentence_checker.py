"""Takes what gdbench renders of a report and proves it from the report's samples. The document is proven figure by
figure and claim by claim; what the first screen shows must be in it. Returns complaints, a line each."""

import csv
import io
import json
import re

import grids
import report_charts
import report_items
import tables
from overview_facts import Overview
from overview_rows import overview_of
from scenario_facts import scenario_facts
from statements import CLAIMS, Quote, Reader
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
        self.facts[None] = [*self.overview.facts, *self.overview.hidden([])]
        figures = (fact.figure.value for facts in self.facts.values() for fact in facts)
        self.grid = {}  # words of a row of the first screen -> that row
        self.reader = Reader(names_in(self.context), {value for value in figures if isinstance(value, Quote)})

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
            if isinstance(item, report_items.Sentence) and item.text.startswith(report_charts.UNTIMED):
                complaints += report_charts.untimed_complaints(self.context, item.text)
                continue
            if isinstance(item, report_items.Sentence):
                complaints += self.complaints(item.text, item.scenario)
                continue
            if isinstance(item, report_items.Chart):
                complaints += report_charts.check(self.context, item)
                continue
            check = table_checker(item)
            complaints += check(self.context, item)
            if check is grids.check_grid:
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


def table_checker(table):
    if "a: per step" in table.titles:
        return grids.check_costs
    if table.name.startswith("values of "):
        return grids.check_values
    if table.titles[1:2] == ["per step"]:
        return grids.check_thread_costs
    if table.titles == ["not timed", "reason"]:
        return tables.check_untimed
    if table.name == "Time per step, and how many times that of the scenario's fastest":
        return report_charts.check_whole_grid
    return grids.check_grid if table.scenario is None and table.titles[0] != "implementation" else tables.check_table


def names_in(context):
    report, overview = context.report, context.overview
    names = {form for cell in report.everything for form in (cell.id, cell.name, cell.variant, cell.implementation)}
    names |= {form for row in overview.rows for form in (row.brief, row.label, f"@{row.threads}")}
    names |= {part for cell in report.cells if "@" in cell.implementation for part in cell.implementation.split("@")}
    names |= {form for cell in overview.cells for form in (f"@{cell.threads}", overview.kind(cell))}
    names |= set(overview.keys) | {report.run["baseline"]}
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
