"""Files that other programs open: traces, checked by rules of the Trace Event Format as its importers read it (object
form, complete events, on each track either apart or one inside the other), Brendan Gregg's collapsed stacks, and
pictures of graphs, as Graphviz reads them."""

import collections
import json
import re
import shutil
import subprocess
import unittest

from program import HAS_JIT, ProgramTest

# Microseconds: times are multiples of a binary fraction of a nanosecond that was divided by 1000.
TOLERANCE = 1e-6


# Of an event by its phase: complete ones, and the names of processes and threads.
KINDS = {
    "X": {"name": str, "cat": str, "pid": int, "tid": int, "ts": (int, float), "dur": (int, float), "args": dict},
    "M": {"name": str, "pid": int, "tid": int, "args": dict},
}


def problems_of_trace(trace):
    """What an importer of the Trace Event Format would stumble over."""
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        yield "displayTimeUnit is neither ms nor ns"
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


class Profiles(ProgramTest):
    def profile(self, scenario, implementation):
        files = ("--trace", "step.json", "--collapsed", "step.txt", "--json")
        output, _ = self.call("profile", scenario, "--impl", implementation, *files)
        return json.loads(output), self.read_json("step.json"), (self.folder / "step.txt").read_text(encoding="utf-8")

    def test_traces_and_stacks(self):
        for implementation in ("hand/naive", "tape/eigen", "graph/eigen"):
            with self.subTest(implementation=implementation):
                profile, trace, stacks = self.profile("mlp-10-50-1", implementation)
                self.assertEqual(list(problems_of_trace(trace)), [])
                self.check_trace_is_the_profile(trace, profile)
                self.check_stacks_are_the_profile(stacks, profile)

    def step_records(self, profile):
        return [record for record in profile["records"] if record["phase"] != "compile"]

    def label(self, record):
        layers, parameters = record.get("layers", []), record.get("parameters", [])
        words = [record["op"]]
        if layers:
            self.assertEqual(layers, list(range(layers[0], layers[-1] + 1)))
            words.append(f"layer {layers[0]}" if len(layers) == 1 else f"layers {layers[0]}-{layers[-1]}")
        if parameters:
            use = {"reads": "reads", "gradient": "gradient of", "updates": "updates"}[record["use"]]
            names = " ".join(parameters) if len(parameters) < 3 else f"{parameters[0]}..{parameters[-1]}"
            words.append(f"{use} {names}")
        return ", ".join(words)

    def check_trace_is_the_profile(self, trace, profile):
        events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        ops = [(event["cat"], event["name"], event["dur"]) for event in events if event["cat"] != "phase"]
        records = self.step_records(profile)
        expected = [(record["phase"], self.label(record), record["time_ns"] / 1000) for record in records]
        self.assertEqual([op[:2] for op in sorted(ops)], [op[:2] for op in sorted(expected)])
        for op, record in zip(sorted(ops), sorted(expected)):
            self.assertAlmostEqual(op[2], record[2], delta=TOLERANCE)
        claimed = sum(record["time_ns"] for record in self.step_records(profile))
        end = max(event["ts"] + event["dur"] for event in events)
        self.assertAlmostEqual(end * 1000, max(claimed, profile["profiled_step_ns"]), delta=0.01)
        for event in events:
            if event["cat"] != "phase":
                self.assertTrue(any(self.lies_in(event, phase) for phase in events if phase["name"] == event["cat"]))

    def lies_in(self, event, phase):
        begins = event["ts"] >= phase["ts"] - TOLERANCE
        ends = event["ts"] + event["dur"] <= phase["ts"] + phase["dur"] + TOLERANCE
        return phase["cat"] == "phase" and begins and ends

    def check_stacks_are_the_profile(self, stacks, profile):
        lines = [line.rpartition(" ") for line in stacks.removesuffix("\n").split("\n")]
        counts = {stack: int(count) for stack, _, count in lines}
        self.assertEqual(len(counts), len(lines), "a stack comes twice")
        for record in self.step_records(profile):
            stack = f"{profile['implementation']};{record['phase']};{self.label(record)}"
            self.assertAlmostEqual(counts[stack], record["time_ns"] * 1000, delta=1)
        self.assertEqual(len(counts), len(self.step_records(profile)) + 1)


class Pictures(ProgramTest):
    @unittest.skipUnless(HAS_JIT, "graph/jit is not built: no LLVM")
    def test_compiled_code(self):
        self.call("profile", "linreg-300x10", "--impl", "graph/jit", "--dump", "compiled", "--json")
        folder = self.folder / "compiled"
        written = {ending: (folder / f"step-300-rows{ending}").read_text(encoding="utf-8")
                   for ending in ("-region.txt", "-plan.txt", ".cpp", ".ll", ".s")}
        self.assertIn("product(x, ", written["-region.txt"])
        self.assertIn("one stream of rows", written["-plan.txt"])
        self.assertIn("multiply_add", written[".cpp"])
        self.assertIn("@llvm.fma", written[".ll"])
        self.assertIn("vfmadd", written[".s"])

    @unittest.skipIf(shutil.which("dot") is None, "dot (Graphviz) is missing")
    def test_graphviz_reads_what_the_listing_has(self):
        self.call("profile", "mlp-10-50-1", "--impl", "graph/naive", "--dump", "graphs", "--json")
        pictures = sorted((self.folder / "graphs").glob("*.dot"))
        self.assertGreater(len(pictures), 1)
        for picture in pictures:
            with self.subTest(picture=picture.name):
                drawn = subprocess.run(["dot", "-Tplain", str(picture)], capture_output=True, text=True, check=True)
                self.assertEqual(drawn.stderr, "")
                found = [line.split(" ")[0] for line in drawn.stdout.splitlines()]
                lines = picture.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
                self.assertEqual(found.count("node"), len(lines), "a node or output is missing")
                operands = sum(len(re.findall(r"%\d+", line)) - line.startswith("%") for line in lines)
                self.assertEqual(found.count("edge"), operands)


if __name__ == "__main__":
    unittest.main()
