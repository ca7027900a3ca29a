"""What the templates of sentences share: where they are registered, checks of the names, times and ratios in them."""

import re

from printed_figures import INTERVAL, NUMBER, PERCENT, RATIO, TIME, is_ratio, is_time
from report_figures import counted

CLAIMS = re.compile(
    r"\d|\b(wins?|winner|faster|slower|fastest|slowest|tied|ties|equivalent|overtakes?|ahead|never|at most|at least|"
    r"first|less|more|not told apart|from \S+ on)\b"
)
TEMPLATES = []
PARTS = {"RATIO": RATIO, "TIME": TIME, "NUMBER": NUMBER, "INTERVAL": INTERVAL, "PERCENT": PERCENT}


class Lie(Exception):
    """What a sentence says is not what the samples say."""


def require(condition, message):
    if not condition:
        raise Lie(message)


def template(pattern):
    """Registers check(context, sentence, **groups) for sentences that the pattern matches as a whole."""
    for name, part in PARTS.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{part})")

    def register(check):
        TEMPLATES.append((re.compile(pattern, re.DOTALL), check))
        return check

    return register


def check_sentence(context, sentence):
    """Complaints about one sentence: none where a template proves it."""
    complaints = []
    if sentence in context.proven:
        return []
    for pattern, check in TEMPLATES:
        match = pattern.fullmatch(sentence.text)
        if not match:
            continue
        try:
            check(context, sentence, **match.groupdict())
            context.proven.add(sentence)
            return []
        except (Lie, ValueError) as lie:
            complaints.append(f"{sentence.text!r}: {lie}")
    if complaints:
        return complaints
    return [f"{sentence.text!r}: no template knows this claim"] if CLAIMS.search(sentence.text) else []


def is_proven(context, sentence):
    """Whether there is a template for it, and what it says is so."""
    return any(pattern.fullmatch(sentence.text) for pattern, _ in TEMPLATES) and not check_sentence(context, sentence)


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def row_of(context, brief):
    rows = [row for row in context.overview.rows if row.brief == brief]
    require(len(rows) == 1, f"no row is called {brief!r}")
    return rows[0]


def cell_in(cells, name, attribute="name"):
    found = [cell for cell in cells if getattr(cell, attribute) == name]
    require(found, f"there is no cell {name!r}")
    return found[0]


def check_timed(cells, text):
    """ "hand/eigen @4 (18.3 ns)": the cell, whose time that is."""
    match = re.fullmatch(rf"(.+) \(({TIME})\)", text)
    require(match, f"{text!r} has no time")
    cell = cell_in(cells, match[1])
    require(cell.is_timed and is_time(match[2], cell.step.value), f"{match[1]} does not take {match[2]}")
    return cell


def check_ratio(text, estimate, what):
    require(is_ratio(text, estimate), f"{what}: found {text}, expected {estimate}")


def counts_in(text):
    """ "eigen 3, naive 2, 1 more": [(name, count or None)] and how many names are left out."""
    parts = text.split(", ")
    more = re.fullmatch(r"(\d+) more", parts[-1])
    entries = [re.fullmatch(r"(.+?)(?: (\d+))?", part).groups() for part in (parts[:-1] if more else parts)]
    return entries, int(more[1]) if more else 0


def check_counts(text, names):
    """Against all of the names that are counted."""
    expected = counted(names)
    if len(expected) == 1:
        require(text == expected[0][0], f"found {text}, expected {expected[0][0]}")
        return
    entries, more = counts_in(text)
    require(len(entries) + more == len(expected), f"{text}: expected {len(expected)} names")
    require([(n, int(c or 0)) for n, c in entries] == expected[: len(entries)], f"{text}: expected {expected}")
