"""Templates of the sentences that say who wins, who is tied and where there is no verdict."""

import re

import estimates
from printed_figures import NUMBER, RATIO, TIME, is_change, rounds_to, three_digits
from report_figures import counted
from sentence_templates import (
    Lie,
    cell_in,
    check_counts,
    check_ratio,
    check_timed,
    counts_in,
    require,
    row_of,
    template,
)


def check_remark(context, text, comparisons, scenario):
    """Why there is no verdict on one of the comparisons."""
    margin, unfit = context.report.rules(scenario)
    if match := re.fullmatch(
        rf"the control took ({NUMBER}) \[({NUMBER}), ({NUMBER})\] times as long as itself: "
        r"this machine was unfit",
        text,
    ):
        ratios = [c.ratio for cell, _, c in context.report.controls if cell.scenario == scenario]
        fits = any(all(three_digits(v, t) for v, t in zip(ratio, match.groups())) for ratio in ratios)
        require(unfit and fits, "no control says so")
    elif match := re.fullmatch(
        rf"the interval from ({NUMBER}) to ({NUMBER}) reaches across the margin of ({NUMBER})%", text
    ):
        fits = any(
            rounds_to(c.ratio.low, match[1])
            and rounds_to(c.ratio.high, match[2])
            and c.verdict == "inconclusive"
            and not c.undecidable
            for c in comparisons
        )
        require(fits and match[3] == f"{100 * margin:.3g}", f"{text}: no comparison says so")
    elif match := re.fullmatch(r"(\d+) launches, at least 3 are needed", text):
        require(any(c.ratio.launches == int(match[1]) < estimates.FEWEST_LAUNCHES for c in comparisons), text)
    elif text in ("measured within one process: says nothing about other launches",):
        require(any(c.ratio.launches == 1 for c in comparisons), text)
    elif text == "no launch has times of both":
        require(any(c.ratio.launches == 0 for c in comparisons), text)
    else:
        require(False, f"unknown reason {text!r}")


@template(r"(?P<label>.+): (?P<first>.+?) wins: (?P<second>.+?) takes (?P<ratio><RATIO>) as long\.")
def winner_of_scenario(context, sentence, label, first, second, ratio):
    check_win(context.ranked_of(label), context, first, second, ratio)


@template(r"(?P<first>.+?) wins: (?P<second>.+?) takes (?P<ratio><RATIO>) as long\.")
def winner_of_the_only_scenario(context, sentence, first, second, ratio):
    require(context.overview.turned, "there are several scenarios")
    check_win([cell for cell in context.overview.cells if cell.is_ranked], context, first, second, ratio)


def check_win(cells, context, first, second, ratio):
    standing = context.report.standing(cells)
    winner, other = check_timed(cells, first), check_timed(cells, second)
    require(standing.won and winner is standing.first, f"{winner.name} does not win")
    require(other is standing.next, f"{other.name} is not the next")
    check_ratio(ratio, standing.lead.ratio, "lead")


@template(
    r"(?P<label>.+): (?P<first>.+?) was fastest(?:, (?P<second>.+?) takes (?P<ratio><RATIO>) as long)?; "
    r"no verdict \((?P<remark>.+)\)\."
)
def no_verdict_on_scenario(context, sentence, label, first, second, ratio, remark):
    cells = context.ranked_of(label)
    standing = context.report.standing(cells)
    require(standing.undecidable, "there is a verdict")
    require(check_timed(cells, first) is standing.first, "another one is ahead")
    require(bool(second) == (standing.lead.ratio.launches > 0), "there is a ratio, or there is none")
    if second:
        require(check_timed(cells, second) is standing.next, "another one is next")
        check_ratio(ratio, standing.lead.ratio, "lead")
    check_undecidable(context, standing, remark, cells[0].scenario)


def check_undecidable(context, standing, remark, scenario):
    if remark == "the comparisons contradict each other":
        require(standing.contradictory, "they do not")
    else:
        check_remark(context, remark, [c for c in standing.comparisons.values() if c.undecidable], scenario)


