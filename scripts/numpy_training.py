"""Gradient descent in NumPy float64, for checks: written from the definitions of the model, the losses and the update
rules, with matrix calculus and without any code of gdbench, so that an error in gdbench is not repeated here.

Update rules: the papers' own, with the choices that torch.optim documents where a paper leaves one or differs.
  momentum  Polyak 1964; velocity = momentum * velocity + gradient (SGD)
  nesterov  Sutskever et al., ICML 2013, in the form of SGD with nesterov=True: gradients are taken at the point ahead
  adagrad   Duchi, Hazan, Singer, JMLR 12, 2011 (Adagrad)
  rmsprop   Tieleman and Hinton, lecture 6.5, 2012 (RMSprop)
  adam      Kingma and Ba, ICLR 2015, algorithm 1 (Adam)
  adamw     Loshchilov and Hutter, ICLR 2019, algorithm 2, its decay multiplied by the learning rate (AdamW)
  lion      Chen et al., NeurIPS 2023, algorithm 2
  nadam     Dozat, ICLR 2016 workshop, algorithm 2, its momentum's schedule that of section 3.4's code (NAdam)
  radam     Liu et al., ICLR 2020, algorithm 2, its threshold 5 and epsilon those of RAdam
  schedule_free_sgd  Defazio et al., NeurIPS 2024, equations 2 to 4, with momentum as beta and the squares of rates as
            weights, as in the package schedulefree; what is averaged and its average are kept as ways from the start
  muon      Jordan et al., 2024 ("Muon: An optimizer for hidden layers in neural networks"), with the means and the
            smallest norm of Muon; its polynomial is taken of singular values, not of matrices
"""
import itertools
import math

import numpy

erf = numpy.vectorize(math.erf, otypes=[float])
GELU_SCALE, GELU_CUBE = math.sqrt(2 / math.pi), 0.044715


def sigmoid(z):
    return 1 / (1 + numpy.exp(-z))


def gelu_tangent(z):
    return numpy.tanh(GELU_SCALE * (z + GELU_CUBE * z**3))


def gelu_tanh_slope(z):
    t = gelu_tangent(z)
    return (1 + t) / 2 + z / 2 * (1 - t**2) * GELU_SCALE * (1 + 3 * GELU_CUBE * z**2)


ACTIVATIONS = {
    "identity": (lambda z: z, lambda z: numpy.ones_like(z)),
    "relu": (lambda z: numpy.where(z > 0, z, 0.0), lambda z: numpy.where(z > 0, 1.0, 0.0)),
    "leaky_relu": (lambda z: numpy.where(z > 0, z, z / 100), lambda z: numpy.where(z > 0, 1.0, 0.01)),
    "tanh": (numpy.tanh, lambda z: 1 / numpy.cosh(z) ** 2),
    "silu": (lambda z: z * sigmoid(z), lambda z: sigmoid(z) + z * sigmoid(z) * sigmoid(-z)),
    "gelu": (
        lambda z: z * (1 + erf(z / math.sqrt(2))) / 2,
        lambda z: (1 + erf(z / math.sqrt(2))) / 2 + z * numpy.exp(-(z**2) / 2) / math.sqrt(2 * math.pi),
    ),
    "gelu_tanh": (lambda z: z / 2 * (1 + gelu_tangent(z)), gelu_tanh_slope),
    "sigmoid": (sigmoid, lambda z: 1 / (2 + numpy.exp(z) + numpy.exp(-z))),
    "softplus": (lambda z: numpy.logaddexp(z, 0), sigmoid),
}


def squared_error(outputs, targets, weight):
    error = outputs - targets
    return weight * numpy.mean(error**2), weight * 2 * error / error.size


def cross_entropy(logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_probabilities = shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))
    one_hot = numpy.eye(logits.shape[1])[labels]
    gradient = (numpy.exp(log_probabilities) - one_hot) / len(labels)
    return -numpy.mean((log_probabilities * one_hot).sum(axis=1)), gradient


def binary_cross_entropy(logits, targets):
    shares = sigmoid(logits)
    terms = -targets * numpy.log(shares) - (1 - targets) * numpy.log(1 - shares)
    return numpy.mean(terms), (shares - targets) / logits.size


def huber(outputs, targets, delta):
    error = outputs - targets
    terms = numpy.where(numpy.abs(error) <= delta, error**2 / 2, delta * numpy.abs(error) - delta**2 / 2)
    return numpy.mean(terms), numpy.clip(error, -delta, delta) / error.size


# A loss with a constant gets it as the last argument.
LOSSES = {
    "huber": huber,
    "binary_cross_entropy": binary_cross_entropy,
    "mse": lambda outputs, targets: squared_error(outputs, targets, 1.0),
    "half_mse": lambda outputs, targets: squared_error(outputs, targets, 0.5),
    "softmax_cross_entropy": cross_entropy,
}


