"""The problem, the data and the states of a worker as NumPy arrays. The conventions of the arithmetic are those of
harness/abi/gdbench/plugin.h, the layout of the memory is that of harness/protocol/PROTOCOL.md."""
import itertools
import math
import mmap
import os
from types import SimpleNamespace

import numpy

from training import CATALOGUE

ALIGNMENT = 64


def dtype_of(request):
    """NumPy's, of a problem or of data in a request."""
    return numpy.dtype(f"f{CATALOGUE['dtypes'][request['dtype']]['bytes']}")


class Problem(SimpleNamespace):
    """The request's problem: task, dtype (NumPy's), what that is mixed with ("bf16", "f16" or nothing), layers, loss,
    rows, batch_rows, micro_batches, optimizer, and the shapes of the parameters w0 b0 w1 b1 ...: weights [inputs,
    outputs], biases [outputs], behind which a normalised layer has its scale and shift [outputs]. Of the optimizer also
    the number of its slots, whether it corrects its moments by the number of the update, whether its losses are those
    at an average, and whether its weight decay is decoupled. Where flushes_denormals, subnormal numbers count as zeros.
    With f16 also scale_growth_interval. Of processes that train together (`ranks` of a request to prepare) the number
    of this one, `rank`, and the addresses of all."""

    def __init__(self, request):
        usual = {"huber_delta": 1.0, "flushes_denormals": False, "drops_last_batch": False}
        super().__init__(**{**usual, **request, "dtype": dtype_of(request)})
        self.rank, self.addresses = self.ranks["rank"], self.ranks["addresses"]
        self.ranks = len(self.addresses)
        self.mixed = request["dtype"] if request["dtype"] in ("bf16", "f16") else ""
        self.scales_loss = self.mixed == "f16"
        self.layers = [SimpleNamespace(**{"normalization": "none", **layer}) for layer in request["layers"]]
        self.optimizer = SimpleNamespace(**{"epsilon_place": "outside", **request["optimizer"]})
        rule = CATALOGUE["optimizers"][self.optimizer.kind]
        self.slots, self.corrects_moments = rule["slots"], rule["corrects_moments"]
        self.averages = rule["averages"]
        self.decoupled = self.optimizer.decoupled_weight_decay or rule["always_decoupled"]
        self.product_updates, self.product = 0, 1.0
        self.first_rectified = None
        self.loss_constants = (self.huber_delta,) if self.loss == "huber" else ()
        self.shapes = []
        for layer in self.layers:
            vectors = layer.bias + 2 * (layer.normalization != "none")
            self.shapes += [(layer.inputs, layer.outputs)] + vectors * [(layer.outputs,)]
        rates = self.optimizer.learning_rates
        self.scheduled = len(set(rates)) > 1
        self.rate = rates[0]
        whole, rest = divmod(self.rows, self.batch_rows)
        self.has_smaller_batch = rest > 0 and not self.drops_last_batch
        self.steps_per_epoch = whole + self.has_smaller_batch
        # What an epoch's batches begin with, and their rows.
        starts = [step * self.batch_rows for step in range(self.steps_per_epoch)]
        self.epoch = [(first, min(self.batch_rows, self.rows - first)) for first in starts]
        self.uneven = any(rows % self.ranks for _, rows in self.epoch)

    def own_rows(self, rows):
        """Which rows of a batch are this rank's: the first one, and the one after the last. The first rows mod n ranks
        have a row more than the others, and a rank may have none."""
        share, more = divmod(rows, self.ranks)
        first = self.rank * share + min(self.rank, more)
        return first, first + share + (self.rank < more)

    def momentum_of(self, update):
        """Of torch.optim.NAdam, at an update counted from 1."""
        return self.optimizer.beta1 * (1 - 0.5 * 0.96 ** (update * self.optimizer.momentum_decay))

    def momentum_product(self, updates):
        """Of momentum_of, over all updates made so far; goes on from where it was asked for last."""
        if updates < self.product_updates:
            self.product_updates, self.product = 0, 1.0
        while self.product_updates < updates:
            self.product_updates += 1
            self.product *= self.momentum_of(self.product_updates)
        return self.product

    def unrectified(self, update):
        """1 at the first updates of torch.optim.RAdam, then 0; without a choice, for `update` may be a symbol. The first
        that divides is found when it is asked for first."""
        if self.first_rectified is None:
            updates = itertools.count(1) if self.longest_mean > 5 else ()
            self.first_rectified = next((t for t in updates if self.length_of_mean(t) > 5), math.inf)
        return 0.0 ** (update // self.first_rectified)

    @property
    def longest_mean(self):
        return 2 / (1 - self.optimizer.beta2) - 1

    def length_of_mean(self, update):
        """rho of torch.optim.RAdam."""
        decayed = self.optimizer.beta2**update
        return self.longest_mean - 2 * update * decayed / (1 - decayed)

    def rectified(self, update):
        """What torch.optim.RAdam moves by: what is divided, and what is not."""
        plain, longest = self.unrectified(update), max(self.longest_mean, 5.0)
        length = self.length_of_mean(update) * (1 - plain) + 5 * plain
        factor = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
        correction1 = 1 - self.optimizer.beta1**update
        root2 = (1 - self.optimizer.beta2**update) ** 0.5
        return {"ahead": (1 - plain) * factor * root2 / correction1, "own": plain / correction1}

    def corrections(self, update, product=None):
        """What else rules that correct moments use at an update counted from 1, as step_writer.ONCE: {name: number}. Where
        `update` is no number of Python's, neither is nadam's `product` of the momenta up to it."""
        if not self.corrects_moments:
            return {}
        if self.optimizer.kind == "radam":
            return self.rectified(update)
        if self.averages:
            return {"share": 1 / update}
        correction2 = 1 - self.optimizer.beta2**update
        if self.optimizer.kind != "nadam":
            hat = self.optimizer.epsilon_place == "hat"
            second = {"root2": correction2**0.5} if hat else {"correction2": correction2}
            return {"correction1": 1 - self.optimizer.beta1**update, **second}
        product = self.momentum_product(update) if product is None else product
        following = self.momentum_of(update + 1)
        own = (1 - self.momentum_of(update)) / (1 - product)
        return {"ahead": following / (1 - product * following), "own": own, "correction2": correction2}

    def zeros(self):
        """A state of zeros: parameters and slots."""
        return [[numpy.zeros(shape, self.dtype) for shape in self.shapes] for _ in range(1 + self.slots)]

    def rates_from(self, step):
        rates = self.optimizer.learning_rates
        return itertools.chain(rates[step:], itertools.repeat(rates[-1]))

    def rate_of(self, step):
        rates = self.optimizer.learning_rates
        return rates[min(step, len(rates) - 1)]


class Data:
    """Copies of what is in a memory file: x [rows, features], target (y [rows, outputs], or labels [rows]; None for the
    task update), order [epochs, rows] or None. They are NumPy's own arrays, as a script has them: NumPy asks for huge
    pages where an array has 4 MiB, and a memory file has small ones."""

    def __init__(self, request, memory):
        def read(key, dtype, *shape):
            array, begin = numpy.empty(shape, dtype), request[key]["offset"]
            entries = array.reshape(-1).view("u1")
            while entries.size:
                count = os.preadv(memory, [entries], begin)
                if not count:
                    raise EOFError(f"the memory of the data ends in {key}")
                entries, begin = entries[count:], begin + count
            return array

        dtype = dtype_of(request)
        rows, outputs = request["rows"], request["outputs"]
        self.x = read("x", dtype, rows, request["features"])
        self.labels = "labels" in request
        self.target = read("labels", "i4", rows) if self.labels else read("y", dtype, rows, outputs) if outputs else None
        self.order = read("order", "u4", request["order"]["epochs"], rows) if "order" in request else None


class Images:
    """States in the shared memory: parameters, then slots of the optimizer, then what is kept of the scale of the loss,
    each array at a multiple of 64 bytes."""

    def __init__(self, problem, request):
        memory = mmap.mmap(request["fd"], request["bytes"])
        shapes = [*problem.shapes, (1, 1)] if problem.task == "forward" else problem.shapes  # and the sum of losses
        self.parameters = len(shapes)
        self.images, self.loss_scaling = [], []
        for image in range(request["bytes"] // request["image_bytes"]):
            offset, arrays = image * request["image_bytes"], []
            for shape in shapes * (1 + problem.slots):
                array = numpy.frombuffer(memory, problem.dtype, math.prod(shape), offset)
                arrays.append(array.reshape(shape))
                offset += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
            self.images.append(arrays)
            if problem.scales_loss:
                self.loss_scaling.append(numpy.frombuffer(memory, problem.dtype, 3, offset))

    def read(self, image):
        """Parameters, and slots [slot][parameter]; views that are valid until the next state is written."""
        arrays, count = self.images[image], self.parameters
        return arrays[:count], [arrays[i : i + count] for i in range(count, len(arrays), count)]

    def write(self, image, parameters, slots):
        for target, array in zip(self.images[image], itertools.chain(parameters, *slots)):
            target[...] = numpy.asarray(array).reshape(target.shape)