@template(r"(?P<label>.+): (?P<first>.+?) and (?P<second>.+?) are equivalent\.")
def equivalent(context, sentence, label, first, second):
    cells = context.ranked_of(label)
    standing = context.report.standing(cells)
    one, other = check_timed(cells, first), check_timed(cells, second)
    require(one is standing.first and standing.tied == [other], "others are tied")
    require(standing.comparisons[other].verdict == "equivalent", "they are not told to be equivalent")


@template(
    r"(?P<label>.+): no winner: (?P<first>.+ \(<TIME>\)) is not told apart from (?P<others>.+ \(<TIME>\))"
    r"(?: \((?P<remark>.+)\))?\."
)
def no_winner(context, sentence, label, first, others, remark):
    cells = context.ranked_of(label)
    standing = context.report.standing(cells)
    require(check_timed(cells, first) is standing.first, "another one is ahead")
    named = [check_timed(cells, text) for text in split_timed(others)]
    require(named == standing.tied, f"tied are {[cell.name for cell in standing.tied]}")
    if remark:
        check_remark(context, remark, [standing.lead], cells[0].scenario)


def split_timed(text):
    """ "a (1 ns), b (2 ns)" """
    return re.findall(rf"(?:^|(?<=\), ))(.+? \({TIME}\))(?=, |$)", text)


@template(r"(?P<label>.+): only (?P<first>.+) was timed\.")
def only_one(context, sentence, label, first):
    cells = context.ranked_of(label)
    require(len(cells) == 1, "there are others")
    check_timed(cells, first)


@template(r"(?P<label>.+): nothing was timed\.")
def nothing_timed(context, sentence, label):
    require(not context.ranked_of(label), "something was")


@template(
    r"(?P<who>.+?)(?: \((?P<modes>[^()]+)\))? wins (?P<won>\d+) of (?P<all>\d+), by (?P<least>.+?\))"
    r"(?: to (?P<most>.+))?\."
)
def wins(context, sentence, who, modes, won, all, least, most):
    overview = context.overview
    winners = {
        key: rows
        for key, rows in overview.winners().items()
        if {row.standing.first.variant for row in rows} == {who} or (modes and key == who)
    }
    require(len(winners) == 1, f"{who} wins nothing")
    rows = next(iter(winners.values()))
    names = [row.standing.first.mode for row in rows]
    require(len(set(names)) == 1 if modes is None else True, "several of them win")
    if modes is not None:
        check_counts(modes, names)
    require(int(won) == len(rows) and int(all) == len(overview.rows), f"it wins {len(rows)} of {len(overview.rows)}")
    leads = sorted(rows, key=lambda row: row.standing.lead.ratio.value)
    check_lead(context, least, leads[0])
    require(bool(most) == (len(rows) > 1), "the range of its leads is not told")
    if most:
        check_lead(context, most, leads[-1])


def check_lead(context, text, row):
    match = re.fullmatch(rf"({RATIO}) over (.+?) \((.+)\)", text)
    require(match, f"{text!r} is no lead")
    require(match[3] == row.brief, f"{match[3]}: expected {row.brief}")
    require(match[2] == row.standing.next.variant, f"the next is {row.standing.next.variant}")
    check_ratio(match[1], row.standing.lead.ratio, "lead")


@template(r"Of the rest win: (?P<others>.+)\.")
def others_win(context, sentence, others):
    entries, _ = counts_in(others)
    for name, count in entries:
        rows = [
            row
            for key, rows in context.overview.winners().items()
            for row in rows
            if name in (row.standing.first.variant, key)
        ]
        require(len(rows) == int(count), f"{name} wins {len(rows)}")


@template(r"Tied(?P<within> within the kind that wins)?: (?P<told>.+?)\.?")
def tied(context, sentence, within, told):
    rows = [row for row in context.overview.rows if tied_in(context, row, within)]
    parts = told.split("; ")
    if match := re.fullmatch(r"and (\d+) more", parts[-1]):
        require(len(rows) == len(parts) - 1 + int(match[1]), f"{len(rows)} are tied")
        parts.pop()
    else:
        require(sentence.cut or len(rows) == len(parts), f"{len(rows)} are tied")
    for part in parts[:-1] if sentence.cut else parts:
        brief, _, names = ("", "", part) if context.overview.turned else part.rpartition(": ")
        row = rows[0] if context.overview.turned else row_of(context, brief)
        require(row in rows, f"nobody is tied on {brief}")
        check_tied_names(names, tied_in(context, row, within), "name" if context.overview.turned else "variant")


