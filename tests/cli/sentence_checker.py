"""Takes what gdbench renders of a report and proves it from the report's samples. The document is proven figure by
figure and claim by claim; what the first screen shows must be in it. Returns complaints, a line each."""

import functools
import json
import re
from collections import Counter

import grids
from documents import parts_of, text_of
from expected_words import plural
from overview_facts import WHOLE, overview_facts
from overview_rows import overview_of
from records import Record
from report_facts import chosen_baseline, scenario_facts
from statements import by_name, known
from values_checker import check_csv, check_json  # noqa: F401

# Sections and lines about the machine, how a report is read, and charts whose numbers no checker computes again.
UNREAD = ("Versions, compilers and libraries", "Commands that repeat each cell", "What columns")
UNREAD_CHARTS = ("Time to result", "Blocks in the order", "Launches in the order", "Time over", "Roofline")
FROM_TO = re.compile(r"([\d.]+)(x| steps) \[[^]]*\].*? to ([\d.]+)\2 \[")  # "by 1.2x [...] over ... to 3x [...]"
WINS = re.compile(r" wins (\d+) of \d+, by ")
TALLY = re.compile(r"(?<!\S)\(?(\S+/\S+) \d+(?=[,.;)](?!\d)| ahead|$)")
HIDDEN = re.compile(r"and (\d+) more (?:row|scenario)s?(?:: .*)?")


def read_parts(text):
    """The JSON of a document without what checkers do not read."""

    def is_read(block):
        ((kind, content),) = block.items()
        if kind == "fold":
            content["blocks"] = list(filter(is_read, content["blocks"]))
            return not content["summary"].startswith(UNREAD)
        if kind == "figure":
            content.pop("sentence")
            if "rows" not in content["chart"]:
                del content["chart"]
            elif content["title"].startswith("Times relative"):
                del content["data"]
            return not content["title"].startswith(UNREAD_CHARTS) and ": loss over steps" not in content["title"]
        return kind != "paragraph" or not text_of(content).startswith(("run ", "ceilings "))

    document = json.loads(text)
    for section in document["sections"]:
        section["blocks"] = [block for block in section["blocks"]
                             if is_read(block) and (section["title"] or "paragraph" not in block)]
    return json.dumps(document, indent=1, ensure_ascii=False)


def has_twins(texts):
    return len(set(texts)) < len(texts)


def words_of(texts):
    return tuple(word for word in " ".join(texts).split() if word != "-")


