"""The template of the sentence about one implementation in several Python environments."""

import math

from sentence_templates import check_ratio, require, template
from sentences_about_winners import check_remark


def environment_of(cell):
    return cell.implementation.partition("@")[2]


def name_of(cell):
    return cell.name.replace(f"@{environment_of(cell)}", "", 1)


def pairs_of(report):
    """(cell in the first environment, cell in another)."""
    first, pairs = {}, []
    for cell in report.cells:
        if cell.is_timed and cell.arm == "new" and environment_of(cell):
            known = first.setdefault((cell.scenario, name_of(cell)), cell)
            pairs += [] if known is cell else [(known, cell)]
    return pairs


def check_versions(text, cell, other):
    parts = [set(one.record["build"].split(", ")) for one in (cell, other)]
    require(set(text.split(", ") if text else []) == parts[0] - parts[1], f"{text!r} is not what {cell.id} has alone")


@template(
    r"(?P<name>\S+(?: \S+=\S+)*(?: @\d+)?) takes (?P<ratio><RATIO>) as long in (?P<other>\S+)(?: \((?P<own>[^()]+)\))? "
    r"as in (?P<first>\S+?)(?: \((?P<known>[^()]+)\))?: (?P<verdict>[a-z]+)(?: \((?P<remark>[^()]+)\))?"
    r"(?: \((?P<label>[^()]+), the farthest apart of (?P<rows>\d+) rows\))?\."
)
def beside_another_environment(context, sentence, name, ratio, other, own, first, known, verdict, remark, label, rows):
    report = context.report
    pairs = [pair for pair in pairs_of(report) if environment_of(pair[1]) == other]
    names = {name_of(cell) for pair in pairs_of(report) for cell in pair}
    require(names == {name}, f"there are {names}")
    require(len(pairs) == int(rows or 1), f"there are {len(pairs)} rows")
    compared = {pair: report.compare(*pair) for pair in pairs}
    farthest = max(pairs, key=lambda pair: abs(math.log(compared[pair].ratio.value)))
    require(not rows or label == report.label(farthest[1]), f"{farthest[1].id} is the farthest apart")
    require(environment_of(farthest[0]) == first, f"the first is {farthest[0].id}")
    check_ratio(ratio, compared[farthest].ratio, "ratio")
    require(verdict == compared[farthest].verdict, f"the verdict is {compared[farthest].verdict}")
    require(bool(remark) == (verdict == "inconclusive"), "there is a reason for no verdict, or none")
    if remark:
        check_remark(context, remark, [compared[farthest]], farthest[1].scenario)
    check_versions(own, farthest[1], farthest[0])
    check_versions(known, farthest[0], farthest[1])