def tied_in(context, row, within):
    """The first of a row and who is tied with it; of the kind that wins, if `within`."""
    if not context.overview.any_ranked:
        return []
    standing = row.standing
    if within:
        standing = row.kinds[context.overview.key(standing.first)] if standing.won else None
    return [standing.first, *standing.tied] if standing and standing.tied else []


def check_tied_names(text, cells, attribute):
    names = text.split(" = ")
    if match := re.fullmatch(r"(.+) and (\d+) more", names[-1]):
        names[-1] = match[1]
        require(len(names) + int(match[2]) == len(cells), f"{len(cells)} are tied")
    else:
        require(len(names) == len(cells), f"{len(cells)} are tied")
    require(
        names == [getattr(cell, attribute) for cell in cells][: len(names)],
        f"{text}: tied are {[c.name for c in cells]}",
    )


@template(
    r"No verdict(?: on (?P<where>.+?))?: (?P<reason>.+?)(?: \(and (?P<more>\d+) other reasons?\))?\. "
    r"Fastest there: (?P<names>.+)\."
)
def no_verdict(context, sentence, where, reason, more, names):
    rows = [row for row in undecided_rows(context) if not row.standing.lead.is_clear]
    require(rows, "there are verdicts")
    check_where(context, where, rows, context.overview.rows)
    lies = []
    for row in rows:
        try:
            check_undecidable(context, row.standing, reason, row.scenario)
            break
        except Lie as lie:
            lies.append(str(lie))
    require(len(lies) < len(rows), "; ".join(lies[:2]))
    attribute = "name" if context.overview.turned else "variant"
    check_counts(names, [getattr(row.standing.first, attribute) for row in rows])


def undecided_rows(context):
    return [row for row in context.overview.rows if context.overview.any_ranked and row.standing.undecidable]


@template(
    r"Clear but not confirmed, by too few launches(?: on (?P<where>.+?))?: (?P<names>.+) ahead by about "
    r"(?P<least>\S+x)(?: \((?P<at_least>.+?)\))?(?: to (?P<most>\S+x)(?: \((?P<at_most>.+)\))?)?\."
)
def clear(context, sentence, where, names, least, at_least, most, at_most):
    rows = [row for row in undecided_rows(context) if row.standing.lead.is_clear]
    require(rows, "nothing is clear and not confirmed")
    check_where(context, where, rows, context.overview.rows)
    attribute = "name" if context.overview.turned else "variant"
    check_counts(names, [getattr(row.standing.first, attribute) for row in rows])
    rows.sort(key=lambda row: row.standing.lead.ratio.value)
    lead = lambda row: row.standing.lead.ratio.value
    for row, ratio, brief in ((rows[0], least, at_least), (rows[-1], most or least, at_most)):
        require(three_digits(lead(row), ratio.removesuffix("x")), f"{row.brief}: another lead")
        briefs = {other.brief for other in rows if lead(other) == lead(row)}
        require(brief is None or brief in briefs, f"it is so on {briefs}")


def check_where(context, where, rows, all_rows):
    """ "linreg-3x2", "3 scenarios", "3 rows"; nothing where these are all."""
    if where is None:
        require(len(rows) == len(all_rows), f"of {len(all_rows)} it is so on {len(rows)}")
    elif match := re.fullmatch(r"(\d+) (scenarios|rows)", where):
        scenarios = {row.scenario for row in rows}
        require(int(match[1]) == (len(scenarios) if match[2] == "scenarios" else len(rows)), f"it is so on {len(rows)}")
    else:
        require([row.brief for row in rows] == [where], f"it is so on {[row.brief for row in rows]}")


