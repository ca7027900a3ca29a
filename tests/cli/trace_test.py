"""Files that other programs open: traces, collapsed stacks, pictures of graphs. Checked by rules of their formats that
are written here anew: the Trace Event Format as its importers read it (object form, complete events, on each track
either apart or one inside the other), Brendan Gregg's collapsed stacks, the DOT language."""

import collections
import copy
import json
import re
import shutil
import subprocess
import unittest

from program import ProgramTest

# Microseconds: times are multiples of a binary fraction of a nanosecond that was divided by 1000.
TOLERANCE = 1e-6


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def problems_of_event(event):
    for key, kind in (("name", str), ("ph", str)):
        if not isinstance(event.get(key), kind):
            yield f"{key} is {event.get(key)!r}"
    for key in ("pid", "tid"):
        if not is_integer(event.get(key)):
            yield f"{key} is {event.get(key)!r}"
    if not isinstance(event.get("args", {}), dict):
        yield "args is not an object"
    if event.get("ph") == "X":
        for key in ("ts", "dur"):
            if not is_number(event.get(key)) or event[key] < 0:
                yield f"{key} is {event.get(key)!r}"
        if not isinstance(event.get("cat"), str):
            yield "no category"
    elif event.get("ph") == "M":
        if event.get("name") in ("process_name", "thread_name") and not isinstance(event["args"].get("name"), str):
            yield "a name without a name"
    else:
        yield f"phase {event.get('ph')!r} is not expected here"


def problems_of_track(events):
    """Complete events of one thread in the order of the file."""
    open_ends = []
    last = 0
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


def problems_of_trace(trace):
    """What an importer of the Trace Event Format would stumble over."""
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["no object with a list traceEvents"]
    problems = []
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        problems.append("displayTimeUnit is neither ms nor ns")
    for event in trace["traceEvents"]:
        problems += problems_of_event(event)
    if problems:
        return problems
    tracks = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    if not tracks:
        return ["no complete event"]
    for events in tracks.values():
        problems += problems_of_track(events)
    return problems


def problems_of_stacks(text):
    problems = [] if text.endswith("\n") else ["the last line does not end"]
    seen = set()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        if not re.fullmatch(r"\d+", count):
            problems.append(f"{line!r} does not end with a whole number")
        if not all(frame.strip() for frame in stack.split(";")):
            problems.append(f"{line!r} has an empty frame")
        if stack in seen:
            problems.append(f"{stack!r} comes twice")
        seen.add(stack)
    return problems


DOT_TOKEN = re.compile(r'\s+|(?P<token>->|[{}\[\]=,;]|"(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z_0-9]*|-?\d+(?:\.\d+)?)')


def dot_tokens(text):
    tokens, position = [], 0
    while position < len(text):
        match = DOT_TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"no token of DOT at {text[position:position + 30]!r}")
        if match["token"]:
            tokens.append(match["token"])
        position = match.end()
    return tokens


class DotReader:
    """Reads `digraph ID { ... }` of node, edge and attribute statements; raises ValueError for anything else."""

    def __init__(self, text):
        self.tokens = dot_tokens(text)
        self.nodes, self.edges = {}, []
        self.expect("digraph")
        self.identifier()
        self.expect("{")
        while self.tokens and self.tokens[0] != "}":
            self.statement()
        self.expect("}")
        if self.tokens:
            raise ValueError(f"text after the graph: {self.tokens[:3]}")

    def take(self):
        if not self.tokens:
            raise ValueError("the text ends too early")
        return self.tokens.pop(0)

    def expect(self, token):
        found = self.take()
        if found != token:
            raise ValueError(f"found {found}, expected {token}")

    def identifier(self):
        token = self.take()
        if re.fullmatch(r"->|[{}\[\]=,;]", token):
            raise ValueError(f"found {token}, expected an identifier")
        return token.strip('"')

    def attributes(self):
        attributes = {}
        self.expect("[")
        while self.tokens and self.tokens[0] != "]":
            key = self.identifier()
            self.expect("=")
            attributes[key] = self.identifier()
            if self.tokens and self.tokens[0] == ",":
                self.take()
        self.expect("]")
        return attributes

    def statement(self):
        first = self.identifier()
        follower = self.tokens[0] if self.tokens else ""
        if follower == "=":
            self.take()
            self.identifier()
        elif follower == "->":
            self.take()
            self.edges.append((first, self.identifier()))
        else:
            attributes = self.attributes()
            if first not in ("node", "edge", "graph"):
                if first in self.nodes:
                    raise ValueError(f"node {first} is declared twice")
                self.nodes[first] = attributes
        self.expect(";")


def problems_of_dot(text):
    try:
        graph = DotReader(text)
    except ValueError as error:
        return [str(error)]
    ends = {end for edge in graph.edges for end in edge}
    return [f"node {end} is not declared" for end in sorted(ends - set(graph.nodes))]