# What a product multiplies, where a dtype says so. A bfloat16 is the nearest number of 8 significant bits, the even one
# of two; frexp's fraction has its first bit behind the point. Below 2^-126 spacings stay as they are there.
def bfloat16(values):
    exponents = numpy.maximum(numpy.frexp(values)[1], -125)
    return numpy.ldexp(numpy.rint(numpy.ldexp(values, 8 - exponents)), exponents - 8)


def binary16(values):
    with numpy.errstate(over="ignore"):
        return values.astype(numpy.float16).astype(numpy.float64)


def same(values):
    return values


OPERANDS = {"f32": same, "f64": same, "bf16": bfloat16, "f16": binary16}


def split_mix_64(seed, numbers):
    """Outputs of SplitMix64, numbered from 0: Steele, Lea and Flood, OOPSLA 2014."""
    with numpy.errstate(over="ignore"):
        z = numpy.asarray(numbers, numpy.uint64) + numpy.uint64(1)
        z = numpy.uint64(seed) + z * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return z ^ (z >> numpy.uint64(31))


def stochastic_bfloat16(parameters, seed, step):
    """Of all parameters in their order: a magnitude is cut off after random 16 bits below its last one were added."""
    rounded, first = [], 0
    seed = split_mix_64(seed, step)
    for values in parameters:
        random = split_mix_64(seed, numpy.arange(first, first + values.size)) >> numpy.uint64(48)
        exponents = numpy.frexp(values)[1] - 8
        places = numpy.ldexp(numpy.abs(values), -exponents) + random.reshape(values.shape) / 2.0**16
        rounded.append(numpy.copysign(numpy.ldexp(numpy.floor(places), exponents), values))
        first += values.size
    return rounded


# What an update makes of parameters that it rounds: by parameters, seed and step.
PARAMETER_ROUNDINGS = {
    "none": lambda parameters, seed, step: parameters,
    "nearest": lambda parameters, seed, step: [bfloat16(values) for values in parameters],
    "stochastic": stochastic_bfloat16,
}

# The derivatives whose argument is the activation's result, once that was rounded.
SLOPES_AT_RESULTS = {
    "tanh": lambda a: 1 - a**2,
    "sigmoid": lambda a: a * (1 - a),
    "softplus": lambda a: -numpy.expm1(-a),
    "relu": lambda a: numpy.where(a > 0, 1.0, 0.0),
    "leaky_relu": lambda a: numpy.where(a > 0, 1.0, 0.01),
}


def slopes(activation, z, operand):
    """Of the activation at z; those of a mixed dtype, from what was rounded."""
    if activation in SLOPES_AT_RESULTS and operand is not same:
        return SLOPES_AT_RESULTS[activation](operand(ACTIVATIONS[activation][0](z)))
    return ACTIVATIONS[activation][1](operand(z))


def normalized(z):
    """Ba, Kiros and Hinton 2016, equations 3 and 4: by each row's mean and variance; and the rows' roots."""
    difference = z - z.mean(axis=1, keepdims=True)
    root = numpy.sqrt((difference**2).mean(axis=1, keepdims=True) + 1e-5)
    return difference / root, root


def normalization_gradient(gradient, n, root):
    """By the Jacobian of each row: dn/dz = (I - 1/width - n n' / width) / root."""
    width = n.shape[1]
    jacobians = (numpy.eye(width) - 1 / width - n[:, :, None] * n[:, None, :] / width) / root[:, :, None]
    return numpy.einsum("ri,rij->rj", gradient, jacobians)


def loss_and_gradients(layers, parameters, x, targets, loss, *constants, dtype="f64", scale=1.0):
    """Layers have activation, bias and perhaps normalization; parameters and gradients come in the order w0 b0 scale0
    shift0 w1 ... With the dtypes bf16 and f16 products multiply, biases add up and derivatives are taken at what was
    rounded; what the loss's gradient is a factor of is rounded with the scale of the loss."""
    operand = OPERANDS[dtype]
    inputs, sums, values, position = [], [], x, 0
    weights, normalizations = [], []
    for layer in layers:
        inputs.append(operand(values))
        weights.append(operand(parameters[position]))
        z = inputs[-1] @ weights[-1]
        position += 1
        if layer["bias"]:
            z = z + parameters[position]
            position += 1
        normalizations.append(None)
        if layer.get("normalization") == "layer":
            normalizations[-1] = (parameters[position], *normalized(z))
            z = parameters[position] * normalizations[-1][1] + parameters[position + 1]
            position += 2
        sums.append(z)
        values = ACTIVATIONS[layer["activation"]][0](z)
    value, gradient = LOSSES[loss](values, targets, *constants)
    gradients = []
    for layer, layer_inputs, z, weight, normalization in reversed(
        list(zip(layers, inputs, sums, weights, normalizations))
    ):
        gradient = operand(scale * gradient * slopes(layer["activation"], z, operand)) / scale
        if normalization:
            factor, n, root = normalization
            gradients += [gradient.sum(axis=0), (gradient * n).sum(axis=0)]
            gradient = normalization_gradient(gradient * factor, n, root)
        if layer["bias"]:
            gradients.append(gradient.sum(axis=0))
        gradients.append(layer_inputs.T @ gradient)
        gradient = gradient @ weight.T
    return value, gradients[::-1]


