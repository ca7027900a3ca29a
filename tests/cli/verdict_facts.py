"""What a report may say of who wins, who is tied and where there is no verdict."""

import estimates
from expected_words import Figure, ratio, time
from printed_figures import INTERVAL, NUMBER, numbers_in, rounds_to, three_digits
from report_figures import counted
from statements import count, known, quote, word


def exact(value):
    return Figure(NUMBER, lambda text: rounds_to(value, text), value)


def control_ratio(ratio):
    fits = lambda text: all(map(three_digits, ratio, numbers_in(text)))
    return Figure(f"{NUMBER} {INTERVAL}", fits, ratio)


def about(value):
    """A ratio without its interval, of three digits."""
    return Figure(f"{NUMBER}x", lambda text: three_digits(value, text[:-1]), value)


def other_reasons(*numbers):
    return Figure(r"\d+ other reasons?", lambda text: int(text.split(" ")[0]) in numbers, numbers)


def counts_of(names):
    """ "eigen 3, naive 2 and 1 more", however many are shown; a name alone where there is one."""
    entries = counted(names)
    texts = [f"{name} {n}" for name, n in entries]
    more = [f"{', '.join(texts[:k])} and {len(texts) - k} more" for k in range(1, len(texts))]
    return [", ".join(texts), *more]


def counts_facts(names, *others):
    entries = counted(names)
    alone = [known(count(1), entries[0][0])] if len(entries) == 1 else []
    return [known(quote(text), *others) for text in counts_of(names)] + alone


class Verdicts:
    """Of the first screen and of the summary."""

    def __init__(self, context):
        self.context, self.report, self.overview = context, context.report, context.overview
        self.ranked_rows = self.overview.rows if self.overview.any_ranked else []

    def verdicts(self):
        for part in (self.winners(), self.ties(), self.undecided(), self.summary(), self.beside_baseline()):
            yield from part

    def name(self, cell):
        return cell.name if self.overview.turned else cell.variant

    def place(self, row):
        """Names that a statement about a row has: none where there is only one scenario."""
        return [] if self.overview.turned else [{row.brief, row.label}]

    def winners(self):
        won = self.overview.winners()
        yield known(count(len(self.overview.rows)))
        if won:
            yield known(word(r"\* wins|win"))
        for key, rows in won.items():
            firsts = [row.standing.first for row in rows]
            names = {cell.variant for cell in firsts}
            name = {self.name(firsts[0])} if len(names) == 1 else {key}
            yield known(word("wins"), subject=name | {key})
            yield known(count(len(rows)), name | {key})
            yield from (known(quote(f"{one} {len(rows)}")) for one in name | {key})
            yield from counts_facts([cell.mode for cell in firsts], name)
            rows = sorted(rows, key=lambda row: row.standing.lead.ratio.value)
            for row in (rows[0], rows[-1]):
                lead = row.standing.lead.ratio
                yield known(ratio(lead), name, self.name(row.standing.next), *self.place(row))

    def ties(self):
        for within in (False, True):
            rows = [(row, self.tied(row, within)) for row in self.overview.rows]
            rows = [(row, cells) for row, cells in rows if cells]
            for row, cells in rows:
                names = [self.name(cell) for cell in cells]
                fits = lambda text, names=names: text.split(" = ") == names[: text.count(" = ") + 1]
                yield known(Figure(".+ = .+", fits, names), *self.place(row))
                yield known(count(*range(1, len(names))), *self.place(row))
            if rows:
                yield known(word("that wins" if within else "Tied|= tied.*"))
                yield known(word("Tied"))
                yield known(count(*range(1, len(rows))))

    def tied(self, row, within):
        """The first of a row and who is tied with it; of the kind that wins, if `within`."""
        standing = row.standing if self.overview.any_ranked else None
        if within and standing:
            standing = row.kinds[self.overview.key(standing.first)] if standing.won else None
        return [standing.first, *standing.tied] if standing and standing.tied else []

    def remark(self, comparison, scenario, *names):
        """Figures of the reason why there is no verdict."""
        margin, unfit = self.report.rules(scenario)
        for launches in {comparison.ratio.launches}:
            yield known(count(launches, estimates.FEWEST_LAUNCHES), *names)
        if unfit:
            yield known(word("unfit"), *names)
            found = [c.ratio for cell, _, c in self.report.controls if cell.scenario == scenario]
            yield from (known(control_ratio(ratio), *names) for ratio in found)
        elif comparison.verdict == "inconclusive" and not comparison.undecidable:
            yield known(exact(comparison.ratio.low), *names)
            yield known(exact(comparison.ratio.high), *names)
            yield known(Figure(f"{NUMBER}%", lambda text: text == f"{100 * margin:.3g}%", margin), *names)

    def undecided(self):
        rows = [row for row in self.ranked_rows if row.standing.undecidable]
        unclear = [row for row in rows if not row.standing.lead.is_clear]
        clear = sorted((r for r in rows if r.standing.lead.is_clear), key=lambda row: row.standing.lead.ratio.value)
        for some in filter(None, (unclear, clear)):
            yield known(count(len(some), len({row.scenario for row in some})))
            yield known(other_reasons(*range(1, len(some))))
            yield from counts_facts([self.name(row.standing.first) for row in some])
            firsts = {self.name(row.standing.first) for row in some}
            yield known(word("Fastest|ahead"), *(firsts if len(firsts) == 1 else []))
            yield from (known(word("Fastest|ahead"), *self.place(row)) for row in some if len(some) == 1)
        for row in unclear:
            for comparison in row.standing.comparisons.values():
                yield from self.remark(comparison, row.scenario) if comparison.undecidable else ()
        for row in clear[:1] + clear[-1:]:
            value = row.standing.lead.ratio.value
            for other in clear:
                if other.standing.lead.ratio.value == value:
                    yield known(about(value), *self.place(other))
            yield known(about(value), {self.name(row.standing.first)})
            yield known(word("ahead|not confirmed"))

    def summary(self):
        for scenario, record in self.report.scenarios.items():
            cells = [c for c in self.report.cells if c.scenario == scenario and c.is_ranked]
            yield from self.standing(self.report.standing(cells), cells, scenario, [record["label"]])
        if self.overview.turned:
            cells = [cell for cell in self.overview.cells if cell.is_ranked]
            yield from self.standing(self.report.standing(cells), cells, next(iter(self.report.scenarios)), [])

    def standing(self, standing, cells, scenario, label):
        if not cells:
            yield known(word("nothing was timed"), *label)
        yield from (known(time(cell.step.value), *label, subject=cell.name) for cell in cells)
        if not standing.others:
            return
        first, following = standing.first.name, standing.next.name
        if standing.won or standing.undecidable:
            yield known(word("wins" if standing.won else "fastest"), *label, subject=first)
            yield known(ratio(standing.lead.ratio), *label, first, subject=following)
        for comparison in standing.comparisons.values() if standing.undecidable else [standing.lead]:
            yield from self.remark(comparison, scenario, *label, first)
        if standing.tied:
            yield known(word("no winner"), *label, *(cell.name for cell in standing.tied), first)
            if len(standing.tied) == 1 and standing.lead.verdict == "equivalent":
                yield known(word("equivalent"), *label, first, following)

    def beside_baseline(self):
        found = [self.overview.to_run_baseline(row.standing.first) for row in self.overview.won_rows()]
        found = sorted((c.ratio for c in found if c), key=lambda ratio: ratio.value)
        yield from (known(ratio(one), self.overview.baseline) for one in found[:1] + found[-1:])