@template(r"The winners take (?P<least><RATIO>)(?: to (?P<most><RATIO>))? of the time of the baseline, (?P<name>.+)\.")
def winners_beside_baseline(context, sentence, least, most, name):
    ratios = [context.overview.to_run_baseline(row.standing.first) for row in context.overview.won_rows()]
    ratios = sorted((c.ratio for c in ratios if c), key=lambda ratio: ratio.value)
    require(ratios and name == context.overview.baseline, "no winner has a ratio to it")
    check_ratio(least, ratios[0], "least")
    check_ratio(most or least, ratios[-1], "most")


@template(
    r"No time of a baseline(?: \((?P<name>.+)\))?: ratios are to the fastest of a row(?:; --baseline chooses another)?\."
)
def no_baseline(context, sentence, name):
    require(not context.overview.baseline and (name or "") == context.report.run["baseline"], "there is a baseline")


@template(r"Nothing here has a rank: there is no winner\.")
def no_rank(context, sentence):
    require(not context.overview.any_ranked, "there is a rank")


@template(
    r"(?:(?P<wins>\* wins)|(?P<ties>= tied: equivalent, or not told apart)|ratios? ?(?:: of the fastest )?to "
    r"(?P<base>[^;]+)|ratios to (?P<bases>[^;]+)|lead: over the runner-up|; )+"
)
def legend(context, sentence, wins, ties, base, bases):
    require(not (base or bases) or (base or bases) == context.overview.baseline, "ratios are to another")
    require(not wins or context.overview.won_rows(), "nobody wins")
    require(not ties or any(tied_in(context, row, False) for row in context.overview.rows), "nobody is tied")


@template(r"ratios are to (?P<row>.+), the fastest(?:: there is no time of the baseline, (?P<name>.+))?\.")
def other_baseline(context, sentence, row, name):
    cells = context.cells_of(sentence.scenario)
    require(cell_in(cells, row) in context.report.baselines.values(), "ratios are to another")
    require(name in (None, context.report.run["baseline"]), "the baseline is another")


@template(r"and (?P<count>\d+) more (?P<what>scenario|row)s?: (?P<text>.+)")
def hidden_rows(context, sentence, count, what, text):
    overview = context.overview
    require(context.shown_rows is not None, "no grid was read")
    rows = [row for row in overview.rows if row not in context.shown_rows]
    require(int(count) == len(rows if what == "row" else {row.scenario for row in rows}), f"{len(rows)} are hidden")
    won = [row for row in rows if overview.any_ranked and row.standing.won]
    expected = [f"{kind} wins {n}" for kind, n in counted([overview.kind(row.standing.first) for row in won])]
    expected += [f"{len(rows) - len(won)} without a winner"] if len(won) < len(rows) else []
    require(text == ", ".join(expected), f"found {text}, expected {expected}")


@template(r"timed in longer blocks than the scenario has steps, with a smaller learning rate than its (?P<rate>\S+): "
          r"(?P<rows>.+)\.")
def reduced_rates(context, sentence, rate, rows):
    blocks = {cell: cell.record.get("block") or {} for cell in context.cells_of(sentence.scenario) if cell.is_timed}
    reduced = [cell for cell, block in blocks.items() if block.get("reduced_learning_rate")]
    found = [row.rsplit(" ", 1) for row in rows.split(", ")]
    require(len(found) == len(reduced), f"there are {len(reduced)}")
    for name, text in found:
        require(three_digits(blocks[cell_in(reduced, name)]["learning_rate"], text), f"{name} has another rate")


@template(
    r"control: (?P<name>.+) beside itself: (?P<change><PERCENT> \S+ \S+?\])(?P<dirty>: this machine was unfit, "
    r"there are no verdicts)?\."
)
def control(context, sentence, name, change, dirty):
    found = [
        c
        for cell, _, c in context.report.controls
        if context.report.label(cell) == sentence.scenario and cell.implementation == name
    ]
    require(found and is_change(change, found[0].ratio), "the control says something else")
    require(bool(dirty) == (found[0].verdict in ("faster", "slower")), "its verdict is another")
