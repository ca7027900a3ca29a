"""Takes what gdbench renders of a report and proves it from the report's samples. The document is proven figure by
figure and claim by claim; what the first screen shows must be in it. Returns complaints, a line each."""

import csv
import functools
import io
import json
import re

import cost_fits
import grids
from documents import parts_of, text_of
from overview_facts import Overview
from overview_rows import overview_of
from records import Record
from report_facts import compared, cost_facts, grid_facts, relative_facts, untimed_facts
from scenario_facts import chosen_baseline, scenario_facts
from statements import CLAIMS, by_name, known
from values_checker import check_record, check_summaries

UNREAD_LINES = ("More: gdbench report ", "What the columns mean: ", "implementation ")
# What a report says of the machine, how it is read, and charts whose numbers no checker computes again.
UNREAD = ("Versions, compilers and libraries", "Commands that repeat each cell")
UNREAD_CHARTS = ("Time to result", "Blocks in the order", "Launches in the order", "Time over", "Roofline")


FROM_TO = re.compile(r"([\d.]+)(x| steps) \[[^]]*\].*? to ([\d.]+)\2 \[")  # "by 1.2x [...] over ... to 3x [...]"
WINS = re.compile(r" wins (\d+) of \d+, by ")
CONDITION = ("name", "severity", "found", "effect", "advice")


def read_parts(text):
    """The JSON of a document without what checkers do not read."""

    def is_read(block):
        ((kind, content),) = block.items()
        if kind == "fold":
            content["blocks"] = list(filter(is_read, content["blocks"]))
            return not content["summary"].startswith((*UNREAD, "What columns"))
        if kind == "figure":
            content.pop("sentence")
            if "rows" not in content["chart"]:
                del content["chart"]
            elif content["title"].startswith("Times relative"):
                del content["data"]
            return not content["title"].startswith(UNREAD_CHARTS) and ": loss over steps" not in content["title"]
        return True

    document = json.loads(text)
    for section in document["sections"]:
        section["blocks"] = list(filter(is_read, section["blocks"]))
    return json.dumps(document, indent=1, ensure_ascii=False)


def words_of(texts):
    return tuple(word for word in " ".join(texts).split() if word != "-")


class Context:
    """What checks ask for: the report, its overview, and what was read of the output so far."""

    def __init__(self, report):
        self.report = report
        self.overview = overview_of(report)
        self.shown_rows = []  # of the grid


