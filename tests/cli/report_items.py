"""What a report's document says: sentences, tables and charts of rows, with the scenario that each is about."""

import json
from typing import NamedTuple

from documents import text_of


class Sentence(NamedTuple):
    text: str
    scenario: str | None  # the label of the section that it stands in


class Table(NamedTuple):
    titles: list
    rows: list  # of texts, one per title
    scenario: str | None
    name: str = ""  # its title, or that of what it stands in


class Chart(NamedTuple):
    title: str
    rows: list
    scenario: str | None


def table_of(content, scenario, name):
    """Without what aligns the parts of texts."""
    return Table(content["columns"], [[text.strip() for text in row] for row in content["rows"]], scenario, name)


def items_of(document, labels):
    """What a report's document says, in its order; `labels` are sections of scenarios."""
    yield from (Sentence(text_of(sentence), None) for sentence in document["answer"])
    for section in document["sections"]:
        scenario = section["title"] if section["title"] in labels else None
        yield from items_of_blocks(section["blocks"], scenario, section["title"])


def items_of_blocks(blocks, scenario, name):
    for block in blocks:
        ((kind, content),) = block.items()
        if kind == "fold":
            yield from items_of_blocks(content["blocks"], scenario, content["summary"])
        elif kind == "paragraph":
            name = text_of(content)
            yield Sentence(name, scenario)
        elif kind == "list":
            yield from (Sentence(text_of(item), scenario) for item in content)
        elif kind == "table":
            yield table_of(content, scenario, content["title"] or name)
        elif kind == "figure":
            if "data" in content:
                yield table_of(content["data"], scenario, content["title"])
            if "rows" in content.get("chart", {}):
                yield Chart(content["title"], content["chart"]["rows"], scenario)


def words_of(items):
    """The words of each sentence and each row of a table, as a screen may show them in a line."""
    scenario = None
    for item in items:
        if item.scenario and item.scenario != scenario:
            yield item.scenario.split()
        scenario = item.scenario
        if isinstance(item, Sentence):
            yield item.text.split()
        elif isinstance(item, Table):
            for row in (item.titles, *item.rows):
                yield [word for word in " ".join(row).split() if word != "-"]


# What a report says of the machine, how it is read, and charts whose numbers no checker computes again.
UNREAD = ("Versions, compilers and libraries", "What the run began under", "Commands that repeat each cell")
UNREAD_CHARTS = ("Time to result", "Blocks in the order", "Launches in the order", "Time over", "Roofline")


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
