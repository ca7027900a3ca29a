"""A worker in another language: full-batch linear regression, written from harness/protocol/PROTOCOL.md alone."""

import array
import json
import mmap
import os
import time

TYPES = {"f32": "f", "f64": "d"}
IMPLEMENTATION = {
    "id": "script/python",
    "description": "linear regression in plain Python",
    "build": "the standard library",
    "tasks": ["train"],
    "dtypes": ["f32", "f64"],
    "activations": ["identity"],
    "losses": ["mse", "half_mse"],
    "optimizers": ["sgd"],
    "capabilities": [],
    "max_layers": 1,
    "options": [
        {"key": "order", "type": "choice", "default": "rows", "choices": ["rows", "reversed"], "description": "of sums"}
    ],
}


class Unsupported(Exception):
    """A request that this worker does not offer; its text says why."""


class Worker:
    IMPLEMENTATION = IMPLEMENTATION
    REQUESTS = ("hello", "load", "prepare", "set_state", "get_state", "run", "evaluate", "bye")

    def hello(self, request):
        return {
            "protocol": {"major": 1, "minor": 0},
            "worker": {"build": "script"},
            "plugin": {"name": "script", "version": "1"},
            "implementations": [self.IMPLEMENTATION],
        }

    def load(self, request):
        data = request["data"]
        if data["source"] != "resident" or "y" not in data:
            raise Unsupported("only resident targets")
        memory = memoryview(mmap.mmap(request["memory"]["fd"], request["memory"]["bytes"], prot=mmap.PROT_READ))
        self.rows, self.features, self.outputs = data["rows"], data["features"], data["outputs"]
        self.type = TYPES[data["dtype"]]
        self.x = self.matrix(memory, data["x"]["offset"], self.features)
        self.y = self.matrix(memory, data["y"]["offset"], self.outputs)
        return {}

    def matrix(self, memory, offset, columns):
        """A list of rows."""
        size = array.array(self.type).itemsize
        flat = memory[offset : offset + self.rows * columns * size].cast(self.type).tolist()
        return [flat[row * columns : (row + 1) * columns] for row in range(self.rows)]

    def prepare(self, request):
        problem = request["problem"]
        if problem["batch_rows"] != self.rows:
            raise Unsupported("only full batches")
        layer = problem["layers"][0]
        self.rates = problem["optimizer"]["learning_rates"]
        self.factor = 2.0 if problem["loss"] == "mse" else 1.0
        self.bias = layer["bias"]
        self.indices = range(self.rows)
        if request["options"]["order"] == "reversed":
            self.indices = range(self.rows - 1, -1, -1)
        self.state = mmap.mmap(request["state"]["fd"], request["state"]["bytes"])
        self.image_bytes = request["state"]["image_bytes"]
        return {}

    def places(self, image):
        """Byte offset and length of w0 and b0 in an image; each begins at a multiple of 64."""
        size = array.array(self.type).itemsize
        counts = [self.features * self.outputs] + ([self.outputs] if self.bias else [])
        offset = image * self.image_bytes
        for count in counts:
            yield offset, count * size
            offset += (count * size + 63) // 64 * 64

    def set_state(self, request):
        self.step = request["step"]
        self.parameters = []
        for offset, length in self.places(request["image"]):
            self.parameters.append(array.array(self.type, self.state[offset : offset + length]))
        return {}

    def get_state(self, request):
        for parameter, (offset, length) in zip(self.parameters, self.places(request["image"])):
            self.state[offset : offset + length] = parameter.tobytes()
        return {"step": self.step}

    def residuals(self, row):
        weights, outputs = self.parameters[0], self.outputs
        for o in range(outputs):
            prediction = self.parameters[1][o] if self.bias else 0.0
            for f, value in enumerate(self.x[row]):
                prediction += value * weights[f * outputs + o]
            yield prediction - self.y[row][o]

    def sums(self):
        """Of each parameter's gradients over all rows, without the factors of the mean."""
        gradients = [[0.0] * len(parameter) for parameter in self.parameters]
        for row in self.indices:
            for o, residual in enumerate(self.residuals(row)):
                for f, value in enumerate(self.x[row]):
                    gradients[0][f * self.outputs + o] += value * residual
                if self.bias:
                    gradients[1][o] += residual
        return gradients

    def train(self, steps):
        for _ in range(steps):
            rate = self.rates[min(self.step, len(self.rates) - 1)] * self.factor / (self.rows * self.outputs)
            for parameter, gradient in zip(self.parameters, self.sums()):
                for i, value in enumerate(gradient):
                    parameter[i] -= rate * value
            self.step += 1

    def run(self, request):
        start_ns, cpu_ns = time.monotonic_ns(), time.process_time_ns()
        self.train(request["steps"])
        cpu_ns, end_ns = time.process_time_ns() - cpu_ns, time.monotonic_ns()
        return {"start_ns": start_ns, "end_ns": end_ns, "real_ns": end_ns - start_ns, "cpu_ns": cpu_ns}

    def evaluate(self, request):
        if request["split"] != "train":
            raise Unsupported("only the training split")
        squares = sum(residual**2 for row in range(self.rows) for residual in self.residuals(row))
        return {"loss": squares * self.factor / 2 / (self.rows * self.outputs)}

    def bye(self, request):
        return {}


def serve(worker):
    requests = os.fdopen(3)
    answers = os.fdopen(4, "w")
    for line in requests:
        request = json.loads(line)
        name = request["request"]
        try:
            if name not in worker.REQUESTS:
                raise Unsupported(f"no request {name}")
            answer = {"ok": True, **getattr(worker, name)(request)}
        except Unsupported as error:
            answer = {"ok": False, "error": {"kind": "unsupported", "message": str(error)}}
        print(json.dumps({"id": request["id"], **answer}), file=answers, flush=True)
        if name == "bye":
            return


if __name__ == "__main__":
    serve(Worker())
