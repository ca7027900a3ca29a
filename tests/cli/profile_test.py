"""`gdbench profile`: what it says of allocations, layers and parameters, how often a graph is compiled, and its files,
which other programs open: traces, checked by rules of the Trace Event Format as its importers read it (object form,
complete events, on each track either apart or one inside the other), stacks, and pictures of graphs."""

import collections
import pathlib
import re
import shutil
import unittest

from program import FAKES, HAS_JIT, PROGRAM, ProgramTest, linear_scenario, options

COUNTER = pathlib.Path(PROGRAM).parent.parent / "lib" / "gdbench" / "preload" / "libgdbench_allocations.so"


@unittest.skipUnless(COUNTER.exists(), "allocations are not counted in a sanitized build")
class Allocations(ProgramTest):
    def test_what_a_step_allocates(self):
        fake = ("profile", "linreg-3x2", "--impl", "fake/allocate")
        for count in (0, 1, 7):
            with self.subTest(count=count):
                profile = self.json_of(*fake, "--set", f"impl.allocations_per_step={count}", plugins=FAKES)
                self.assertEqual(profile["allocations_per_step"], count)
                self.assertEqual(profile["allocated_bytes_per_step"], 48 * count)
                # In doubles: two weights, their gradients and two slots for each.
                self.assertEqual(profile["prepared_bytes"], 8 * 4 * 2)
        table, _ = self.call(*fake, plugins=FAKES)
        self.assertIn("  3 allocations (144 B) per step, 64 B before the first.\n", table)

    def test_a_loop_by_hand_allocates_nothing(self):
        profile = self.json_of("profile", "linreg-3x2", "--impl", "hand/naive")
        self.assertEqual((profile["allocations_per_step"], profile["allocated_bytes_per_step"]), (0, 0))
        self.assertGreater(profile["prepared_bytes"], 0)


class Compilation(ProgramTest):
    def test_a_schedule_compiles_once_and_a_smaller_last_batch_is_a_graph_of_its_own(self):
        schedule = 'optimizer.schedule={"kind":"cosine","steps":1000}'
        for setting, graphs in (("optimizer.kind=sgd", 1), ("optimizer.kind=adam", 1), ("batch=64", 2)):
            with self.subTest(setting=setting):
                chosen = ("--impl", "graph/eigen", *options("--set", (schedule, setting)))
                profile = self.json_of("profile", "linreg-300x10", *chosen)
                self.assertGreater(profile["steps"], 1000)
                self.assertEqual([one["calls"] for one in profile["records"] if one["op"] == "build"], [graphs])


class Layers(ProgramTest):
    """As a plugin names them; strategies_test knows what each of ours names."""

    LAYERS = range(5)

    def step_of(self, implementation):
        layers = [{"width": 20, "activation": "relu"}] * (len(self.LAYERS) - 1) + [{"width": 1}]
        self.write_json("five.json", linear_scenario(
            model={"kind": "multilayer_perceptron", "layers": layers},
            data={"source": "synthetic", "kind": "teacher", "rows": 100, "features": 10},
            optimizer={"learning_rate": 0.001}))
        records = self.json_of("profile", "five.json", "--impl", implementation)["records"]
        return [record for record in records if record["phase"] != "compile"]

    def test_five_products_are_five_and_one_update_names_all_parameters(self):
        records = self.step_of("tape/eigen+replay")
        products = [record for record in records if record["op"] == "product"]
        about = [tuple(record[key] for key in ("phase", "use", "layers", "parameters")) for record in products]
        expected = [("forward", "reads", [layer], [f"w{layer}"]) for layer in self.LAYERS]
        expected += [("backward", "gradient", [layer], [f"w{layer}"]) for layer in self.LAYERS]
        expected += [("backward", "reads", [layer], [f"w{layer}"]) for layer in self.LAYERS[1:]]
        self.assertEqual(sorted(about), sorted(expected))
        for record in products:
            self.assertAlmostEqual(record["calls"], 1)
        (update,) = [record for record in self.step_of("hand/naive") if record["phase"] == "update"]
        names = [f"{kind}{layer}" for layer in self.LAYERS for kind in "wb"]
        self.assertEqual((update["layers"], update["parameters"]), (list(self.LAYERS), names))

    @unittest.skipUnless(HAS_JIT, "graph/jit is not built: no LLVM")
    def test_a_region_serves_all_layers(self):
        (region,) = self.step_of("graph/jit")
        self.assertEqual((region["op"], region["use"]), ("training region", "updates"))
        self.assertEqual(region["layers"], list(self.LAYERS))

    def test_an_older_plugin_names_none(self):
        profile = self.json_of("profile", "linreg-3x2", "--impl", "plain/fake", plugins=f"{FAKES}/phases")
        for record in profile["records"]:
            self.assertFalse({"layers", "parameters", "use"} & record.keys(), record)


# Microseconds: times are multiples of a binary fraction of a nanosecond that was divided by 1000.
TOLERANCE = 1e-6


