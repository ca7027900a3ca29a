"""A script in a process of its own: python loop.py FRAMEWORK ROWS BATCH WIDTH WIDTH ... Reads a number of steps per
line, answers the nanoseconds of processor time that they took. Several outputs are classes; batches smaller than the
data are shuffled."""
import importlib
import sys
import time

import numpy as np

RATE = 1e-6


def make(framework, rows, batch, *widths):
    module, r = importlib.import_module(f"{framework}_loop"), np.random.default_rng(1)
    x = r.standard_normal((rows, widths[0]), "f4")
    y = r.integers(0, widths[-1], rows, "i4") if widths[-1] > 1 else r.standard_normal((rows, 1), "f4")
    if len(widths) == 2:
        return module.linear(x, y, RATE)
    return module.network(x, y, r.permutation(rows), batch, widths, RATE)


steps = make(sys.argv[1], *map(int, sys.argv[2:]))
print("ready", flush=True)
for line in sys.stdin:
    start = time.process_time_ns()
    own = steps(int(line))  # what it took by its own reckoning, if it has one
    print(own or time.process_time_ns() - start, flush=True)