class Proof:
    """Of all that is rendered of one report."""

    def __init__(self, report):
        self.context, self.overview = Context(report), Overview(Context(report))
        self.conditions = report.document.get("conditions") or []
        self.facts = {report.scenarios[key]["label"]: list(scenario_facts(report, key)) for key in report.scenarios}
        self.facts[None] = [*self.overview.facts, *self.overview.hidden([]), *untimed_facts(report, report.cells)]
        self.facts[None] += [*relative_facts(report), *cost_facts(report)]
        overview = self.context.overview
        for cell in report.cells:
            self.facts[None] += grid_facts(report, cell, report.label(cell))
            shown = overview.turned and overview.ratio_shown(overview.rows[0], cell)
            columns = ("ratio to the fastest", "ratio to baseline"), ("verdict",), ()
            self.facts[report.label(cell)] += [known(figure, cell.name, columns=of) for figure, of
                                               in zip(compared(shown) if shown else (), columns)]
        every = [fact for facts in self.facts.values() for fact in facts]
        names = names_in(self.context)
        self.reader = Record(every, names).reader
        self.records = {label: Record(facts, names, self.reader) for label, facts in self.facts.items()}
        self.wrong, self.known = map(functools.cache, (self.complaints_uncached, self.known_uncached))
        self.grid = {}  # words of a row of the first screen -> that row
        self.proven = set()  # words of sentences and of rows

    def complaints(self, text, label):
        """About a sentence under the heading of a scenario, or under none."""
        if text.endswith(":") and not any(map(str.isdigit, text)):
            return [f"{text!r}: a title claims something"] if re.search(rf"\b(?:{CLAIMS})\b", text) else []
        if label and text.startswith(f"{label}: "):
            label = None  # who wins is known of all scenarios
        return self.wrong(text, label, () if label else tuple(self.context.shown_rows))

    def complaints_uncached(self, text, label, shown):
        turned = [f"{text!r}: from most to least" for ends in FROM_TO.findall(text) if float(ends[0]) > float(ends[2])]
        return turned + self.reader.complaints(text, self.known(label, shown), label)

    def known_uncached(self, label, shown):
        return by_name([*self.facts[label], *(() if label else self.overview.hidden(shown))])

    def check_document(self, text):
        """What the first of the documents says is there for the screen to say."""
        document, proven = json.loads(text), set()
        complaints = [wrong for sentence in document["answer"] for wrong in self.complaints(text_of(sentence), None)]
        for section in document["sections"]:
            label = section["title"] if section["title"] in self.facts else None
            complaints += self.absent(section, label)
            for kind, content in parts_of(section["blocks"]):
                if kind == "paragraph":
                    complaints += self.complaints(content, label)
                elif kind == "table":
                    complaints += self.table_complaints(content, label, proven)
                elif kind == "figure":
                    complaints += self.table_complaints(content["data"], label, proven) if "data" in content else []
                    complaints += self.records[label].about_chart(content.get("chart", {}), " ")
        wins = [int(number) for number in WINS.findall(text)]
        complaints += [] if wins == sorted(wins, reverse=True) else [f"the most wins are not first: {wins}"]
        self.proven = self.proven or proven
        return complaints

    def absent(self, section, label):
        """About what a section must have: a row for each cell, a dot for each launch, and what the report was given."""
        report, text = self.context.report, json.dumps(section, ensure_ascii=False)
        cells = [cell for cell in report.cells if report.label(cell) == label and cell.is_timed]
        profiled = [cell for cell in cells if cell.profile and cell.profile["profiled_step_ns"] > 0]
        charts = {content["title"]: content.get("chart") for kind, content in parts_of(section["blocks"])
                  if kind == "figure"}
        rows = {title: {row["label"]: len(row.get("dots", ())) for row in charts.get(title, {"rows": ()})["rows"]}
                for title in ("Time per step", "Where a step's time goes", "Memory")}
        expected = [{cell.name: len(cell.times) for cell in cells}, *({cell.name: 0 for cell in of}
                                                                      for of in (profiled, cells))]
        must = [control.implementation for control, _, _ in report.controls if report.label(control) == label]
        must = [f"control: {name} against itself" for name in must]
        must += [f"atios are to {base.name}" for key, scenario in report.scenarios.items()
                 if scenario["label"] == label and (base := chosen_baseline(report, key))]
        if section["title"] == "Evidence":
            must += [*report.document["notes"], *(f"warning: {c['name']}: {c['found']}" for c in self.conditions
                                                  if c["severity"] == "warning")]
        wrong = [f"{label}: {rows} instead of {expected}"] if label and list(rows.values()) != expected else []
        return wrong + [f"{label}: {part!r} is absent" for part in must if part not in text]

    def table_complaints(self, content, label, proven):
        rows = [[text.strip() for text in row] for row in content["rows"]]
        titles, record = content["columns"], self.records[label]
        if titles[0] == "condition":
            given = [[condition[title] for title in CONDITION] for condition in self.conditions]
            return [] if rows == given else [f"{rows} are others"]
        proven |= set(map(words_of, [titles, *rows]))
        if label is None and titles[0] not in ("implementation", "scenario"):
            complaints = grids.check_grid(self.context, titles, rows)
            self.grid = dict(zip(map(words_of, rows), self.context.shown_rows))
            return complaints
        complaints = []
        if "time per step, 95%" in titles:  # of the only scenario there is
            record = next(iter(self.records.values()))
            complaints, rows = grids.without_marks(self.context, rows)
        complaints += record.about_table({"columns": titles, "rows": rows})
        if titles[-1] == "in":  # a figure of the scenario that the row names
            complaints += [wrong for row in rows for wrong in record.not_shown(row[1], f"{row[0]} {row[2]}")]
        return complaints + [f"{row}: it is the other way round" for row in rows if is_contradictory(titles, row)]

    def check_console(self, text):
        """Of a text whose lines were not broken: what the document does not say must be proven by itself."""
        rows = (words_of([line]) for line in text.split("\n"))
        self.context.shown_rows = [self.grid[row] for row in rows if row in self.grid]
        lines = [line.strip() for line in text.split("\n") if words_of([line]) not in self.proven]
        unproven = [line for line in lines if line and not line.startswith(UNREAD_LINES)]
        rows = [f"{line!r} is no row of the document" for line in unproven if re.search(r"\d.*  |  .*\d", line)]
        return rows + [wrong for line in unproven for wrong in self.complaints(line, None)]


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
