"""What a framework's own profiler says of a step's ops, as records. Nothing here needs a framework."""
import collections
import pathlib
import re

from training import record

MOST_OPS = 10  # that have a record of their own

# What ran from start on, for so many nanoseconds. `key`: phase, op and layer; the layer is None where it is not known.
Event = collections.namedtuple("Event", "key start duration")


def self_times(events):
    """(key, nanoseconds) for each event of one thread: its duration without that of events within it."""
    enclosing = []  # [event, nanoseconds], each within the one before it
    for event in sorted(events, key=lambda event: (event.start, -event.duration)):
        while enclosing and event.start >= enclosing[-1][0].start + enclosing[-1][0].duration:
            ended, time_ns = enclosing.pop()
            yield ended.key, time_ns
        if enclosing:
            enclosing[-1][1] -= event.duration
        enclosing.append([event, event.duration])
    for event, time_ns in enclosing:
        yield event.key, time_ns


def totals_of(times):
    """{key: (calls, nanoseconds)} of (key, nanoseconds)."""
    totals = collections.defaultdict(lambda: (0, 0))
    for key, time_ns in times:
        calls, total_ns = totals[key]
        totals[key] = calls + 1, total_ns + time_ns
    return totals


def largest(totals):
    """Records of the MOST_OPS largest totals, and one of each phase's others together."""
    keys = sorted(totals, key=lambda key: -totals[key][1])
    records = [
        record(op, phase, *totals[phase, op, layer]) | ({} if layer is None else {"layers": [layer]})
        for phase, op, layer in keys[:MOST_OPS]
    ]
    others = collections.defaultdict(list)
    for key in keys[MOST_OPS:]:
        others[key[0]].append(totals[key])
    for phase, rest in others.items():
        records.append(record(f"smaller ops ({len(rest)})", phase, *map(sum, zip(*rest))))
    return records


# Traces of XLA and TensorFlow: one event for each op (a "thunk") that has the statistic hlo_op, by the name of its
# instruction; compiled steps have no phases.
def trace_in(folder):
    """The XSpace, as bytes."""
    return next(pathlib.Path(folder).rglob("*.xplane.pb")).read_bytes()


def of_instruction(name):
    """The key of an HLO instruction: "dot.5" is a dot."""
    return "other", re.sub(r"\.\d+$", "", name), None