class Profiles(ProgramTest):
    def profile(self, scenario, implementation):
        files = ("--trace", "step.json", "--collapsed", "step.txt", "--json")
        output, _ = self.call("profile", scenario, "--impl", implementation, *files)
        return json.loads(output), self.read_json("step.json"), (self.folder / "step.txt").read_text(encoding="utf-8")

    def test_traces_and_stacks(self):
        for implementation in ("hand/naive", "tape/eigen", "graph/eigen"):
            with self.subTest(implementation=implementation):
                profile, trace, stacks = self.profile("mlp-10-50-1", implementation)
                self.assertEqual(problems_of_trace(trace), [])
                self.assertEqual(problems_of_stacks(stacks), [])
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
        return phase["cat"] == "phase" and begins and event["ts"] + event["dur"] <= phase["ts"] + phase["dur"] + TOLERANCE

    def check_stacks_are_the_profile(self, stacks, profile):
        counts = {}
        for line in stacks.splitlines():
            stack, _, count = line.rpartition(" ")
            counts[stack] = int(count)
        for record in self.step_records(profile):
            stack = f"{profile['implementation']};{record['phase']};{self.label(record)}"
            self.assertAlmostEqual(counts[stack], record["time_ns"] * 1000, delta=1)
        self.assertEqual(len(counts), len(self.step_records(profile)) + 1)


class Pictures(ProgramTest):
    def test_compiled_code(self):
        listing, _ = self.call("list", "implementations")
        if "graph/jit" not in listing:
            self.skipTest("graph/jit is not built: no LLVM")
        self.call("profile", "linreg-300x10", "--impl", "graph/jit", "--dump", "compiled", "--json")
        folder = self.folder / "compiled"
        written = {ending: (folder / f"step-300-rows{ending}").read_text(encoding="utf-8")
                   for ending in ("-region.txt", "-plan.txt", ".cpp", ".ll", ".s")}
        self.assertIn("product(x, ", written["-region.txt"])
        self.assertIn("one stream of rows", written["-plan.txt"])
        self.assertIn("multiply_add", written[".cpp"])
        self.assertIn("@llvm.fma", written[".ll"])
        self.assertIn("vfmadd", written[".s"])

    def dump(self):
        self.call("profile", "mlp-10-50-1", "--impl", "graph/naive", "--dump", "graphs", "--json")
        return sorted((self.folder / "graphs").glob("*.dot"))

    def test_graphs(self):
        pictures = self.dump()
        self.assertGreater(len(pictures), 1)
        for picture in pictures:
            with self.subTest(picture=picture.name):
                text = picture.read_text(encoding="utf-8")
                self.assertEqual(problems_of_dot(text), [])
                lines = picture.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
                graph = DotReader(text)
                self.assertEqual(len(graph.nodes), len(lines), "a node or output is missing")
                operands = sum(len(re.findall(r"%\d+", line)) - line.startswith("%") for line in lines)
                self.assertEqual(len(graph.edges), operands)

    def test_graphviz_draws_them(self):
        if shutil.which("dot") is None:
            self.skipTest("dot (Graphviz) is missing")
        for picture in self.dump():
            drawn = subprocess.run(["dot", "-Tsvg", str(picture)], capture_output=True, text=True, check=True)
            self.assertEqual(drawn.stderr, "")
            self.assertIn("<svg", drawn.stdout)


class Checkers(unittest.TestCase):
    """The rules above find what they are there for."""

    @staticmethod
    def event(name, start, duration, category="phase"):
        return {"name": name, "cat": category, "ph": "X", "pid": 1, "tid": 1, "ts": start, "dur": duration, "args": {}}

    def setUp(self):
        self.trace = {"traceEvents": [self.event("a", 0, 2), self.event("b", 0, 1.5, "a"), self.event("c", 2, 1)]}

    def expect(self, change, part):
        trace = copy.deepcopy(self.trace)
        change(trace["traceEvents"])
        self.assertIn(part, "; ".join(problems_of_trace(trace)))

    def test_traces(self):
        self.assertEqual(problems_of_trace(self.trace), [])
        self.assertEqual(problems_of_trace([]), ["no object with a list traceEvents"])
        self.expect(lambda events: events[1].update(dur=2.5), "b ends at 2.5, after the event around it")
        self.expect(lambda events: events.reverse(), "before the event in front of it")
        self.expect(lambda events: events[0].update(ts="0"), "ts is '0'")
        self.expect(lambda events: events[0].update(dur=-1), "dur is -1")
        self.expect(lambda events: events[0].update(tid=None), "tid is None")
        self.expect(lambda events: events[0].update(ph="B"), "phase 'B'")
        self.expect(lambda events: events.clear(), "no complete event")

    def test_stacks(self):
        self.assertEqual(problems_of_stacks("a;b c 12\na 0\n"), [])
        for text in ("a;b 1.5\n", "a;b -1\n", ";b 1\n", "a;;b 1\n", "a 1\na 2\n", "a 1", "a\n"):
            self.assertNotEqual(problems_of_stacks(text), [], text)

    def test_dot(self):
        good = 'digraph "g" { label="g"; node [shape=box]; n1 [label="a \\"b\\" [c]\\n"]; n2 [x=1, y=2]; n1 -> n2; }'
        self.assertEqual(problems_of_dot(good), [])
        for broken in (
            good[:-1],
            good + "}",
            good.replace("n2 [x=1, y=2];", ""),
            good.replace('\\"b', '"b'),
            good.replace("y=2]", "y=2"),
            good.replace("n2 [x", "n1 [x"),
            good.replace("-> n2", "->"),
            good.replace("digraph", "graph"),
        ):
            self.assertNotEqual(problems_of_dot(broken), [], broken)


if __name__ == "__main__":
    unittest.main()
