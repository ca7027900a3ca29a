"""Reports that no machine measured: near-ties, drifts, outliers, failures and gaps of every kind, from a seed."""

import itertools
import random
import re

BACKENDS = ("naive", "eigen", "onednn", "jit")
STRATEGIES = ("hand", "tape", "graph")
FRAMEWORKS = ("numpy/plain", "numpy/out", "pytorch/eager", "pytorch/compile-model", "jax/jit")
FAILED = {
    "unsupported": ("no CUDA device (no driver is installed)", "jit has no f16", "tape has no gradients"),
    "wrong": ("w0 differs by 3e-2", "b1 is not a number"),
    "crashed": ("the worker was killed by signal 11", "exit status 3 in launch 2"),
    "timed out": ("no answer for 10 s",), "untrusted": ("the block of 512 steps took no longer than that of 256",),
    "pending": ("",),
}
SCENARIOS = ("linreg-3x2", "linreg-300x10", "linreg-100000x32", "mlp-10-50-1", "mlp-784-128-10", "logreg-50x4")
MACHINE = {
    "cpu": {"model": "Abacus 3000", "logical_processors": 4}, "kernel": "Linux 6.1",
    "build": {"compiler": "GNU 12.2.0", "git_revision": "0123456789abcdef", "git_dirty": True},
}


