"""What a report may say of one implementation in several Python environments."""

import math

from expected_words import ratio
from statements import known, quote, word


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
