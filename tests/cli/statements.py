"""What a text states, whatever its words: each figure and each claim in a statement must be known of names that stand
in it, and each name must be of something that the statement says."""

import functools
import math
import re
from typing import NamedTuple

from expected_words import INTERVAL, NUMBER, TIME, Figure, number, numbers_in

# Words that claim something; those about the marks of a table are one claim each.
CLAIMS = (
    r"\* wins|= ties|= tied: equivalent, or not distinguished|ratios are to the fastest|ratios (?:are )?to|that wins|"
    r"wins \d+ of \d+|wins?|[Nn]o winner|Tied|ties|[Ff]aster|[Ss]lower|No effect|(?<!long as the )[Ff]astest|"
    r"equivalent|[Nn]o difference(?! is)|overtakes?|from the start|never(?! ranked)|leads|undecided step|[Uu]ndecided|"
    r"takes (?:no )?more(?! than)|ahead|behind|(?:more|less) time|less|longer|step is (?:no )?shorter|shorter|"
    r"not confirmed|confirmed|refuted|[Ii]nconclusive|not run|holds|fails|[Ff]lips|(?<!not )reache[ds](?! across)|"
    r"Without a time|unfit|(?:offers )?no profile(?! divides)|one piece"
)
BESIDE = "(?:beside|against|instead of)"
TIMES = rf"{TIME}(?: {INTERVAL})?"
FIGURES = (
    rf"where (?:it holds|it does not|\S+(?: \S+=\S+)* is (?:ahead|behind))|{NUMBER} min\b|{TIME} {BESIDE} {TIME}|"
    rf"{NUMBER} {BESIDE} {NUMBER}(?! [num]?s\b)|{TIMES} (?:more|less)\b(?! time)|"
    rf"\d+ profiles?|\d+ launch(?:es)?|{INTERVAL}|{NUMBER}x(?: {INTERVAL})?|{TIMES}|"
    rf"{NUMBER}%(?: {INTERVAL})?|(?:at (?:most|least) )?{NUMBER} steps(?: {INTERVAL})?|{NUMBER} [kMGT]?flop|"
    rf"{NUMBER} (?:[KMG]iB|B)\b|{NUMBER}(?: {INTERVAL})?"
)
STARTS, ENDS = r"(?<![\w/.+@=-])(?<!\w\[)", r"(?![\w/+=\[-]|\.\d)"


compiled = functools.lru_cache(maxsize=None)(re.compile)


class Known(NamedTuple):
    """A figure or claim that may stand beside one of each of the names; it follows the subject, if there is one."""

    figure: Figure
    names: tuple
    subject: frozenset | None
    about: frozenset  # all of the names, and those that may stand there, too
    columns: tuple = ()  # titles of the columns of a table that alone may have it; none: any that is nobody's

    def is_shown_by(self, text):
        return compiled(self.figure.pattern).fullmatch(text) is not None and self.figure.fits(text)


def choice(names):
    return frozenset([names] if isinstance(names, str) else names)


def known(figure, *names, subject=None, beside=(), columns=()):
    """`beside`: names that may be absent."""
    names = tuple(map(choice, [*names, subject] if subject else names))
    about = frozenset(beside).union(*names)
    return Known(figure, names, choice(subject) if subject else None, about, columns)


def word(text):
    return Figure(text, lambda _: True, text)


class Quote(str):
    """A text that is read as one, whatever stands in it."""


def quote(text):
    return Figure(re.escape(text), lambda _: True, Quote(text))


def count(*values):
    """One of them, of steps, of launches or of anything else."""
    fits = lambda text: int(re.search(r"\d+", text)[0]) in values
    return Figure(r"\d+(?: steps| launch(?:es)?)?", fits, values)


def any_of(texts):
    return "|".join(map(re.escape, sorted(filter(None, texts), key=len, reverse=True))) or "(?!)"


def pair(first, second):
    """ "12 ns beside 13 ns"."""
    fits = lambda text: all(of.fits(part) for of, part in zip((first, second), re.split(f" {BESIDE} ", text)))
    return Figure(f"{first.pattern} {BESIDE} {second.pattern}", fits, (first.value, second.value))


class Reader:
    """Of statements about things with these names. `quotes`: texts that are given, whatever stands in them."""

    def __init__(self, names, quotes):
        name = rf"(?<!\bthe ){STARTS}(?:{any_of(names)}){ENDS}"  # a loop is one, "the loop" is none
        self.token = re.compile(
            rf"(?P<quote>{STARTS}(?:{any_of(quotes)})(?![\w/]|\.\d))|"
            rf"{name}(?:(?P<tie>(?: = {name})+)|(?P<tally> \d+(?=[,.;](?!\d)| ahead|$))|(?P<name>))|"
            rf"(?P<figure>{STARTS}(?:{FIGURES})(?![\w/]))|(?P<claim>(?<!\w)(?:{CLAIMS})\b)"
        )

    def names_in(self, text):
        return [token.group() for token in self.token.finditer(text) if token.lastgroup == "name"]

    def claims_in(self, text):
        return [token.group() for token in self.token.finditer(text) if token.lastgroup != "name"]

    def complaints(self, text, facts_by_name, heading=None):
        """`heading`: a name that stands above the statement."""
        tokens = list(self.token.finditer(text))
        found = {heading, *self.names_in(text)}
        near = {id(fact): fact for name in (None, *found) for fact in facts_by_name.get(name, ())}.values()
        facts = [fact for fact in near if all(found & names for names in fact.names)]
        complaints, covered, last = [], {heading}, heading
        for token in tokens:
            if token.lastgroup == "name":
                last = token.group()
                continue
            fits = [fact for fact in facts
                    if (fact.subject is None or last in fact.subject) and fact.is_shown_by(token.group())]
            complaints += [] if fits else [f"{text!r}: {token.group()!r} is not known of {sorted(filter(None, found))}"]
            covered.update(*(fact.about for fact in fits))
        if all(token.lastgroup == "name" for token in tokens):  # nothing is claimed but that there is such a thing
            covered |= {name for name in found if facts_by_name.get(name)}
        return complaints + [f"{text!r}: nothing is known of {name!r} here" for name in found - covered]


def by_name(facts):
    """Name -> the facts about it; None -> those that need no name."""
    found = {}
    for fact in facts:
        for name in fact.about if fact.names else {*fact.about, None}:
            found.setdefault(name, []).append(fact)
    return found


# Where the steps of a break-even stand, by its kind, and which of them.
STEPS = {
    "after": (rf"{NUMBER} steps {INTERVAL}", ("steps", "low", "high")),
    "at latest": (rf"at most {NUMBER} steps", ("high",)),
    "at earliest": (rf"at least {NUMBER} steps", ("low",)),
}


def overtaking_facts(point, ahead, other, beside=()):
    """Of a break-even: from how many steps on `ahead` is ahead of `other`."""
    kind = point["overtaking"]
    yield known(word("overtakes" if kind == "never" else "overtakes|ahead"), other, subject=ahead)
    more = {"never": "step is no shorter|never", "from the start": "step is shorter|from the start",
            "after": "step is shorter"}
    yield known(word(more.get(kind, "step is shorter|undecided(?: step)?")), ahead, other)
    if kind in STEPS:
        pattern, keys = STEPS[kind]
        ends = [{**point, **point["interval"]}[key] for key in keys]
        fits = lambda text: all(number(math.ceil(end)).fits(found) for end, found in zip(ends, numbers_in(text)))
        yield known(Figure(pattern, fits, ends), ahead, other, beside=beside)
