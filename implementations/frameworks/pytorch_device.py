"""PyTorch on a CUDA device: what the report says of it, its clock, and steps that are captured as a CUDA graph."""
import torch

import devices
from runner import Unsupported


def describe():
    if not torch.cuda.is_available():
        raise Unsupported("PyTorch finds no CUDA device")
    products = "f32" if torch.get_float32_matmul_precision() == "highest" else "TF32"
    return f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, products of f32 by {products}"


class Clock(devices.Clock):
    def event(self):
        return torch.cuda.Event(enable_timing=True)

    def synchronize(self):
        torch.cuda.synchronize()

    def milliseconds(self):
        return self.first.elapsed_time(self.last)

    def most_bytes(self):
        return torch.cuda.max_memory_allocated()


class CapturedStep:
    """A step of `training`, a function of x and y, captured once for each size of batch and replayed. Tensors keep
    their places from then on; a state is set after it."""

    def __init__(self, training, step):
        problem = training.problem
        if problem.scheduled or problem.scales_loss:
            raise Unsupported("cuda_graph=step: a captured step has one learning rate and scales no loss")
        parameters, *slots = problem.zeros()
        training.set_state(parameters, slots)
        self.graphs = {}
        for training.step in (0, problem.steps_per_epoch - 1):
            ((x, y),) = training.batches(1)
            if len(x) not in self.graphs:
                # A batch that is always the same is read where it lies.
                same = training.transfer == "resident" and training.data.order is None and len(training.ready) == 1
                self.graphs[len(x)] = self.capture(step, *((x, y) if same else (x.clone(), y.clone())))

    def capture(self, step, x, y):
        """As torch.cuda.graph's documentation has it: after three steps on a stream of their own."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                step(x, y)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(x, y)
        return graph, x, y

    def __call__(self, x, y):
        graph, own_x, own_y = self.graphs[len(x)]
        if x is not own_x:
            own_x.copy_(x)
            own_y.copy_(y)
        graph.replay()