# Of an event by its phase: complete ones, and the names of processes and threads.
KINDS = {
    "X": {"name": str, "cat": str, "pid": int, "tid": int, "ts": (int, float), "dur": (int, float), "args": dict},
    "M": {"name": str, "pid": int, "tid": int, "args": dict},
}


def problems_of_trace(trace):
    """What an importer of the Trace Event Format would stumble over."""
    tracks = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        kinds = KINDS.get(event["ph"], {})
        wrong = [key for key, kind in kinds.items() if not isinstance(event.get(key), kind)]
        wrong += [key for key in ("ts", "dur") if key in kinds and key not in wrong and event[key] < 0]
        if wrong or not kinds:
            yield f"{event}: {wrong}"
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    for events in tracks.values():
        yield from problems_of_track(events)


def problems_of_track(events):
    """Complete events of one thread in the order of the file: each is apart from the others or inside them."""
    open_ends, last = [], 0
    for event in events:
        start, end = event["ts"], event["ts"] + event["dur"]
        if start < last - TOLERANCE:
            yield f"{event['name']} starts at {start}, before the event in front of it"
        last = start
        while open_ends and start >= open_ends[-1] - TOLERANCE:
            open_ends.pop()
        if open_ends and end > open_ends[-1] + TOLERANCE:
            yield f"{event['name']} ends at {end}, after the event around it"
        open_ends.append(end)


class Traces(ProgramTest):
    def test_traces_and_stacks(self):
        """Names of ops and the counts of stacks are what profile_test is about."""
        for implementation in ("hand/naive", "tape/eigen", "graph/eigen"):
            with self.subTest(implementation=implementation):
                files = ("--trace", "step.json", "--collapsed", "step.txt", "--html", "page.html")
                profile = self.json_of("profile", "mlp-10-50-1", "--impl", implementation, *files)
                self.assertIn('<figure id="one-mean-step">', self.read("page.html"))
                trace = self.read_json("step.json")
                self.assertEqual(list(problems_of_trace(trace)), [])
                records = [record for record in profile["records"] if record["phase"] != "compile"]
                self.check_trace_is_the_profile(trace, records, profile["profiled_step_ns"])
                stacks = {line.rpartition(" ")[0] for line in self.read("step.txt").splitlines()}
                self.assertEqual(len(stacks), len(records) + 1)
                self.assertTrue(all(stack.startswith(f"{implementation};") for stack in stacks), stacks)

    def check_trace_is_the_profile(self, trace, records, step_ns):
        events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        ops = sorted((event["cat"], event["name"].partition(",")[0], event["dur"]) for event in events
                     if event["cat"] != "phase")
        expected = sorted((record["phase"], record["op"], record["time_ns"] / 1000) for record in records)
        self.assertEqual([op[:2] for op in ops], [op[:2] for op in expected])
        for op, record in zip(ops, expected):
            self.assertAlmostEqual(op[2], record[2], delta=TOLERANCE)
        end = max(event["ts"] + event["dur"] for event in events)
        self.assertAlmostEqual(end * 1000, max(sum(record["time_ns"] for record in records), step_ns), delta=0.01)
        phases = {event["name"]: event for event in events if event["cat"] == "phase"}
        for event in (event for event in events if event["cat"] != "phase"):
            phase = phases[event["cat"]]
            self.assertGreaterEqual(event["ts"], phase["ts"] - TOLERANCE)
            self.assertLessEqual(event["ts"] + event["dur"], phase["ts"] + phase["dur"] + TOLERANCE)


class Pictures(ProgramTest):
    @unittest.skipUnless(HAS_JIT, "graph/jit is not built: no LLVM")
    def test_compiled_code(self):
        self.call("profile", "linreg-300x10", "--impl", "graph/jit", "--dump", "compiled", "--json")
        for ending, words in {"-region.txt": "product(x, ", "-plan.txt": "one stream of rows", ".cpp": "multiply_add",
                              ".ll": "@llvm.fma", ".s": "vfmadd"}.items():
            self.assertIn(words, self.read(f"compiled/step-300-rows{ending}"))

    @unittest.skipIf(shutil.which("dot") is None, "dot (Graphviz) is missing")
    def test_graphviz_reads_what_the_listing_has(self):
        self.call("profile", "mlp-10-50-1", "--impl", "graph/naive", "--dump", "graphs", "--json")
        pictures = sorted((self.folder / "graphs").glob("*.dot"))
        self.assertGreater(len(pictures), 1)
        for picture in pictures:
            with self.subTest(picture=picture.name):
                drawn = self.run_other("dot", "-Tplain", picture)
                self.assertEqual(drawn.stderr, "")
                found = [line.split(" ")[0] for line in drawn.stdout.splitlines()]
                lines = picture.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
                self.assertEqual(found.count("node"), len(lines), "a node or output is missing")
                operands = sum(len(re.findall(r"%\d+", line)) - line.startswith("%") for line in lines)
                self.assertEqual(found.count("edge"), operands)
