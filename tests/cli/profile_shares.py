"""What profiles say of the difference of two steps, computed again from the report: the time of every phase and op in
either cell, its share of the difference and the interval of that share."""

import itertools

import estimates
from estimates import median

UNATTRIBUTED, ONE_PIECE = "unattributed", "other"
ENOUGH_PROFILES = 3  # from so many on they tell themselves how they scatter


def usable_profiles(cell):
    profiles = [cell.profile] if cell.profile else []
    return [p for p in profiles + cell.record.get("other_profiles", []) if p["profiled_step_ns"] > 0 and p["records"]]


def ops_of(profile):
    """(phase, op, layers) -> [calls, time] of a step; what is compiled once is left out."""
    ops = {}
    for record in profile["records"]:
        if record["phase"] != "compile":
            total = ops.setdefault((record["phase"], record["op"], tuple(record.get("layers", ()))), [0.0, 0.0])
            total[0] += record["calls"]
            total[1] += record["time_ns"]
    return ops


def clamped(value, low, high):
    return min(max(value, low), high)


class Side:
    """One cell's profiles, scaled to its measured step."""

    def __init__(self, cell, step_ns):
        self.step_ns, self.profiles = step_ns, []
        profiles = usable_profiles(cell)
        for profile in profiles:
            ops, scale = ops_of(profile), step_ns / profile["profiled_step_ns"]
            self.profiles.append(
                {
                    "ops": ops, "scale": scale, "step_ns": profile["profiled_step_ns"],
                    "overhead_ns": scale * abs(profile["profiled_step_ns"] - profile["step_ns"]),
                    "calls": sum(calls for calls, _ in ops.values()),
                    "rest_ns": scale * (profile["profiled_step_ns"] - sum(time for _, time in ops.values())),
                }
            )
        self.names = sorted({name for profile in self.profiles for name in profile["ops"]})
        self.one_piece = all(phase in (ONE_PIECE, "data") for phase, _, _ in self.names)
        self.overhead_ns = median([profile["overhead_ns"] for profile in self.profiles])
        self.drift_ns = median([abs(profile["step_ns"] - cell.step.value) for profile in profiles])
        self.basis = {"profiles": len(self.profiles), "overhead_ns": self.overhead_ns, "drift_ns": self.drift_ns,
                      "one_piece": self.one_piece}

    def part(self, wanted):
        """(calls, time, low, high) of the ops that are wanted."""
        calls, times, overheads = [], [], []
        for profile in self.profiles:
            own = [total for name, total in profile["ops"].items() if wanted(name)]
            calls.append(sum(c for c, _ in own))
            times.append(sum(t for _, t in own))
            by_calls = calls[-1] / profile["calls"] if profile["calls"] > 0 else 1
            share = clamped(max(by_calls, times[-1] / profile["step_ns"]), 0, 1)
            overheads.append(share * profile["overhead_ns"])
            times[-1] *= profile["scale"]
        return self.over_profiles(calls, times, median(overheads))

    def phase(self, phase):
        if phase == UNATTRIBUTED:
            rests = [profile["rest_ns"] for profile in self.profiles]
            return self.over_profiles([0] * len(rests), rests, self.overhead_ns)
        return self.part(lambda name: name[0] == phase)

    def over_profiles(self, calls, times, overhead_ns):
        mean = sum(calls) / len(calls) if calls else 0.0
        if max(times, default=0) <= 0:
            return mean, 0.0, 0.0, 0.0
        value, low, high, _ = estimates.paired_difference({i: [(0.0, time)] for i, time in enumerate(times)})
        if len(times) < ENOUGH_PROFILES:
            low, high = value - self.drift_ns, value + self.drift_ns
        return mean, value, *(clamped(end, 0.0, self.step_ns) for end in (low - overhead_ns, high + overhead_ns))

    def bounds(self, phase):
        """Of a phase; a step in one piece may hold all that it takes of any."""
        if not self.one_piece or (phase == "data" and self.profiles):
            return self.phase(phase)
        return 0.0, 0.0, 0.0, (self.phase(ONE_PIECE)[3] if self.profiles else self.step_ns)


