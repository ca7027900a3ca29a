"""PyTorch's processor in the place of a CUDA device: tensors that are made there or moved there lie in the processor's
memory, and a CUDA graph keeps the operations that it was captured from."""
import contextlib
import importlib
import time

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

PROCESSOR = torch.device("cpu")
waiting = []  # graphs of a device that answers early


def moved(value):
    if not isinstance(value, torch.device) or value.type != "cuda":
        return value
    if value.index:
        out_of_memory()
    return PROCESSOR


class OnProcessor(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.Tensor.pin_memory:
            return args[0].clone()
        if function is torch.Tensor.cpu:
            while waiting:
                waiting.pop(0).execute()
        return function(*map(moved, args), **{key: moved(value) for key, value in (kwargs or {}).items()})


class Event:
    share = 1.0  # of the time that passed

    def __init__(self, enable_timing=False):
        self.at = None if enable_timing else 0

    def record(self):
        self.at = time.perf_counter_ns()

    def elapsed_time(self, last):
        return self.share * 1e-6 * (last.at - self.at)


class Stream:
    def wait_stream(self, stream):
        pass


class Graph:
    """Replays each operation with the tensors that it had, and its result into the place of the first one."""

    is_early = False

    def __init__(self):
        self.operations = []

    def replay(self):
        if self.is_early:
            waiting.append(self)
        else:
            self.execute()

    @torch.no_grad()
    def execute(self):
        for function, args, kwargs, outputs in self.operations:
            for output, result in zip(outputs, tree_leaves(function(*args, **kwargs))):
                if isinstance(output, torch.Tensor) and output.data_ptr() != result.data_ptr():
                    output.copy_(result)


class Capture(TorchDispatchMode):
    def __init__(self, graph):
        super().__init__()
        self.graph = graph

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        self.graph.operations.append((function, args, kwargs or {}, tree_leaves(result)))
        return result


def replace(fault):
    cuda = torch.cuda
    # The adapter asks once. The compiler asks later, and generates code for what tensors lie on: the processor.
    answers = iter([fault != "absent"])
    cuda.is_available = lambda: next(answers, False)
    cuda.get_device_name = lambda device=0: f"processor {device}"
    cuda.synchronize = lambda *_: None
    cuda.max_memory_allocated = lambda device=0: 2**20 + device
    # An optimizer would ask the driver whether it is being captured.
    torch.accelerator.current_accelerator = lambda **_: None
    cuda.Event, cuda.Stream, cuda.CUDAGraph, cuda.graph = Event, Stream, Graph, Capture
    cuda.current_stream, cuda.stream = Stream, lambda _: contextlib.nullcontext()
    Event.share = 0.3 if fault == "slow clock" else 1.0
    Graph.is_early = fault == "early"
    for rule in ("adam", "adamw", "nadam", "radam", "rmsprop"):
        module = importlib.import_module(f"torch.optim.{rule}")
        module._get_capturable_supported_devices = lambda *_arguments, **_settings: ["cpu"]
    if fault == "full":
        torch.Tensor.to = out_of_memory
    OnProcessor().__enter__()


def out_of_memory(*_arguments, **_settings):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 8 bytes.")
