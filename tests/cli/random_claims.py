"""Claims that nobody made: relations of every kind and quantity about the cells of a report, from a seed."""

import random

ROWS = (30, 100, 300)
DTYPES = ("f32", "f64")
QUANTITIES = ("step", "first_step", "peak_memory", "own_memory", "time_for_steps", "time_to_target", "steps_to_target")
LIMITS = (0.01, 0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 2, 100)
SAVINGS = (-9, -0.5, -0.01, 0, 0.01, 0.1, 0.5, 0.9)


def random_claims(document, scenario, seed, count):
    """Of a report whose scenarios are this one with each of ROWS and DTYPES."""
    draw = random.Random(seed)
    known = sorted({cell["implementation"] for cell in document["cells"]})
    return [claim(draw, scenario, known, f"claim-{number}") for number in range(count)]


def claim(draw, scenario, known, name):
    experiments = [experiment(draw, scenario, known) for _ in range(draw.choice((1, 1, 2)))]
    relations = [relation for one in experiments for relation in one["relations"]]
    if not any(relation.get("decides", True) for relation in relations):
        relations[0].pop("decides")
        relations[0].pop("advice", None)
    asked = {"question": f"Why does {name} hold?", "setting": "some rows"} if int(name[-1]) % 2 else {}
    return {"id": name, "sentence": f"{name} holds.", "source": "a page", "purpose": "p", **asked,
            "experiments": experiments}


def experiment(draw, scenario, known):
    implementations = draw.sample(known, min(draw.choice((2, 2, 3)), len(known)))
    if draw.random() < 0.15 or len(implementations) < 2:
        implementations.append("far/away")
    rows = sorted(draw.sample(ROWS, draw.choice((1, 2, 3)))) + ([7] if draw.random() < 0.1 else [])
    axes = {"rows": rows, "dtype": list(DTYPES[: draw.choice((1, 1, 2))]), "implementation": implementations}
    relations = [relation(draw, axes) for _ in range(draw.choice((1, 2, 3)))]
    return {"matrix": {"axes": {"scenario": [scenario], **axes}}, "relations": relations}


def relation(draw, axes):
    key = draw.choice([key for key in axes if len(axes[key]) > 1])
    if draw.random() < 0.6:
        key = "implementation"
    one, other = draw.sample(axes[key], 2)
    told = {"quantity": draw.choice(("step", *QUANTITIES)), "a": {key: one}, "b": {key: other}}
    ways = [axis for axis in axes if axis != key and len(axes[axis]) > 1]
    if told["quantity"] == "time_for_steps":
        told["steps"] = draw.choice(([1], [10], [1, 100, 100000]))
        ways += ["steps"] if len(told["steps"]) > 1 else []
    told["kind"] = draw.choice(("ratio", "ratio", "saving", "trend", "crossover") if ways else ("ratio", "saving"))
    if told["kind"] in ("trend", "crossover") or (ways and draw.random() < 0.3):
        told["along"] = draw.choice(ways)
    if told["kind"] != "crossover":
        told.update(limits(draw, SAVINGS if told["kind"] == "saving" else LIMITS))
    places = [axis for axis in ("rows", "dtype") if axis != key and axis != told.get("along")]
    if places and draw.random() < 0.3:
        axis = draw.choice(places)
        told["at"] = {axis: draw.sample(axes[axis], 1)}
    if draw.random() < 0.3:
        told["points"] = "any"
    if draw.random() < 0.2:
        told["decides"] = False
        if told["kind"] in ("ratio", "saving"):
            told["advice"] = "Do something else"
    return told


def limits(draw, values):
    low, high = sorted(draw.sample(values, 2))
    return draw.choice(({"at_least": low}, {"at_most": high}, {"at_least": low, "at_most": high}))