class Proof:
    """Of the document of one report. `fits`: what size costs, which the report's JSON has, for the tests of fits."""

    def __init__(self, report, fits=()):
        self.report, self.overview = report, overview_of(report)
        self.conditions = report.document.get("conditions") or []
        self.facts = {record["label"]: list(scenario_facts(report, key)) for key, record in report.scenarios.items()}
        self.facts[None] = list(overview_facts(report, fits))
        for cell in report.cells:
            self.facts[report.label(cell)] += grids.ratio_facts(self.overview, cell)
        for facts in self.facts.values():
            facts.append(known(WHOLE))
        every = [fact for facts in self.facts.values() for fact in facts]
        names = {name for fact in every for name in fact.about}.union(filter(None, self.facts), *(
            (cell.name, cell.implementation, *cell.implementation.split("@")) for cell in report.cells))
        self.reader = Record(every, names).reader
        self.records = {label: Record(facts, names, self.reader) for label, facts in self.facts.items()}
        self.by_name = {label: by_name(facts) for label, facts in self.facts.items()}
        self.complaints = functools.cache(self.complaints)

    def complaints(self, text, label):
        """About a sentence under the heading of a scenario, or under none."""
        text = text.removeprefix(f"{label}: ")
        listed, names = re.split(": | on ", text + ": : ")[1].split(", "), self.reader.names_in(text)
        tallied = TALLY.findall(text)
        is_twice = has_twins(listed) or has_twins(tallied) or (len(names) == 2 and has_twins(names))
        twice = [f"{text!r}: one stands twice"] if is_twice else []
        turned = [f"{text!r}: from most to least" for ends in FROM_TO.findall(text) if float(ends[0]) > float(ends[2])]
        return twice + turned + self.reader.complaints(text, self.by_name[label], label)

    def check_document(self, text):
        document = json.loads(text)
        complaints = [wrong for sentence in document["answer"] for wrong in self.complaints(text_of(sentence), None)]
        for section in document["sections"]:
            label = section["title"] if section["title"] in self.facts else None
            complaints += self.absent(section, label)
            for kind, content in parts_of(section["blocks"]):
                if kind == "paragraph":
                    complaints += self.complaints(content, label)
                elif kind == "table":
                    complaints += self.table_complaints(content, label)
                elif kind == "figure":
                    complaints += self.table_complaints(content["data"], label) if "data" in content else []
                    chart = content.get("chart", {})
                    complaints += self.records[label].about_chart(chart, " ")
                    complaints += self.twins([[(row.get("group"), row["label"])] for row in chart.get("rows", ())])
        wins = [int(number) for number in WINS.findall(text)]
        return complaints + ([] if wins == sorted(wins, reverse=True) else [f"the most wins are not first: {wins}"])

    def absent(self, section, label):
        """About what a section must have: a row for each cell, a dot for each launch, and what the report was given."""
        report, text = self.report, json.dumps(section, ensure_ascii=False)
        cells = [cell for cell in report.cells if report.label(cell) == label and cell.is_timed]
        expected = {"Time per step": {cell.name: len(cell.times) for cell in cells},
                    "Where a step's time goes": {cell.name: 0 for cell in cells if cell.profile},
                    "Memory": {cell.name: 0 for cell in cells}}
        charts = {content["title"]: content["chart"]["rows"] for kind, content in parts_of(section["blocks"])
                  if kind == "figure" and "chart" in content}
        rows = {title: {row["label"]: len(row.get("dots", ())) for row in charts.get(title, ())} for title in expected}
        must = [f"control: {control.implementation} against itself" for control, *_ in report.controls
                if report.label(control) == label]
        must += [f"atios are to {base.name}" for key, scenario in report.scenarios.items()
                 if scenario["label"] == label and (base := chosen_baseline(report, key))]
        if section["title"] == "Which wins where":
            timed, every = sum(cell.is_timed for cell in report.cells), plural(len(report.cells), "cell")
            must.append(f"{timed} of {every} timed" if timed < len(report.cells) else f"{every} timed")
        if section["title"] == "Evidence":
            must += [f"{n} {state}" for state, n in Counter(cell.state for cell in report.cells).items()]
            must += [*report.document["notes"], *(f"warning: {c['name']}: {c['found']}" for c in self.conditions
                                                  if c["severity"] == "warning")]
        wrong = [f"{label}: {rows} instead of {expected}"] if label and rows != expected else []
        return wrong + [f"{label}: {part!r} is absent" for part in must if part not in text]

    @staticmethod
    def twins(rows):
        return [f"{rows}: two are alike"] if has_twins([row[0] for row in rows]) else []

    def table_complaints(self, content, label):
        rows = [[text.strip() for text in row] for row in content["rows"]]
        titles, record = content["columns"], self.records[label]
        if titles[0] == "condition":
            given = [[condition[key] for key in ("name", *titles[1:])] for condition in self.conditions]
            return [] if rows == given else [f"{rows} are others"]
        if label is None and titles[0] not in ("implementation", "scenario"):
            return self.twins(rows) + grids.check_grid(self.overview, titles, rows)
        complaints = self.twins(rows)
        if "time per step, 95%" in titles:  # of the only scenario there is
            record = next(iter(self.records.values()))
            wrong, rows = grids.without_marks(self.overview, rows)
            complaints += wrong
        of = next((title for title in titles if title in ("speed-up, 95%", "change", grids.TO_THE_FASTEST)), None)
        titles = [f"verdict of {of}" if of and title == "verdict" else title for title in titles]
        complaints += record.about_table({"columns": titles, "rows": rows})
        if titles[-1] == "in":  # a figure of the scenario that the row names
            complaints += [wrong for row in rows for wrong in record.not_shown(row[1], f"{row[0]} {row[2]}")]
        return complaints

    def check_screen(self, document, text):
        """Of a text whose lines were not broken: each is of the document, which has more rows of a long table."""
        has, tables = {words_of([text_of(sentence)]) for sentence in document["answer"]}, []
        for section in document["sections"]:
            parts = list(parts_of(section["blocks"]))
            has |= {words_of([content]) for kind, content in parts if kind == "paragraph"}
            tables += [content for kind, content in parts if kind == "table"]
        rows = {words_of(row) for table in tables for row in table["rows"]}
        heads = {tuple(sorted(words_of(table["columns"]))) for table in tables}
        lines = [line for line in text.split("\n") if line.strip() and not line.startswith("More: gdbench report ")]
        every = self.overview.keys if self.overview.turned else self.overview.rows
        shown = sum(words_of([line]) in rows for line in lines)
        for head in (*zip(lines), *zip(lines, lines[1:])):  # which may have two lines
            has |= set(map(words_of, zip(head))) if tuple(sorted(words_of(head))) in heads else set()
        has |= {words_of([line]) for line in lines
                if (hidden := HIDDEN.fullmatch(line)) and shown + int(hidden[1]) == len(every)
                and not self.complaints(line, None)}
        return [f"{line!r} is not of the document" for line in lines if words_of([line]) not in has | rows]