class Shares:
    """Of two cells whose steps are distinguished; `whole` compares them, `base_ns` is b's step."""

    def __init__(self, a, b, whole):
        self.ratio, self.base_ns = whole.ratio, b.step.value
        self.a, self.b = Side(a, self.ratio.value * self.base_ns), Side(b, self.base_ns)
        self.bounded = self.a.one_piece or self.b.one_piece

    def contribution(self, of_a, of_b):
        (_, a_ns, *a_ends), (_, b_ns, *b_ends) = of_a, of_b
        corners = [
            (ratio / self.ratio.value * a_end - b_end) / ((ratio - 1) * self.base_ns)
            for ratio, a_end, b_end in itertools.product((self.ratio.low, self.ratio.high), a_ends, b_ends)
        ]
        low, high = min(corners), max(corners)
        return {
            "a_ns": a_ns, "b_ns": b_ns, "difference_ns": a_ns - b_ns, "share_interval": {"low": low, "high": high},
            "share": (a_ns - b_ns) / ((self.ratio.value - 1) * self.base_ns),
            "standing": "cause" if low > 0 else "opposed" if high < 0 else "unclear",
        }

    def phases(self):
        sides = [side for side in (self.a, self.b) if not side.one_piece]
        names = sorted({phase for side in sides for phase, _, _ in side.names})
        parts = [self.phase_part(phase) for phase in names + [UNATTRIBUTED]]
        if len(sides) == 1:  # as a sorted set has them
            parts.sort(key=lambda part: part["phase"])
        return sorted(parts, key=lambda part: -abs(part["share"]))

    def phase_part(self, phase):
        times = [side.bounds(phase) for side in (self.a, self.b)]
        part = {"phase": phase, **self.contribution(*times), "only_bounded": self.bounded}
        if self.bounded:
            part["share"] = sum(part["share_interval"].values()) / 2
        return part

    def ops(self, phases):
        standings, groups = {part["phase"]: part["standing"] for part in phases}, {}
        for phase, op, layers in self.a.names + self.b.names:
            groups.setdefault((phase, op), set()).add(layers)
        parts = [part for name in sorted(groups) for part in self.parts_of_op(*name, sorted(groups[name]), standings)]
        return sorted(parts, key=lambda part: -abs(part["share"]))

    def parts_of_op(self, phase, op, groups, standings):
        """All layers together where they cannot be distinguished one by one."""
        together = self.op_part(phase, op, groups[0] if len(groups) == 1 else (), groups, standings)
        numbers = [number for layers in groups for number in layers]
        if len(groups) == 1 or not all(groups) or len(set(numbers)) < len(numbers):
            return [together]
        parts = [self.op_part(phase, op, own, [own], standings) for own in groups]
        hidden = together["standing"] != "unclear" and all(part["standing"] == "unclear" for part in parts)
        return [together] if hidden else parts

    def op_part(self, phase, op, layers, wanted, standings):
        is_wanted = lambda name: name[:2] == (phase, op) and name[2] in wanted
        of_a, of_b = self.a.part(is_wanted), self.b.part(is_wanted)
        part = {"phase": phase, "op": op, "layers": list(layers) or None, "a_calls": of_a[0], "b_calls": of_b[0]}
        part.update(self.contribution(of_a, of_b))
        if standings[phase] == "unclear" or (part["standing"] == "cause" and standings[phase] != "cause"):
            part["standing"] = "unclear"
        part["by_calls_ns"] = by_calls(of_a, of_b)
        part["by_length_ns"] = part["difference_ns"] - part["by_calls_ns"]
        return part


def by_calls(of_a, of_b):
    """Of a difference, what the number of calls makes at the mean time of a call."""
    (a_calls, a_ns, *_), (b_calls, b_ns, *_) = of_a, of_b
    means = [time / calls for calls, time in ((a_calls, a_ns), (b_calls, b_ns)) if calls > 0]
    return (a_calls - b_calls) * sum(means) / max(len(means), 1)


def profile_difference(a, b, whole):
    """None where neither step is divided into phases."""
    shares = Shares(a, b, whole)
    if shares.a.one_piece and shares.b.one_piece:
        return None
    phases = shares.phases()
    return {"a": shares.a.basis, "b": shares.b.basis, "phases": phases,
            "ops": [] if shares.bounded else shares.ops(phases)}
