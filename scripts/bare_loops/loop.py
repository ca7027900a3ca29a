"""A bare loop in a process of its own: python loop.py FRAMEWORK WORKLOAD. Reads a number of steps per line, answers the
nanoseconds that they took."""
import gc
import importlib
import os
import sys
import time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
import numpy as np

RATE = 1e-6


def make(framework, workload):
    module, r = importlib.import_module(f"{framework}_loop"), np.random.default_rng(1)
    if workload == "linreg-3x2":
        return module.linear(r.normal(size=(3, 2)).astype("f4"), r.normal(size=(3, 1)).astype("f4"), RATE)
    if workload == "mlp-10-50-1":
        x, y = r.normal(size=(1000, 10)).astype("f4"), r.normal(size=(1000, 1)).astype("f4")
        return module.network(x, y, np.arange(1000), 1000, (10, 50, 1), RATE)
    x, y = r.normal(size=(4096, 784)).astype("f4"), r.integers(0, 10, 4096).astype("i4")
    return module.network(x, y, r.permutation(4096), 32, (784, 128, 10), RATE)


steps = make(*sys.argv[1:])
gc.disable()
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter_ns()
    steps(int(line))
    print(time.perf_counter_ns() - start, flush=True)
