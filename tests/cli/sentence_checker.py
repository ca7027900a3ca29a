"""Takes what gdbench renders of a report and proves it from the report's samples: every figure, every name and every
word that claims something. Returns complaints, a line each; a claim that nothing here knows is one."""

import csv
import functools
import io

import rendered_documents
import sentences_about_cells  # noqa: F401  registers its templates
import sentences_about_costs  # noqa: F401
import sentences_about_environments  # noqa: F401
import sentences_about_reasons  # noqa: F401
import sentences_about_runs
import sentences_about_winners  # noqa: F401
from grid_checker import check_columns, check_grid
from overview_rows import cut, overview_of
from sentence_templates import check_sentence, is_proven, require
from tables_checker import check_costs, check_table
from thread_tables import check_thread_costs
from value_tables import check_values
from values_checker import check_record, check_summaries


class Context:
    """What checks ask for: the report, its overview, and what was read of the output so far."""

    def __init__(self, report, width=100):
        self.report = report
        self.overview = overview_of(report)
        self.width = width
        self.shown_rows = None  # of the grid
        self.shown_keys = []  # of its columns
        self.left_out = set()  # columns that are said to be; None: not all are said
        self.proven = set()  # sentences

    def cells_of(self, label):
        require(any(label == s["label"] for s in self.report.scenarios.values()), f"no scenario is called {label!r}")
        return [cell for cell in self.report.cells if self.report.label(cell) == label]

    def ranked_of(self, label):
        return [cell for cell in self.cells_of(label) if cell.is_ranked]

    def resolved(self, label):
        return next(s["resolved"] for s in self.report.scenarios.values() if s["label"] == label)

    def is_baseline(self, cell):
        return self.report.baseline_of(cell) is cell and any(
            other is not cell and self.report.to_baseline(other) and self.report.baseline_of(other) is cell
            for other in self.report.everything
        )

    def full_name(self, text, cells):
        """Of a name that was cut for lack of room."""
        found = [cell.name for cell in cells if text in (cell.name, cut(cell.name, len(text)))]
        require(len(found) == 1, f"{len(found)} cells are called {text!r}")
        return found[0]


def check_items(context, items):
    """Of sentences and tables in their order."""
    complaints, said = [], set()
    for item in items:
        if isinstance(item, rendered_documents.Sentence):
            complaints += check_sentence(context, item)
            complaints += [f"{item.text!r}: is said twice"] if item.scenario and item in said else []
            said.add(item)
        elif "a: per step" in item.titles:
            complaints += check_costs(context, item)
        elif item.name.startswith("values of "):
            complaints += check_values(context, item)
        elif item.titles[1:2] == ["per step"]:
            complaints += check_thread_costs(context, item)
        elif item.scenario is None and item.titles[0] != "implementation":
            complaints += check_grid(context, item)
        else:
            complaints += check_table(context, item)
    return complaints


def check_first_screen(report, text, width):
    context = Context(report, width)
    head, table, sentences = rendered_documents.first_screen(
        text, width, context.overview.turned, functools.partial(is_proven, context)
    )
    complaints = check_items(context, ([table] if table else []) + sentences)
    return sentences_about_runs.check_head(context.report, head) + complaints + check_columns(context)


def check_details(report, text, width):
    context = Context(report, width)
    labels = {scenario["label"] for scenario in context.report.scenarios.values()}
    return check_items(context, rendered_documents.details(text, width, labels, functools.partial(is_proven, context)))


def check_markdown(report, text):
    context = Context(report)
    legend = text.index("\n- time per step, time/step: ")
    return check_items(context, rendered_documents.markdown(text[:legend]))


def check_csv(report, text):
    context = Context(report)
    records = list(csv.DictReader(io.StringIO(text, newline="")))
    cells = {cell.id: cell for cell in context.report.cells}
    complaints = [] if {record["cell"] for record in records} == set(cells) else ["the rows are not the report's cells"]
    for record in records:
        if record["cell"] in cells:
            complaints += check_record(context, cells[record["cell"]], record)
    return complaints


def check_json(report, text):
    return check_summaries(Context(report), text)