class LossScaling:
    """The rule of torch.amp.GradScaler: the scale is halved by a step with a gradient that is not finite, which does
    not update, and doubled by `growth_interval` updates in a row. Without settings nothing is scaled."""

    def __init__(self, settings):
        settings = settings or {"initial": 1.0, "growth_interval": math.inf}
        self.scale, self.interval = float(settings["initial"]), settings["growth_interval"]
        self.updates, self.skipped = 0, 0

    def accepts(self, gradients):
        """Whether a step with these gradients updates; counts the step."""
        if not all(numpy.isfinite(gradient).all() for gradient in gradients):
            self.scale, self.updates, self.skipped = self.scale / 2, 0, self.skipped + 1
            return False
        self.updates += 1
        if self.updates == self.interval:
            self.scale, self.updates = self.scale * 2, 0
        return True


def rows_of_step(step, rows, batch_rows, order, drop_last=False):
    """The row numbers of a step's batch; `order` is a list of permutations, one per epoch, or empty."""
    epoch, batch = divmod(step, rows // batch_rows if drop_last else -(-rows // batch_rows))
    chosen = order[epoch % len(order)] if len(order) else numpy.arange(rows)
    return numpy.asarray(chosen)[batch * batch_rows : (batch + 1) * batch_rows]


def learning_rate(optimizer, step):
    """Of a scenario's optimizer, at a step counted from 0."""
    rate = optimizer["learning_rate"]
    schedule = optimizer.get("schedule", {"kind": "constant"})
    warm_up = schedule.get("warm_up", 0)
    if step < warm_up:
        return rate * (step + 1) / warm_up
    if schedule["kind"] == "step":
        return rate * schedule["factor"] ** ((min(step, schedule["steps"]) - warm_up) // schedule["every"])
    if schedule["kind"] == "cosine":
        part = min(1.0, (step - warm_up) / (schedule["steps"] - warm_up))
        final = schedule["final_rate"]
        return final + (rate - final) * 0.5 * (1 + numpy.cos(numpy.pi * part))
    return rate


class Optimizer:
    """A scenario's optimizer, every default spelled out, with its state for the given parameters."""

    def __init__(self, settings, parameters):
        self.settings = settings
        self.steps = self.skipped = 0
        self.largest = self.squares = 0.0
        self.first = [numpy.zeros_like(parameter) for parameter in parameters]
        self.second = [numpy.zeros_like(parameter) for parameter in parameters]
        weights = [index for index, parameter in enumerate(parameters) if parameter.ndim == 2]
        self.hidden = weights[1:-1] if settings["kind"] == "muon" else []

    def step(self, parameters, gradients):
        """The parameters after one update."""
        scheduled = learning_rate(self.settings, self.steps + self.skipped)
        decay = self.settings.get("weight_decay", 0.0)
        decoupled = self.settings.get("decoupled_weight_decay", False)
        self.steps += 1
        self.rate, self.largest = scheduled, max(self.largest, scheduled)
        self.squares += self.largest**2
        moved = []
        for index, (parameter, gradient) in enumerate(zip(parameters, gradients)):
            rate = scheduled * (1.0 if index in self.hidden else self.settings.get("adamw_rate_factor", 1.0))
            if not decoupled:
                gradient = gradient + decay * parameter
            shrunk = parameter - rate * decay * parameter if decoupled else parameter
            moved.append(shrunk - rate * getattr(self, self.settings["kind"])(index, gradient))
        return moved

    def root(self, squares, correction=1.0):
        """Of a sum or mean of squares, with epsilon where the optimizer has it."""
        epsilon, place = self.settings["epsilon"], self.settings.get("epsilon_place", "outside")
        if place == "hat":
            return (numpy.sqrt(squares) + epsilon) / correction**0.5
        return numpy.sqrt(squares + epsilon) if place == "inside" else numpy.sqrt(squares / correction) + epsilon

    def sgd(self, index, gradient):
        return gradient

    def momentum(self, index, gradient):
        self.first[index] = self.settings["momentum"] * self.first[index] + gradient
        return self.first[index]

    def nesterov(self, index, gradient):
        return gradient + self.settings["momentum"] * self.momentum(index, gradient)

    def adagrad(self, index, gradient):
        self.first[index] = self.first[index] + gradient**2
        return gradient / self.root(self.first[index])

    def rmsprop(self, index, gradient):
        rho = self.settings["rho"]
        self.first[index] = rho * self.first[index] + (1 - rho) * gradient**2
        return gradient / self.root(self.first[index])

    def moments(self, index, gradient):
        """Takes the gradient into both means; returns their factors."""
        beta1, beta2 = self.settings["beta1"], self.settings["beta2"]
        self.first[index] = beta1 * self.first[index] + (1 - beta1) * gradient
        self.second[index] = beta2 * self.second[index] + (1 - beta2) * gradient**2
        return beta1, beta2

    def adam(self, index, gradient):
        beta1, beta2 = self.moments(index, gradient)
        mean = self.first[index] / (1 - beta1**self.steps)
        return mean / self.root(self.second[index], 1 - beta2**self.steps)

    adamw = adam

    def schedule_free_sgd(self, index, gradient):
        share, beta = self.largest**2 / self.squares, self.settings["momentum"]
        before = (1 - beta) * self.first[index] + beta * self.second[index]
        self.first[index] = self.first[index] - self.rate * gradient
        self.second[index] = (1 - share) * self.second[index] + share * self.first[index]
        return (before - (1 - beta) * self.first[index] - beta * self.second[index]) / self.rate

    def at_average(self, start, parameters):
        """What a loss is evaluated at, after `parameters` came of `start`."""
        if self.settings["kind"] != "schedule_free_sgd":
            return parameters
        return [parameter + way for parameter, way in zip(start, self.second)]

    def muon(self, index, gradient):
        if index not in self.hidden:
            return self.adam(index, gradient)
        share = self.settings["momentum"]
        self.first[index] = share * self.first[index] + (1 - share) * gradient
        left, values, right = numpy.linalg.svd(
            share * self.first[index] + (1 - share) * gradient, full_matrices=False
        )
        values = values / max(math.sqrt((values**2).sum()), 1e-7)
        for _ in range(5):
            values = 3.4445 * values - 4.7750 * values**3 + 2.0315 * values**5
        inputs, outputs = gradient.shape
        return math.sqrt(max(1, outputs / inputs)) * (left * values) @ right

    def nadam(self, index, gradient):
        beta1, beta2 = self.moments(index, gradient)
        numbers = numpy.arange(1, self.steps + 2)
        momenta = beta1 * (1 - 0.5 * 0.96 ** (numbers * self.settings["momentum_decay"]))
        ahead = momenta[-1] * self.first[index] / (1 - momenta.prod())
        ahead = ahead + (1 - momenta[-2]) * gradient / (1 - momenta[:-1].prod())
        return ahead / self.root(self.second[index], 1 - beta2**self.steps)

    def radam(self, index, gradient):
        (beta1, beta2), t = self.moments(index, gradient), self.steps
        mean = self.first[index] / (1 - beta1**t)
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * t * beta2**t / (1 - beta2**t)
        if length <= 5:
            return mean
        variance = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        adaptive = math.sqrt(1 - beta2**t) / (numpy.sqrt(self.second[index]) + self.settings["epsilon"])
        return math.sqrt(variance) * mean * adaptive

    def lion(self, index, gradient):
        beta1, beta2 = self.settings["beta1"], self.settings["beta2"]
        moved = numpy.sign((1 - beta1) * gradient + beta1 * self.first[index])
        self.first[index] = (1 - beta2) * gradient + beta2 * self.first[index]
        return moved


def training(layers, parameters, x, targets, loss, batches, optimizer, dtype, scaling, rounded=None, state=None):
    """Yields the loss of each step's batch and the parameters after the step, on and on. `loss`: its name, and its
    constant if it has one; `batches`: what rows_of_step takes; `rounded` is called with the parameters
    of an update and the step's number; `state` is the Optimizer, if the caller reads it."""
    state = state or Optimizer(optimizer, parameters)
    for step in itertools.count():
        rows = rows_of_step(step, len(x), *batches)
        with numpy.errstate(invalid="ignore"):  # of steps that are skipped
            value, gradients = loss_and_gradients(
                layers, parameters, x[rows], targets[rows], *loss, dtype=dtype, scale=scaling.scale
            )
        if scaling.accepts(gradients):
            parameters = state.step(parameters, gradients)
            parameters = rounded(parameters, step) if rounded else parameters
        else:
            state.skipped += 1
        yield value, parameters
