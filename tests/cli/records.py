"""What a record that was computed from samples lets a document say: each of its figures and verdicts, of the names that
the record around it is about. Words belong to the goldens."""

import bisect
import functools
import math
import re

from documents import text_of
from estimates import CONFIDENCE, Comparison, Estimate, Judged
from expected_words import Figure, estimate, number, percent, ratio, share, time
from statements import Quote, Reader, by_name, count, known, pair, quote, word

SAME = 1e-9
STATES = ("holds", "fails", "undecided", "confirmed", "refuted", "inconclusive", "not run", "unclear")


def more_or_less(figure, is_less):
    pattern = f"{figure.pattern} {'less' if is_less else 'more'}"
    return Figure(pattern, lambda text: figure.fits(text[:-5]), figure.value)


def difference(of):
    """ "12 ns [11, 13] more"; what is less has its signs turned over."""
    less = of.value < 0
    turned = of._replace(value=-of.value, low=-of.high, high=-of.low) if less else of
    return more_or_less(estimate(turned), less)._replace(value=of)


def signed(of):
    """ "+12 ns [+11, +13]"."""
    bare = lambda text: re.sub(r"(?<![\w.])[+-](?=\d)", "", text)
    ends = sorted((abs(of.low), abs(of.high)), reverse=of.value < 0)
    shown = estimate(of._replace(value=abs(of.value), low=ends[0], high=ends[1]))
    fits = lambda text: (text[0] == "-") == (of.value < 0) and (estimate(of).fits(text) or shown.fits(bare(text)))
    return Figure(rf"[+-]{estimate(of).pattern}", fits, of)


def figures_of(key, value):
    """What a text may have for one leaf of a record."""
    if isinstance(value, Estimate):
        ends = [figure for end in value[:3] for figure in figures_of(key, end)]
        return (estimate(value), difference(value), signed(value), *ends) if "_ns" in key else (ratio(value),)
    if isinstance(value, str):
        states = [word("undecided" if value == "unclear" else value)] if value in STATES else []
        return states + ([quote(value)] if re.search(r"\d", value) and " " in value else [])
    if value is None or isinstance(value, bool):
        return ()
    if "_ns" in key:
        bare = time(abs(value))._replace(value=value)
        signs = Figure(rf"[+-]{bare.pattern}", lambda text: (text[0] == "-") == (value < 0) and bare.fits(text[1:]),
                       value)
        return bare, signs, more_or_less(bare, value < 0)
    return number(value), count(math.ceil(value)), percent(value)


def comparison_facts(found, names):
    """With its remark; the first name is the candidate's."""
    if names and found.verdict in ("faster", "slower"):
        yield known(word(found.verdict), *names[1:], subject=names[0])
    if found.verdict == "equivalent":
        yield known(word("equivalent|[Nn]o difference"), *names)
    if found.verdict == "inconclusive":
        yield known(word("undecided|inconclusive"), *names)
    yield from [known(word("not confirmed"), *names)] if found.is_clear else ()
    yield known(count(found.ratio.launches), *names)
    yield known(ratio(found.ratio), *names)
    yield from [known(quote(found.remark), *names)] if getattr(found, "remark", "") else ()


def facts_of(value, names_of, names=(), path=""):
    """`names_of`: (last key of the path, value, names around) -> its names."""
    names = names_of(path.rpartition("/")[2], value, names)
    if isinstance(value, (Comparison, Judged)):
        yield from comparison_facts(value, names)
    elif isinstance(value, dict):
        interval = value.get("share_interval") or value.get("interval") or {}
        if "share" in value and interval:
            ends = (value["share"], interval["low"], interval["high"])
            yield known(share(*ends), *names)
            rest = [1 - end for end in (ends[0], ends[2], ends[1])]
            yield from (known(figure, *names) for figure in (share(*rest), percent(rest[0])))
        for one, other in (("a", "b"), ("a_calls", "b_calls")):
            if isinstance(value.get(one), (int, float)) and isinstance(value.get(other), (int, float)):
                figure = time if "_ns" in path else number
                yield known(pair(figure(value[one]), figure(value[other])), *names)
        for key, member in value.items():
            yield from facts_of(member, names_of, names, f"{path}/{key}")
    elif isinstance(value, list):
        for member in value:
            yield from facts_of(member, names_of, names, path)
    else:
        names = () if path.endswith("/command") else names
        subject = names[0] if re.search(r"/[ab](?:_step)?_ns$", path) else None  # a time of a side follows its name
        yield from (known(figure, *names, subject=subject) for figure in figures_of(path, value))