class Maker:
    """One report. Cells of a scenario share its launches, rounds and drift; each has its own speed and scatter."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kind = self.random.choice(("few", "kinds", "frameworks", "turned", "options"))
        self.launches = self.random.randint(1, 12)
        self.scatter = self.random.choice((0.0005, 0.003, 0.02, 0.2))
        self.drift = self.random.choice((0.0, 0.0, 0.01, 0.3))
        self.profiled = self.random.choice((0, 0, 2))  # implementations that offer a profile
        self.targets = self.random.random() < 0.4
        self.failures = self.random.choice((0.0, 0.05, 0.3))
        self.gaps = self.random.choice((0.0, 0.0, 0.2))
        self.control = self.random.choice((None, 0.0, 0.004, 0.03, 0.5))
        self.arms = self.random.choice((("new",),) * 5 + (("new", "base"), ("base",)))
        self.side_by_side = seed % 2 == 0  # where there are overrides

    def chance(self, probability):
        return self.random.random() < probability

    def report(self):
        draw = self.random
        implementations = self.implementations()
        self.with_profile = draw.sample(implementations, min(self.profiled, len(implementations)))
        scenarios = self.scenarios()
        threads = (1,) if self.chance(0.75) else (1, draw.choice((2, 4)))
        baseline = draw.choice((*implementations, "loop/plain", "hand/naive", ""))
        cells = []
        for scenario in scenarios:
            cells += self.cells_of(scenario, implementations, threads, baseline)
        run = {
            "id": "made", "started_at": "2026-01-02T03:04:05Z",
            "finished_at": draw.choice(("", "2026-01-02T03:05:17Z")),
            "status": draw.choice(("complete", "complete", "interrupted")), "command": ["gdbench", "run"],
            "matrix": draw.choice(("", "default")), "baseline": baseline, "seed": draw.choice((1, 42)),
            "budget_seconds": 60.0, "precision": 0.0, "quick": self.chance(0.2),
        }
        report = {
            "schema": "gdbench-report", "schema_version": {"major": 1, "minor": 6}, "run": run, "environment": MACHINE,
            "scenarios": scenarios, "cells": cells,
            "notes": draw.sample(
                ["loop/plain offers no profile", "plugin x.so was skipped", "launch 3 was interrupted"],
                draw.choice((0, 0, 1, 2)),
            ),
        }
        if self.chance(0.5):
            report["conditions"] = [
                {
                    "name": name, "severity": draw.choice(("warning", "fine", "notice")), "found": found,
                    "effect": "blocks are interrupted", "advice": "wait",
                }
                for name, found in (("load", "43% of the processors"), ("swap", "2 GiB in use"), ("turbo", "on"))
            ]
        return report

    def implementations(self):
        draw = self.random
        own = [f"{strategy}/{backend}" for strategy in STRATEGIES for backend in BACKENDS] + ["loop/plain"]
        if self.kind in ("few", "options"):
            return draw.sample(own, draw.randint(1, 4))
        if self.kind == "frameworks":
            return draw.sample(own, 3) + draw.sample(FRAMEWORKS, draw.randint(2, 5))
        return draw.sample(own, draw.randint(3, len(own))) + (["graph/eigen+fused"] if self.chance(0.5) else [])

    def scenarios(self):
        draw = self.random
        names = [draw.choice(SCENARIOS)] if self.kind == "turned" else draw.sample(SCENARIOS, draw.randint(2, 4))
        overrides = draw.choice(([""], [""], ["batch=1", "batch=32"], [f"batch={2**i},dtype=f64" for i in range(8)]))
        scenarios = []
        for name in names:
            first = f"key{len(scenarios)}"
            for override in overrides[: 1 if self.kind == "turned" else None]:
                scenarios.append(self.scenario(name, override, len(scenarios)))
                if self.side_by_side and override:
                    values = dict(part.split("=") for part in override.split(","))
                    scenarios[-1]["side_by_side"] = {"first": first, "values": values}
        return scenarios

    def scenario(self, name, override, number):
        rows, features = self.random.choice((3, 300, 100000)), self.random.choice((1, 10, 784))
        batch = self.random.choice((rows, min(rows, 32)))
        resolved = {
            "task": "train", "dtype": "f64" if "f64" in override else "f32", "loss": "mse",
            **({"batch": {"rows": int(re.search(r"\d+", override)[0])}} if override else {}),
            "model": {"kind": "multilayer_perceptron", "layers": [{"width": 50, "activation": "tanh"}, {"width": 1}]},
            "optimizer": {"kind": "sgd", "learning_rate": 0.01},
        }
        if self.targets:
            resolved["target"] = {"evaluate_every": 50, "most_steps": 10000}
        return {
            "key": f"key{number}", "name": name, "label": f"{name}[{override}]" if override else name, "rows": rows,
            "features": features, "outputs": 1, "parameters": 601, "batch_rows": batch,
            "operations_per_step": float(self.random.randint(10, 10**7)), "data_digest": "0", "resolved": resolved,
        }

    def cells_of(self, scenario, implementations, threads, baseline):
        draw = self.random
        speed = 10 ** draw.uniform(1, 7)
        drifts = [1 + self.drift * draw.random() for _ in range(self.launches)]
        cells = []
        for implementation in implementations:
            factor = draw.choice((1.0, 1.001, 1.01, 1.02, draw.uniform(0.9, 1.1), 10 ** draw.uniform(-1.5, 1.5)))
            choices = (
                [{}] if self.kind != "options" else [{}, {"loader": "gather"}, {"prefetch": "2"}][: draw.randint(1, 3)]
            )
            for options, count, arm in itertools.product(choices, threads, self.arms):
                mine = factor * draw.choice((1.0, 1.0, 1.015, 1.3)) / (count**0.5)
                cells.append(self.cell(scenario, implementation, options, count, arm, speed * mine, drifts))
        if self.control is not None:
            timed = [cell for cell in cells if cell["status"]["state"] == "ok"]
            if timed:
                twin = next((cell for cell in timed if cell["implementation"] == baseline), timed[0])
                cells.append(self.control_of(twin))
        return cells

    def cell(self, scenario, implementation, options, threads, arm, step_ns, drifts):
        draw = self.random
        name = f"{scenario['label']}/{implementation}" + "".join(f"?{k}={v}" for k, v in options.items())
        name += (f"@{threads}" if threads != 1 else "") + (f"#{arm}" if arm != "new" else "")
        cell = {
            "id": name, "scenario": scenario["key"], "implementation": implementation, "options": options,
            "threads": threads, "arm": arm, "build": "g++", "worker": "0.1.0", "repeat": "gdbench run",
            "ranked": "+" not in implementation, "status": {"state": "ok", "reason": ""}, "launches": [], "samples": [],
        }
        if self.chance(self.failures):
            state = draw.choice(tuple(FAILED))
            cell["status"] = {"state": state, "reason": draw.choice(FAILED[state])}
            return cell
        if self.chance(0.9):
            cell["verification"] = {"steps": 5, "sampled": False, "initial_loss": 0.7, "final_loss": 0.6, "tensors": []}
        if implementation in self.with_profile and self.chance(0.9):
            cell["profile"] = self.profile(cell, step_ns)
        if "target" in scenario["resolved"] and self.chance(0.8):
            cell["target"] = self.target()
        processors = draw.choice((1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.8)) * threads
        faults = draw.choice((None, 0.0, 10 ** draw.uniform(-3, 4)))
        start = {
            "ready": 10 ** draw.uniform(-4, 0), "script": draw.choice((1.0, 2.5)),
            "imports": 10 ** draw.uniform(-1, 1) if implementation in FRAMEWORKS and self.chance(0.5) else None,
            "timing": draw.choice((None,) * 5 + (0.003, -0.01, 0.019, 0.021, 0.3)),
        }
        for launch in range(self.launches):
            if self.launches > 1 and self.chance(self.gaps):
                continue
            cell["launches"].append(self.launch(launch, step_ns, **start))
            scattered = step_ns * drifts[launch] * draw.lognormvariate(0, self.scatter)
            for block in range(draw.choice((7, 7, 7, 4))):
                outlier = draw.uniform(1.1, 40) if self.chance(0.05) else 1.0
                time_ns = scattered * (1 + abs(draw.gauss(0, self.scatter))) * outlier
                cell["samples"].append(
                    {
                        "launch": launch, "round": block, "position": 0, "cold": block == 0, "steps": 10,
                        "real_ns": time_ns, "cpu_ns": time_ns * processors, "request_ns": time_ns * 11,
                        "displacement": 0.1,
                        **({} if faults is None else {"page_faults": faults * draw.uniform(1, 2)}),
                    }
                )
        return cell

    def launch(self, number, step_ns, ready, script, imports, timing):
        """`timing`: what timing single steps costs, some of it too much to be shown."""
        draw = self.random
        loading, peak = ready * draw.uniform(0.9, 1.1), draw.randint(10**6, 10**9)
        launch = {
            "launch": number, "started_at": "2026-01-02T03:04:05Z", "start_seconds": 0.003, "load_seconds": loading / 2,
            "prepare_seconds": loading, "first_step_ns": step_ns * draw.uniform(1, 50), "total_seconds": 1.5,
            "peak_resident_bytes": peak, **({"peak_anonymous_bytes": peak // 2} if draw.random() < 0.8 else {}),
        }
        if imports is not None:
            imported = imports * draw.uniform(0.9, 1.1)
            faults = {"page_faults": draw.choice((0.0, draw.uniform(1, 400)))} if draw.random() < 0.8 else {}
            launch["prepare_seconds"] += imported
            launch.update(script={"step_ns": step_ns * script * draw.uniform(0.95, 1.05), **faults}, traces=number % 3,
                          import_seconds=imported, imported_resident_bytes=peak // 3)
        if timing is not None:
            times = sorted(step_ns * draw.lognormvariate(0, 0.5) for _ in range(4))
            figures = dict(zip(("p50_ns", "p95_ns", "p99_ns", "max_ns"), times))
            launch["single_steps"] = {"steps": draw.randint(100, 1010), **figures, "cost": timing}
        return launch

    def profile(self, cell, step_ns):
        draw = self.random
        shares = [draw.random() for _ in range(4)]
        ops = (("data", "batch"), ("forward", "product"), ("backward", "product"), ("update", "sgd"))
        parts = {(*op, ()): (share / sum(shares) / 1.1, float(draw.randint(1, 9))) for op, share in zip(ops, shares)}
        profile = profile_of(cell, step_ns, 1.1, parts)
        profile["records"] = profile["records"][draw.choice((0, 0, 1)) :]
        if draw.random() < 0.7:
            profile.update(
                allocations_per_step=float(draw.randint(0, 50)), allocated_bytes_per_step=1e4, prepared_bytes=10**5
            )
        return profile

    def target(self):
        draw = self.random
        state = draw.choice(("reached", "reached", "reached", "unreached", "diverged", "cut"))
        steps = draw.choice((100, 101, draw.randint(1, 10000)))
        target = {
            "state": state, "target_loss": 0.1, "initial_loss": 2.5, "steps": steps, "stopped_after": steps + 49,
            "loss": 0.0987654 if state == "reached" else 0.31, "evaluations": 5, "run_seconds": 0.1,
        }
        if draw.random() < 0.7:
            target["evaluation_seconds"] = 10 ** draw.uniform(-5, 0)
        return target

    def control_of(self, twin):
        """The twin again, off by up to `control` of its time, in every launch alike or not."""
        off = 1 + self.control * self.random.choice((-0.5, 0.3, 1.0))
        samples = [
            {**sample, "real_ns": sample["real_ns"] * off * self.random.lognormvariate(0, self.scatter / 2)}
            for sample in twin["samples"]
        ]
        kept = {key: value for key, value in twin.items() if key not in ("profile", "target")}
        return {**kept, "id": twin["id"].partition("#")[0] + "#control", "arm": "control", "samples": samples}


def profile_of(cell, step_ns, clocks, parts):
    """`parts`: (phase, op, layers) -> its share of the step, its calls; `clocks`: what reading clocks makes of it."""
    records = [
        {
            "phase": phase, "op": op, "clock": "host", "calls": calls, "time_ns": step_ns * clocks * share,
            "flops": 100.0, "bytes": 10.0, "allocations": 0.0, **({"layers": list(layers)} if layers else {}),
        }
        for (phase, op, layers), (share, calls) in parts.items()
    ]
    return {
        "cell": cell["id"], "scenario": cell["scenario"], "implementation": cell["implementation"], "steps": 10,
        "step_ns": step_ns, "profiled_step_ns": step_ns * clocks, "load_seconds": 0.1, "prepare_seconds": 0.1,
        "first_step_ns": step_ns, "records": records,
    }


def random_report(seed, **settings):
    """`settings`: attributes of Maker that are not to be random."""
    maker = Maker(seed)
    vars(maker).update(settings)
    return maker.report()


def later_report(document, seed):
    """The same cells in another run, or in another part of one: some faster, some slower, some failed, some gone."""
    draw = random.Random(seed)
    run = document["run"] if seed % 3 == 0 else {**document["run"], "id": "later"}
    later = {**document, "run": run, "cells": []}
    factors = {}
    for cell in document["cells"]:
        factor = factors.setdefault((cell["scenario"], cell["implementation"]), draw.choice((1.0, 1.0, 1.02, 1.2, 0.7)))
        samples = [
            {**sample, "real_ns": sample["real_ns"] * factor * draw.lognormvariate(0, 0.002)}
            for sample in cell["samples"]
        ]
        fate = draw.random()
        if fate < 0.05 and cell["arm"] != "control":
            continue
        failed = fate < 0.1 and cell["arm"] != "control"
        status = {"state": "crashed", "reason": "exit status 3 in launch 2"} if failed else cell["status"]
        later["cells"].append({**cell, "status": status, "samples": [] if failed else samples})
    return later
