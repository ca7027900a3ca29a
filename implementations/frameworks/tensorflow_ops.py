"""The ops of TensorFlow's profiler by phase: of the eager executor, of graphs, of XLA."""
import re

import op_profile

EAGER = "EagerLocalExecute: "
PHASES = ("forward", "backward", "update")
NODE = re.compile(r"[^:\s]+:(\w+)")  # of a graph: its name and its op


def key_of(name, compiled):
    """None for what is no op, such as a call of a whole function. `compiled`: by XLA."""
    if compiled:
        return op_profile.of_instruction(name)
    node = NODE.fullmatch(name)
    op = name.removeprefix(EAGER) if name.startswith(EAGER) else node and node[1]
    if not op or op.startswith("__"):
        return None
    if not node:
        return "other", op, None
    update = op.startswith(("Assign", "ResourceApply"))
    backward = "gradient_tape/" in name or "gradients/" in name
    return "update" if update else "backward" if backward else "forward", op, None


def self_times(trace):
    """(key, nanoseconds) of all threads of an XSpace. Eager ops have the phase that annotated() put around them."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    for plane in xplane_pb2.XSpace.FromString(trace).planes:
        names = {number: metadata.name for number, metadata in plane.event_metadata.items()}
        instruction = {number for number, metadata in plane.stat_metadata.items() if metadata.name == "hlo_op"}
        for line in plane.lines:
            events, phases = [], []
            for event in sorted(line.events, key=lambda event: event.offset_ps):
                name, end_ps = names[event.metadata_id], event.offset_ps + event.duration_ps
                if name in PHASES:
                    phases.append((name, end_ps))
                compiled = any(statistic.metadata_id in instruction for statistic in event.stats)
                if key := key_of(name, compiled):
                    if phases and end_ps <= phases[-1][1]:
                        key = (phases[-1][0], *key[1:])
                    events.append(op_profile.Event(key, event.offset_ps / 1000, event.duration_ps / 1000))
            yield from op_profile.self_times(events)


def annotated(phase, function):
    """The function within an event of the trace."""
    from tensorflow.profiler.experimental import Trace

    def traced(*arguments):
        with Trace(phase):
            return function(*arguments)

    return traced
