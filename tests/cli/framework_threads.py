"""Trains 784-1024-1024-10, which tempts every pool, as a framework's worker would; prints what its threads may use.

python framework_threads.py FOLDER NAME/MODE THREADS POOL: FOLDER holds runner.py, POOL is the option's value. Runs in
the framework's environment.
"""
import importlib
import json
import os
import sys

FEATURES, ROWS, WIDTHS = 784, 128, (1024, 1024, 10)
STEPS = 5


def memory(size):
    descriptor = os.memfd_create("framework_threads")
    os.ftruncate(descriptor, size)
    return descriptor


def layers():
    sizes = zip((FEATURES, *WIDTHS), WIDTHS, ("relu", "relu", "identity"))
    return [{"inputs": i, "outputs": o, "activation": activation, "bias": True} for i, o, activation in sizes]


def main():
    folder, implementation, threads, pool = sys.argv[1:]
    sys.path.insert(0, folder)
    runner = importlib.import_module("runner")
    name = implementation.split("/", 1)[0]
    cores = sorted(os.sched_getaffinity(0))[-int(threads) :]
    x_bytes, y_bytes = 4 * ROWS * FEATURES, 4 * ROWS * WIDTHS[-1]
    image_bytes = sum(4 * (layer["inputs"] + 16) * layer["outputs"] + 128 for layer in layers())
    data = {"source": "resident", "dtype": "f32", "rows": ROWS, "features": FEATURES, "outputs": WIDTHS[-1],
            "x": {"offset": 0}, "y": {"offset": x_bytes}}
    problem = {"task": "train", "dtype": "f32", "rows": ROWS, "batch_rows": ROWS, "micro_batches": 1, "loss": "mse",
               "layers": layers(), "optimizer": {"kind": "sgd", "learning_rates": [0.01], "momentum": 0.9, "beta1": 0.9,
                                                 "beta2": 0.999, "rho": 0.9, "epsilon": 1e-8, "weight_decay": 0,
                                                 "decoupled_weight_decay": False}}
    worker = runner.Worker(importlib.import_module(f"{name}_adapter"), "")
    worker.load({"implementation": implementation, "data": data,
                 "memory": {"fd": memory(x_bytes + y_bytes), "bytes": x_bytes + y_bytes}})
    answer = worker.prepare({"problem": problem, "options": {"gc": "off", "heap": "kept", "pool": pool},
                             "threads": {"compute": int(threads), "compute_cores": cores, "helper_cores": []},
                             "state": {"fd": memory(image_bytes), "bytes": image_bytes, "image_bytes": image_bytes}})
    worker.set_state({"image": 0, "step": 0})
    worker.run({"steps": STEPS})
    used = [sorted(os.sched_getaffinity(int(thread))) for thread in os.listdir("/proc/self/task")]
    print(json.dumps({"cores": cores, "answer": answer, "processors_of_threads": used}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
