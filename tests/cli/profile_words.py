"""What `gdbench explain` says of calls, phases and ops, as it follows from what profiles say."""

from expected_words import number, percent, share, time

MOST_OPS = 5
SMALL_PART = 0.01
MOST_UNCLEAR = 3


def interval_of(part):
    return part["low"], part["high"]


def dispatch_lines(told, names):
    lines = []
    for side, cell in (("a", names.a), ("b", names.b)):
        cost = told[f"{side}_dispatches"]
        if not cost:
            continue
        calls = " call" if cost["dispatches"] == 1 else " calls"
        floor = [(", ", f"{part['op']} ", time(part["time_ns"])) for part in cost["floor"]]
        lines.append(
            (
                *(f"    {cell} makes ", number(cost["dispatches"]), f"{calls} into its framework per step; at the "),
                *(time(cost["floor"][0]["time_ns"]), " of its cheapest that is at least ", time(cost["least_ns"])),
                *(", ", percent(cost["share"]), f" of the step. [{cell}: ", *sum(floor, ())[1:], "]"),
            )
        )
    return lines


def calls_lines(told, names):
    cells, calls = dispatch_lines(told, names), told["calls"]
    if not calls:
        return [("  Calls:",), *cells] if cells else []
    low, high = interval_of(calls["interval"])
    counts = (number(calls["a_calls"]), " instead of ", number(calls["b_calls"]), " per step")
    prices = "  Calls into frameworks, each at the price of its cheapest, are "
    return [
        (
            *(prices, share(calls["share"], low, high), " of the difference: ", *counts),
            *(". What they do beyond an empty call is ", share(1 - calls["share"], 1 - high, 1 - low)),
            f".{names.both}",
        ),
        *cells,
    ]


def share_column(part):
    low, high = interval_of(part["share_interval"])
    if part["standing"] == "unclear" and high - low > MOST_UNCLEAR:
        return ("not told",)
    if part["only_bounded"]:
        return (whole_percent(low), " to ", whole_percent(high))
    return (share(part["share"], low, high),)


def whole_percent(value):
    return percent(value)._replace(pattern=r"-?\d+%")


def phase_rows(profiles):
    rows = []
    for part in profiles["phases"]:
        columns = [(part["phase"],)]
        for side in ("a", "b"):
            time_ns, basis = part[f"{side}_ns"], profiles[side]
            unknown = part["only_bounded"] and basis["one_piece"] and time_ns == 0
            columns.append(("?",) if unknown else (time(time_ns),))
        rows.append([*columns, share_column(part)])
    return rows


def basis_words(name, basis, step):
    if basis["profiles"] == 0:
        return (f"{name} no profile",)
    count = f"{basis['profiles']} profile" + ("" if basis["profiles"] == 1 else "s")
    return (f"{name} {count}, clock readings ", percent(basis["overhead_ns"] / step.value), " of it")


def one_piece_lines(profiles, names):
    sides = [(profiles[side], name) for side, name in (("a", names.a), ("b", names.b)) if profiles[side]["one_piece"]]
    if not sides:
        return []
    basis, name = sides[0]
    why = "does its step in one piece" if basis["profiles"] else "has no profile"
    may = "its time may belong to any phase, so that a share is only bounded."
    return [(f"    {name} {why}: {may}{names.both}",)]


def layer_words(layers):
    if not layers:
        return ""
    consecutive = len(layers) > 1 and layers[-1] - layers[0] + 1 == len(layers)
    numbers = f"{layers[0]}-{layers[-1]}" if consecutive else ",".join(map(str, layers))
    return f", layer{'s' if len(layers) > 1 else ''} {numbers}"


def more_or_less(value):
    return time(abs(value)), " less" if value < 0 else " more"


def op_line(part, names):
    low, high = interval_of(part["share_interval"])
    a_calls, b_calls = part["a_calls"], part["b_calls"]
    length = "shorter calls" if part["by_length_ns"] < 0 else "longer calls"
    counts = (number(a_calls), " instead of ", number(b_calls), " per step)")
    words = ()
    if a_calls > 0 and b_calls > 0 and abs(a_calls - b_calls) < 1e-9 * (a_calls + b_calls):
        words = (f", by {length} (", number(a_calls), " per step)")
    elif a_calls > 0 and b_calls > 0:
        words = (": ", *more_or_less(part["by_calls_ns"]), " by the number of calls (", *counts)
        if abs(part["by_length_ns"]) > SMALL_PART * abs(part["by_calls_ns"]):
            words += (", ", *more_or_less(part["by_length_ns"]), f" by {length}")
    elif a_calls > 0 or b_calls > 0:
        words = (f", only in {names.a if a_calls > 0 else names.b} (", *counts)
    times = (f". [{names.a} ", time(part["a_ns"]), f", {names.b} ", time(part["b_ns"]), "]")
    name = f"    {part['phase']}, {part['op']}{layer_words(part['layers'])}: "
    return (name, share(part["share"], low, high), *words, *times)


def largest_ops_lines(told, names):
    lines = []
    for side, cell in (("a", names.a), ("b", names.b)):
        if not (largest := told[f"{side}_ops"]):
            continue
        parts = [
            ("; ", f"{part['phase']}, {part['op']}{layer_words(part['layers'])}: ", percent(part["share"]))
            for part in largest["ops"]
        ]
        start = (f"    {cell} under {largest['profiler']}, ", number(largest["slowdown"]), " times the step without: ")
        lines.append((*start, *sum(parts, ())[1:], f". [{cell}]"))
    return [("  The largest ops, in shares of a step that the profiler slows:",), *lines] if lines else []


def phase_lines(told, names):
    """Calls first, then the phases with their table, then the ops of those that are causes."""
    lines, profiles = calls_lines(told, names), told["profiles"]
    if not profiles:
        return lines
    unclear = [part["standing"] == "unclear" for part in profiles["phases"]]
    if all(unclear) and profiles["phases"][0]["only_bounded"]:
        return lines + [(f"  No phase is told.{names.both}",), *one_piece_lines(profiles, names)]
    lines += [("  Where the difference per step is:",), [("phase",), (names.a,), (names.b,), ("share",)]]
    lines += phase_rows(profiles)
    rests = "    A share whose interval holds 0 may be none." if any(unclear) else "    Shares rest on profiles."
    of_a = basis_words(names.a, profiles["a"], told["a_step_ns"])
    lines.append((rests, " [", *of_a, "; ", *basis_words(names.b, profiles["b"], told["b_step_ns"]), "]"))
    causes = [part for part in profiles["ops"] if part["standing"] == "cause" and part["op"] != part["phase"]]
    ops = [op_line(part, names) for part in causes[:MOST_OPS]]
    return lines + one_piece_lines(profiles, names) + ([("  Their ops:",), *ops] if ops else [])
