"""NumPy, as a person writes it for one model."""
import numpy as np
from batches import batches, repeated


def linear(x, y, rate):
    w = np.zeros((x.shape[1], 1), x.dtype)

    def step():
        nonlocal w
        z = x @ w
        d = (z - y) * (2 / len(x))
        w = w - rate * (x.T @ d)

    def steps(n):
        for _ in range(n):
            step()

    return steps


def network(x, y, order, batch, widths, rate):
    r = np.random.default_rng(1)
    w0, w1 = (r.normal(0, 0.1, shape).astype(x.dtype) for shape in zip(widths, widths[1:]))
    b0, b1 = np.zeros(widths[1], x.dtype), np.zeros(widths[2], x.dtype)
    rows = [order[i : i + batch] for i in range(0, len(x), batch)]

    def step(x, y):
        nonlocal w0, b0, w1, b1
        z0 = x @ w0 + b0
        a0 = np.maximum(z0, 0)
        z1 = a0 @ w1 + b1
        if y.ndim == 1:
            d = np.exp(z1 - z1.max(axis=1, keepdims=True))
            d /= d.sum(axis=1, keepdims=True)
            d[np.arange(len(x)), y] -= 1
            d /= len(x)
        else:
            d = (z1 - y) * (2 / len(x))
        g1, h1 = a0.T @ d, d.sum(axis=0)
        d = d @ w1.T * (a0 > 0)
        g0, h0 = x.T @ d, d.sum(axis=0)
        w0, b0, w1, b1 = w0 - rate * g0, b0 - rate * h0, w1 - rate * g1, b1 - rate * h1

    return repeated(step, batches(x, y, rows))
