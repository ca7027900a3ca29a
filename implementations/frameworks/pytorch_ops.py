"""The ops of PyTorch's profiler by phase and layer."""
import re

ENGINE = "autograd::engine::evaluate_function: "


def own_phase(name):
    """None where an event's name does not say it."""
    phases = {"Optimizer.step": "update", ENGINE: "backward", "Optimizer.zero_grad": "forward"}
    return next((phase for start, phase in phases.items() if name.startswith(start)), None)


def short(name):
    graph = re.match("## Call (CompiledFxGraph) ", name)  # and a hash
    return graph[1] if graph else name.replace(ENGINE, "evaluate ")


def self_times(events, layers):
    """(key, nanoseconds) of what one thread did; `layers`: how many the model has. An nn.Linear begins one, and a node
    of the recording is its layer's that has its number."""
    phases, layer_of_node = {}, {}
    begun = layer = None
    for event in events:
        if event.thread != events[0].thread or event.is_async:
            continue
        phase = own_phase(event.name) or phases.get(id(event.cpu_parent), "forward")
        phases[id(event)] = phase
        if phase == "update":
            begun = layer = None
        elif phase == "backward":
            layer = layer_of_node.get(event.sequence_nr, layer)
        else:
            if event.name == "aten::linear":
                begun = 0 if begun is None else (begun + 1) % layers
            layer = begun
            if event.sequence_nr >= 0:
                layer_of_node[event.sequence_nr] = layer
        yield (phase, short(event.name), layer), 1000 * event.self_cpu_time_total
