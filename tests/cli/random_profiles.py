"""Profiles that nobody measured: of several processes each, with layers, in one piece, with calls into frameworks."""

import random

from random_reports import FRAMEWORKS, profile_of

OPS = (
    ("data", "batch", ()), ("forward", "product", (0,)), ("forward", "product", (1,)), ("forward", "tanh", (0,)),
    ("backward", "product", (0,)), ("backward", "product", (1,)), ("update", "sgd", ()),
)
GROUPED = (("forward", "product", (0, 1)), ("backward", "product", (0, 1)), ("update", "update", (0, 1)))
ONE_PIECE = (("data", "batch", ()), ("other", "step", ()))


def with_profiles(document, seed):
    """The same report, where most cells that have a time have one to five profiles."""
    draw = random.Random(seed)
    cells = [profiled(cell, draw) if is_fit(cell) and draw.random() < 0.8 else cell for cell in document["cells"]]
    return {**document, "cells": cells}


def is_fit(cell):
    return cell["samples"] and cell["status"]["state"] == "ok" and cell["arm"] != "control"


def profiled(cell, draw):
    ops = draw.choice((OPS, OPS, OPS[1:], OPS[:3] + GROUPED[1:], GROUPED, ONE_PIECE))
    parts = {op: (draw.random(), float(draw.randint(1, 9))) for op in ops}
    clocks, drift = draw.choice((1.0, 1.01, 1.2)), draw.choice((0.001, 0.05))
    step_ns = min(sample["real_ns"] for sample in cell["samples"] if not sample["cold"])
    floor = [{"op": op, "time_ns": step_ns * draw.uniform(0.001, 0.1)} for op in ("empty", "add")]
    counts = cell["implementation"] in FRAMEWORKS and draw.random() < 0.8
    profiles = []
    for _ in range(draw.choice((1, 2, 3, 5))):
        own_ns = step_ns * draw.lognormvariate(0, drift)
        profile = profile_of(cell, own_ns, clocks, scattered(parts, drift, draw))
        if counts:
            profile["dispatches_per_step"] = float(len(ops))
            profile["floor"] = [{**part, "time_ns": part["time_ns"] * draw.uniform(0.9, 1.1)} for part in floor]
        profiles.append(profile)
    if counts:
        profiles[0]["ops"] = ops_of(profiles[0], draw)
    return {**cell, "profile": profiles[0], "other_profiles": profiles[1:]}


def ops_of(profile, draw):
    """As a framework's profiler sees the ops of the profile, in a step that it slows."""
    slowdown = draw.uniform(0.9, 3)
    records = [{**record, "time_ns": slowdown * record["time_ns"]} for record in profile["records"]]
    records = sorted(records, key=lambda record: -record["time_ns"])[: draw.randint(1, 10)]
    return {"profiler": "a.profiler", "steps": 10, "step_ns": slowdown * profile["step_ns"], "records": records}


def scattered(parts, drift, draw):
    """Op -> its share of the step and its calls; a tenth of the step is nobody's."""
    shares = {op: share * draw.lognormvariate(0, drift) for op, (share, _) in parts.items()}
    total = sum(shares.values()) / 0.9
    return {op: (share / total, parts[op][1]) for op, share in shares.items()}