class Record:
    """Of a part of a document: what is known of it, and the names of what it is about."""

    def __init__(self, facts, names, reader=None):
        """`reader`: of all parts of the document, where it has several."""
        self.facts = [*facts, known(percent(CONFIDENCE))]
        quotes = {fact.figure.value for fact in self.facts if isinstance(fact.figure.value, Quote)}
        self.names = set(names)
        self.reader = reader or Reader(self.names, quotes - {""})
        self.names_in = functools.lru_cache(maxsize=None)(self.reader.names_in)
        numbers = [(end, fact.about) for fact in self.facts for end in numbers_of(fact.figure.value)]
        self.numbers = sorted(numbers, key=lambda entry: entry[0])
        self.keys = [value for value, _ in self.numbers]
        self.by_name = by_name(self.facts)
        self.columns = {title for fact in self.facts for title in fact.columns}
        self.about, self.not_shown = map(functools.cache, (self.about, self.not_shown))

    def complaints(self, blocks):
        for block in blocks:
            ((kind, content),) = block.items()
            if kind == "fold":
                yield from self.complaints(content["blocks"])
            elif kind in ("paragraph", "list", "command"):
                texts = content if kind == "list" else [content]
                yield from (wrong for text in texts for wrong in self.about(text_of(text)))
            elif kind == "table":
                yield from self.about_table(content)
            elif kind == "figure":
                yield from self.about(content["sentence"])
                yield from self.about_chart(content["chart"], " ")

    def about(self, text):
        listed = text.partition(": ")[2].removesuffix(".").split(", ")
        twice = len(set(listed)) < len(listed) and self.names_in(text) == listed
        return [f"{text!r}: a name stands twice"] if twice else self.reader.complaints(text, self.by_name)

    def about_table(self, content):
        """A cell is what its row and its column say of it."""
        for title in filter(re.compile(r"\d").search, content["columns"]):
            yield from self.not_shown(title, title)
        for row in content["rows"]:
            for title, text in zip(content["columns"][1:], row[1:]):
                places = [place for place in map("{}={}".format, content["columns"], row) if place in self.names]
                label = " ".join(places or row[:1])
                if f"{title}={text}" in places or text in ("", "-"):
                    continue
                if self.names_in(text) == [text]:  # of which the column's title is true
                    yield from (*self.not_shown(title, f"{label} {text}"), *self.not_shown(text, label))
                else:
                    yield from self.not_shown(text, f"{title}: {label}", title)

    def about_chart(self, value, label):
        """Each number is one of the record, of the names in its label; a figure behind a row is one of them, too."""
        if isinstance(value, dict):
            own = [value[key] for key in ("group", "label", "name") if isinstance(value.get(key), str)]
            label = " ".join([label, *own])
            rows = [(row.get("group"), row["label"]) for row in value.get("rows", []) if not self.is_bare(row["label"])]
            yield from [f"{rows}: two are alike"] if len(set(rows)) < len(rows) else []
            places = [point["x"] for point in value.get("points", [])]
            yield from [f"{places} are in no order"] if places != sorted(set(places)) else []
            for key, member in value.items():
                if key in ("figure", "name", "text", "word"):
                    yield from self.not_shown(member, label)
                elif key != "axis":
                    yield from self.about_chart(member, "" if key in ("band", "bands", "rules") else label)
        elif isinstance(value, list):
            for member in value:
                yield from self.about_chart(member, label)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and not self.has(value, label):
            yield f"{label!r}: {value} is none of its figures"

    def is_bare(self, label):
        """Of a cell alone, which may stand beside its namesake, or of no cell."""
        return self.names_in(label) in ([], [label])

    def has(self, value, label):
        """Of a band or a rule, which have no label: what is known of nothing by name."""
        slack, named = SAME * abs(value) + 1e-9, set(self.names_in(label))
        first, last = bisect.bisect_left(self.keys, value - slack), bisect.bisect_right(self.keys, value + slack)
        return any((label and named <= about) or not about for _, about in self.numbers[first:last])

    def not_shown(self, text, label, column=None):
        """About each figure and claim of the text that no fact is, of all names in the label, in the column."""
        named = self.names_in(f"{label}: {text}")
        near = min((self.by_name.get(name, []) for name in named), key=len) if named else self.facts
        found = [f for f in near if f.about >= set(named) and not (named and f.subject and not f.subject & set(named))
                 and (column not in self.columns or column in f.columns)]
        alone = named[-1:] == [text] and not found
        complaints = [f"{label!r}: nothing is known of {text!r} here"] if alone else []
        for token in self.reader.claims_in(text):
            if not any(fact.is_shown_by(token) for fact in found):
                complaints.append(f"{label!r}: {token!r} of {text!r} is none of its figures")
        return complaints


def numbers_of(value):
    if isinstance(value, (tuple, list)):
        return [number for member in value[:3] if isinstance(member, float) for number in numbers_of(member)]
    return [value] if isinstance(value, (int, float)) and math.isfinite(value) else []
