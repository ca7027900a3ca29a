"""A worker that is asked for blocks of steps, by harness/protocol/PROTOCOL.md."""
import json
import os
import subprocess
import sys

import numpy

RATE, EPOCHS = 1e-6, 4


def aligned(size):
    return -(-size // 64) * 64


class Worker:
    """Data and states are in memory files, as the coordinator has them."""

    def __init__(self, command, implementation, shape, processor, environment):
        rows, batch, widths, loss, shuffled = shape
        random = numpy.random.default_rng(1)
        labels = loss == "softmax_cross_entropy"
        arrays = {"x": random.normal(size=(rows, widths[0])).astype("f4")}
        if labels:
            arrays["labels"] = random.integers(0, widths[-1], rows).astype("i4")
        else:
            arrays["y"] = random.normal(size=(rows, 1)).astype("f4")
        if shuffled:
            arrays["order"] = numpy.stack([random.permutation(rows) for _ in range(EPOCHS)]).astype("u4")
        places, data = {}, bytearray()
        for key, array in arrays.items():
            places[key] = {"offset": len(data)}
            data += array.tobytes().ljust(aligned(array.nbytes), b"\0")
        if shuffled:
            places["order"]["epochs"] = EPOCHS
        bias = len(widths) > 2
        state = b""
        for inputs, outputs in zip(widths, widths[1:]):
            weights = random.normal(0, 0.1, (inputs, outputs)).astype("f4").tobytes()
            state += weights.ljust(aligned(len(weights)), b"\0") + bytes(aligned(4 * outputs)) * bias
        self.process = self.start(command, environment, processor, bytes(data), state * 2)
        hidden = len(widths) - 2
        layers = [
            {"inputs": i, "outputs": o, "activation": "relu" if n < hidden else "identity", "bias": bias}
            for n, (i, o) in enumerate(zip(widths, widths[1:]))
        ]
        optimizer = {"kind": "sgd", "learning_rates": [RATE], "weight_decay": 0, "decoupled_weight_decay": False}
        optimizer.update(momentum=0.9, beta1=0.9, beta2=0.999, rho=0.99, epsilon=1e-8)
        data_shape = {"dtype": "f32", "rows": rows}
        source = {"source": "resident", "features": widths[0], "outputs": widths[-1], **data_shape, **places}
        self.ask("hello", protocol={"major": 1, "minor": 11})
        self.ask("load", implementation=implementation, memory={"fd": 5, "bytes": len(data)}, data=source)
        problem = {"task": "train", "batch_rows": batch, "micro_batches": 1, "loss": loss, **data_shape}
        self.ask(
            "prepare",
            problem={**problem, "layers": layers, "optimizer": optimizer},
            options={"gc": "off", "heap": "kept", "pool": "limited"},
            threads={"compute": 1, "compute_cores": [processor], "helper_cores": []},
            state={"fd": 6, "bytes": 2 * len(state), "image_bytes": len(state)},
        )
        self.ask("set_state", image=0, step=0)

    def start(self, command, environment, processor, data, state):
        memories = []
        for name, content in (("data", data), ("state", state)):
            memory = os.memfd_create(name)
            os.write(memory, content) if len(content) < 1 << 30 else sys.exit("too much data")
            memories.append(memory)
        request_in, request_out = os.pipe()
        answer_in, answer_out = os.pipe()
        inherited = [request_in, answer_out, *memories]

        def place():
            os.sched_setaffinity(0, {processor})
            # First out of the way of 3 to 6, then into place.
            high = [os.dup(os.dup2(number, 100 + i)) for i, number in enumerate(inherited)]
            for i, number in enumerate(high):
                os.dup2(number, 3 + i)

        process = subprocess.Popen(
            command, env=environment, preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL
        )
        for number in inherited:
            os.close(number)
        self.requests, self.answers, self.id = os.fdopen(request_out, "w"), os.fdopen(answer_in), 0
        return process

    def ask(self, request, **fields):
        self.id += 1
        self.requests.write(json.dumps({"request": request, "id": self.id, **fields}) + "\n")
        self.requests.flush()
        answer = json.loads(self.answers.readline())
        if not answer["ok"]:
            sys.exit(f"{request}: {answer['error']['message']}")
        return answer

    def settle(self):
        self.ask("settle")

    def block(self, steps):
        return self.ask("run", steps=steps)["cpu_ns"]

    def end(self):
        self.ask("bye")
        self.process.wait()
        self.requests.close()
        self.answers.close()
