"""Writes a model's training loop as the Python text that a person would write for that model: `z0 = x @ w0 + b0` and so
on. What is timed is then the framework's calls, not loops over layers or the choice of an optimizer.

Names: x, y a batch; z the values before, a after an activation; d the loss's derivative by z; g_w0 a gradient, h_w0 the
same with weight decay; m_w0 and v_w0 an optimizer's slots; t_w0 and u_w0 scratch memory of w0's shape.
"""
import re
from textwrap import indent

# Update rules as plugin.h gives them, of parameter p with gradient g.
MOMENTS = """{m} = beta1 * {m} + (1 - beta1) * {g}
{v} = beta2 * {v} + (1 - beta2) * ({g} * {g})
"""
UPDATES = {
    "sgd": "{p} = {p} - rate * {g}",
    "momentum": "{m} = momentum * {m} + {g}\n{p} = {p} - rate * {m}",
    "nesterov": "{m} = momentum * {m} + {g}\n{p} = {p} - rate * ({g} + momentum * {m})",
    "adagrad": "{m} = {m} + {g} * {g}\n{p} = {p} - rate * {g} / (sqrt({m}) + epsilon)",
    "rmsprop": "{m} = rho * {m} + (1 - rho) * ({g} * {g})\n{p} = {p} - rate * {g} / (sqrt({m}) + epsilon)",
    "lion": """{p} = {p} - rate * sign(beta1 * {m} + (1 - beta1) * {g})
{m} = beta2 * {m} + (1 - beta2) * {g}""",
    "adam": MOMENTS + "{p} = {p} - (rate / correction1) * {m} / (sqrt({v} / correction2) + epsilon)",
    "nadam": MOMENTS + "{p} = {p} - rate * (ahead * {m} + own * {g}) / (sqrt({v} / correction2) + epsilon)",
    "radam": MOMENTS + "{p} = {p} - rate * (ahead / (sqrt({v}) + epsilon) + own) * {m}",
    "schedule_free_sgd": """{p} = {p} + share * {m} - rate * (1 - momentum * (1 - share)) * {g}
{m} = (1 - share) * ({m} - rate * momentum * {g})""",
}
# With epsilon elsewhere than outside the root, as far as they differ.
UPDATES["adagrad inside"] = UPDATES["adagrad"].replace("(sqrt({m}) + epsilon)", "sqrt({m} + epsilon)")
UPDATES["rmsprop inside"] = UPDATES["rmsprop"].replace("(sqrt({m}) + epsilon)", "sqrt({m} + epsilon)")
UPDATES["adam hat"] = MOMENTS + "{p} = {p} - (rate * root2 / correction1) * {m} / (sqrt({v}) + epsilon)"
UPDATES["adamw"], UPDATES["adamw hat"] = UPDATES["adam"], UPDATES["adam hat"]
# Muon's of what it leaves to AdamW; and of a matrix, whose `square` and `product` are one or the other as it is wide or
# tall (StepWriter.names_of_matrix).
UPDATES["muon"] = UPDATES["adam"].replace("rate /", "rate * adamw_rate_factor /")
UPDATES["muon matrix"] = """{m} = momentum * {m} + (1 - momentum) * {g}
{t} = (1 - momentum) * {g} + momentum * {m}
{t} = {t} / maximum(sqrt(({t} * {t}).sum()), 1e-7)
for _ in range(5):
    square = {square}
    {u} = -4.775 * square + 2.0315 * (square @ square)
    {t} = 3.4445 * {t} + {product}
{p} = {p} - {rate} * {t}"""

# What an update that corrects its moments computes once a step.
ONCE = {
    "adam": "step += 1\ncorrection1 = 1 - beta1**step\ncorrection2 = 1 - beta2**step",
    "nadam": """step += 1
now = beta1 * (1 - 0.5 * 0.96 ** (step * momentum_decay))
following = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * momentum_decay))
product *= now
ahead = following / (1 - product * following)
own = (1 - now) / (1 - product)
correction2 = 1 - beta2**step""",
    "radam": """step += 1
correction1 = 1 - beta1**step
correction2 = 1 - beta2**step
longest = 2 / (1 - beta2) - 1
length = longest - 2 * step * beta2**step / correction2
ahead, own = 0.0, 1 / correction1
if length > 5:
    rectification = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
    ahead, own = rectification * correction2**0.5 / correction1, 0.0""",
}
ONCE["adam hat"] = ONCE["adam"] + "\nroot2 = correction2**0.5"
ONCE["adamw"], ONCE["adamw hat"] = ONCE["adam"], ONCE["adam hat"]
ONCE["muon"] = ONCE["adam"]
ONCE["schedule_free_sgd"] = "step += 1\nshare = 1 / step"

# The same without a new array.
DIVIDED = "divide({g}, {t}, out={t})\n{t} *= rate\n{p} -= {t}"
DIVIDED_BY_ROOT = "sqrt({m}, out={t})\n{t} += epsilon\n" + DIVIDED
DIVIDED_BY_ROOT_OF_SUM = "add({m}, epsilon, out={t})\nsqrt({t}, out={t})\n" + DIVIDED
SQUARES = {
    "adagrad": "multiply({g}, {g}, out={t})\n{m} += {t}\n",
    "rmsprop": "multiply({g}, {g}, out={t})\n{t} *= 1 - rho\n{m} *= rho\n{m} += {t}\n",
}
MOMENTS_IN_PLACE = """multiply({g}, 1 - beta1, out={t})
{m} *= beta1
{m} += {t}
multiply({g}, {g}, out={t})
{t} *= 1 - beta2
{v} *= beta2
{v} += {t}
"""
CORRECTED_ROOT = "divide({v}, correction2, out={t})\nsqrt({t}, out={t})\n{t} += epsilon\n"
UPDATES_IN_PLACE = {
    "sgd": "multiply({g}, rate, out={t})\n{p} -= {t}",
    "momentum": "{m} *= momentum\n{m} += {g}\nmultiply({m}, rate, out={t})\n{p} -= {t}",
    "nesterov": """{m} *= momentum
{m} += {g}
multiply({m}, momentum, out={t})
{t} += {g}
{t} *= rate
{p} -= {t}""",
    **{kind: squares + DIVIDED_BY_ROOT for kind, squares in SQUARES.items()},
    **{f"{kind} inside": squares + DIVIDED_BY_ROOT_OF_SUM for kind, squares in SQUARES.items()},
    "lion": """multiply({m}, beta1 / (1 - beta1), out={t})
{t} += {g}
sign({t}, out={t})
{t} *= rate
{p} -= {t}
{m} *= beta2
multiply({g}, 1 - beta2, out={t})
{m} += {t}""",
    "adam": MOMENTS_IN_PLACE
    + CORRECTED_ROOT
    + """divide({m}, {t}, out={t})
{t} *= rate / correction1
{p} -= {t}""",
    "adam hat": MOMENTS_IN_PLACE
    + """sqrt({v}, out={t})
{t} += epsilon
divide({m}, {t}, out={t})
{t} *= rate * root2 / correction1
{p} -= {t}""",
    "nadam": MOMENTS_IN_PLACE
    + "multiply({m}, ahead, out={u})\nmultiply({g}, own, out={t})\n{u} += {t}\n"
    + CORRECTED_ROOT
    + """divide({u}, {t}, out={t})
{t} *= rate
{p} -= {t}""",
    "radam": MOMENTS_IN_PLACE
    + """sqrt({v}, out={t})
{t} += epsilon
divide(ahead, {t}, out={t})
{t} += own
{t} *= {m}
{t} *= rate
{p} -= {t}""",
}
UPDATES_IN_PLACE["adamw"], UPDATES_IN_PLACE["adamw hat"] = UPDATES_IN_PLACE["adam"], UPDATES_IN_PLACE["adam hat"]
UPDATES_IN_PLACE["muon"] = UPDATES_IN_PLACE["adam"].replace("rate /", "rate * adamw_rate_factor /")
UPDATES_IN_PLACE["schedule_free_sgd"] = """multiply({m}, share, out={t})
{p} += {t}
multiply({g}, rate * (1 - momentum * (1 - share)), out={t})
{p} -= {t}
multiply({g}, rate * momentum, out={t})
{m} -= {t}
{m} *= 1 - share"""
UPDATES_IN_PLACE["muon matrix"] = """multiply({g}, 1 - momentum, out={t})
{m} *= momentum
{m} += {t}
{t} += momentum * {m}
{t} /= maximum(sqrt(({t} * {t}).sum()), 1e-7)
for _ in range(5):
    square = {square}
    {u} = square @ square
    {u} *= 2.0315
    square *= -4.775
    {u} += square
    moved = {product}
    {t} *= 3.4445
    {t} += moved
{t} *= {rate}
{p} -= {t}"""

# sqrt(2 / pi), of GDBENCH_GELU_TANH.
GELU_SCALE = 0.7978845608028654

# Of values z before the activation and a after it; s is another one's name, for what else the derivative reads.
ACTIVATED = {
    "relu": "{a} = maximum({z}, 0)",
    "tanh": "{a} = tanh({z})",
    "sigmoid": "{a} = 1 / (1 + exp(-{z}))",
    "leaky_relu": "{a} = maximum({z}, 0.01 * {z})",
    "silu": "{s} = 1 / (1 + exp(-{z}))\n{a} = {z} * {s}",
    "softplus": "{a} = maximum({z}, 0) + log1p(exp(-abs({z})))",
    "gelu_tanh": f"{{s}} = tanh({GELU_SCALE} * ({{z}} + 0.044715 * {{z}}**3))\n{{a}} = 0.5 * {{z}} * (1 + {{s}})",
}
# Where the derivative reads no z.
ACTIVATED_IN_PLACE = {
    "relu": "{a} = maximum({z}, 0, out={z})",
    "tanh": "{a} = tanh({z}, out={z})",
    "sigmoid": "{a} = negative({z}, out={z})\nexp({a}, out={a})\n{a} += 1\nreciprocal({a}, out={a})",
    "leaky_relu": "{a} = maximum({z}, 0.01 * {z}, out={z})",
}
DERIVATIVE = {
    "relu": "({a} > 0)",
    "tanh": "(1 - {a} * {a})",
    "sigmoid": "({a} * (1 - {a}))",
    "leaky_relu": "maximum(sign({a}), 0.01)",
    "softplus": "-expm1(-{a})",
    "silu": "({s} * (1 + {z} * (1 - {s})))",
    "gelu_tanh": "(0.5 * (1 + {s} + {z} * (1 - {s} * {s}) * "
    f"({GELU_SCALE} + {3 * 0.044715 * GELU_SCALE} * {{z}} * {{z}})))",
}

# A loss's derivative by an output p with target y, up to a factor.
SLOPES = {"mse": "{p} - y", "half_mse": "{p} - y", "binary_cross_entropy": "1 / (1 + exp(-{p})) - y"}
SLOPES["huber"] = "clip({p} - y, -delta, delta)"


class StepWriter:
    """One model's loop. Subclasses write products, sums and updates in another vocabulary."""

    updates = UPDATES
    function = "train"
    spare = ""  # what an update's texts use of t and u

    def __init__(self, problem):
        self.problem = problem
        place = problem.optimizer.epsilon_place
        self.rule = problem.optimizer.kind + ("" if place == "outside" else f" {place}")
        self.parameters = []
        # What muon moves as matrices: the weights between the first and the last layer, with their shapes.
        hidden = list(enumerate(problem.layers))[1:-1]
        self.matrices = {f"w{i}": (layer.inputs, layer.outputs) for i, layer in hidden}
        for i, layer in enumerate(problem.layers):
            self.parameters += [f"w{i}"] + ([f"b{i}"] if layer.bias else [])
            self.parameters += [f"scale{i}", f"shift{i}"] if layer.normalization == "layer" else []
        self.slots = [f"{slot}_{p}" for slot in "mv"[: problem.slots] for p in self.parameters]

    # Vocabulary.
    def affine(self, z, inputs, weight, bias):
        return f"{z} = {inputs} @ {weight}" + (f" + {bias}" if bias else "")

    def weight_gradient(self, weight, inputs):
        return f"g_{weight} = {inputs}.T @ d"

    def propagated(self, weight):
        return f"d @ {weight}.T"

    def scaled(self, value, factor):
        return f"d = {value} * {factor}"

    def activated(self, activation, **names):
        return ACTIVATED[activation].format(**names)

    # Parts of a step.
    def value(self, i):
        """The name of layer i's output."""
        return f"z{i}" if self.problem.layers[i].activation == "identity" else f"a{i}"

    def names_of(self, i):
        """Of what an activation and its derivative read and write."""
        return {name: f"{name}{i}" for name in "zas"}

    def inputs(self, i):
        return self.value(i - 1) if i else "x"

    def forward(self):
        lines = []
        for i, layer in enumerate(self.problem.layers):
            lines.append(self.affine(f"z{i}", self.inputs(i), f"w{i}", f"b{i}" if layer.bias else ""))
            if layer.activation != "identity":
                lines.append(self.activated(layer.activation, **self.names_of(i)))
        return lines

    def loss_derivative(self, rows):
        """By the last layer's output; `rows` is the number of rows of a batch as text."""
        output, last = self.value(len(self.problem.layers) - 1), self.problem.layers[-1]
        if self.problem.loss == "softmax_cross_entropy":
            return [
                f"d = exp({output} - {output}.max(axis=1, keepdims=True))",
                "d /= d.sum(axis=1, keepdims=True)",
                f"d[arange({rows}), y] -= 1",
                f"d /= {rows}",
            ]
        factor = 2 if self.problem.loss == "mse" else 1
        size = f"({rows} * {last.outputs})" if last.outputs > 1 else rows
        return [self.scaled(f"({SLOPES[self.problem.loss].format(p=output)})", f"({factor} / {size})")]

    def backward(self, rows):
        lines, derivative = self.loss_derivative(rows), "d"
        for i in reversed(range(len(self.problem.layers))):
            layer = self.problem.layers[i]
            if layer.activation != "identity":
                lines.append(self.scaled(derivative, DERIVATIVE[layer.activation].format(**self.names_of(i))))
            elif derivative != "d":
                lines.append(f"d = {derivative}")
            lines.append(self.weight_gradient(f"w{i}", self.inputs(i)))
            if layer.bias:
                lines.append(f"g_b{i} = d.sum(axis=0)")
            derivative = self.propagated(f"w{i}")
        return lines

    def once(self):
        """What an update computes before it comes to the parameters."""
        return [ONCE[self.rule]] if self.problem.corrects_moments else []

    def update_of(self, parameter, entry="{}"):
        """One parameter's; `entry` says how its entries and those of its slots are called, if they are updated one by
        one."""
        optimizer, lines = self.problem.optimizer, []
        names = {name: entry.format(f"{name}_{parameter}") for name in "gmvtu"}
        rule, rate = self.rule, "rate"
        if rule == "muon" and parameter in self.matrices:
            rule = "muon matrix"
            names.update(self.names_of_matrix(parameter))
        elif rule == "muon":
            rate = "rate * adamw_rate_factor"
        p, gradient = entry.format(parameter), names["g"]
        if optimizer.weight_decay and self.problem.decoupled:
            lines.append(f"{p} *= 1 - {rate} * decay")
        elif optimizer.weight_decay:
            gradient = f"h_{parameter}"
            lines.append(f"{gradient} = {names['g']} + decay * {p}")
        return lines + [self.updates[rule].format_map({**names, "p": p, "g": gradient})]

    def names_of_matrix(self, weight):
        """Of what muon multiplies, and its learning rate."""
        inputs, outputs = self.matrices[weight]
        x, factor, tall = f"t_{weight}", f"u_{weight}", inputs > outputs
        scale = max(1.0, outputs / inputs) ** 0.5
        return {
            "square": f"{x}.T @ {x}" if tall else f"{x} @ {x}.T",
            "product": f"{x} @ {factor}" if tall else f"{factor} @ {x}",
            "rate": "rate" if scale == 1 else f"({scale!r} * rate)",
        }

    def update(self):
        return self.once() + [line for p in self.parameters for line in self.update_of(p)]

    def gradients(self):
        return self.forward(), self.backward("len(x)")

    def text(self, profiled=False, scheduled=False):
        """train(batches, tensors, step, rate) -> tensors: parameters, then slots. With `profiled` also `times`, to which
        it adds the nanoseconds of [data, forward, backward, update]; with `scheduled` a rate for each batch, `rates`, in
        the place of one."""
        names = ", ".join(self.parameters + self.slots)
        given = self.problem.task == "update"
        forward, backward = ([], []) if given else self.gradients()
        parts = [("forward", forward), ("backward", backward), ("update", self.update())]
        nadam = self.problem.optimizer.kind == "nadam"
        scratch = [f"{name}_{p}" for name in self.spare for p in self.parameters]
        changed = [*self.parameters, *self.slots, *scratch, "step"]
        changed += ["product"] * nadam + ["before"] * profiled
        body = ["now = clock()", "times[0] += now - before", "before = now"] if profiled else []
        for number, (part, lines) in enumerate(parts, 1):
            body += [f"# {part}", *lines]
            if profiled:
                body += ["now = clock()", f"times[{number}] += now - before", "before = now"]
        return "\n".join(
            [
                f"def train(batches, tensors, step, {'rates' if scheduled else 'rate'}{', times' if profiled else ''}):",
                f"    [{names}] = tensors",
                *([f"    [{', '.join(scratch)}] = scratch"] if scratch else []),
                *(["    product = momentum_product(step)"] * nadam),
                *([f"    [{', '.join(f'g_{p}' for p in self.parameters)}] = given"] if given else []),
                *(["    before = clock()"] if profiled else []),
                # A function of its own, as people write one: what a step made is freed at its end.
                "    def train_step(x, y):",
                f"        nonlocal {', '.join(changed)}",
                indent("\n".join(body), "        "),
                "    for (x, y), rate in zip(batches, rates):" if scheduled else "    for x, y in batches:",
                "        train_step(x, y)",
                f"    return [{names}]",
                "",
            ]
        )

    def compile(self, names, **options):
        """The function, given what its text refers to."""
        optimizer = vars(self.problem.optimizer)
        scope = {**names, **optimizer, "decay": self.problem.optimizer.weight_decay}
        scope.update(momentum_product=self.problem.momentum_product, delta=self.problem.huber_delta)
        exec(compile(self.text(**options), "<training loop>", "exec"), scope)  # text of our own, no input in it
        return scope[self.function]


class InPlaceWriter(StepWriter):
    """Elementwise work and updates write into arrays that are there; products still make new ones."""

    updates = UPDATES_IN_PLACE
    spare = "tu"

    def affine(self, z, inputs, weight, bias):
        return f"{z} = {inputs} @ {weight}" + (f"\n{z} += {bias}" if bias else "")

    def scaled(self, value, factor):
        return (f"d = {value}\n" if value != "d" else "") + f"d *= {factor}"

    def activated(self, activation, **names):
        return {**ACTIVATED, **ACTIVATED_IN_PLACE}[activation].format(**names)


class LoopWriter(StepWriter):
    """A loop over the samples of a batch, whose gradients it adds up."""

    def gradients(self):
        lines = [f"sum_{p} = 0" for p in self.parameters]
        sample = ["x, y = batch_x[i : i + 1], batch_y[i : i + 1]", *self.forward(), *self.backward("1")]
        sample += [f"sum_{p} = sum_{p} + g_{p}" for p in self.parameters]
        lines += ["batch_x, batch_y = x, y", "for i in range(len(batch_x)):", indent("\n".join(sample), "    ")]
        lines += [f"g_{p} = sum_{p} / len(batch_x)" for p in self.parameters]
        return [], lines


class GradientWriter(StepWriter):
    """A loop that has its gradients from a call, gradient(parameters, x, y), of a framework."""

    def gradients(self):
        gradients = ", ".join(f"g_{p}" for p in self.parameters)
        return [], [f"[{gradients}] = gradient([{', '.join(self.parameters)}], x, y)"]


class SymbolicWriter(GradientWriter):
    """The same of symbols: run for one batch it is the expression of a step. What ONCE computes is given to it, as a
    number that differs from step to step."""

    def once(self):
        return []


class UpdateWriter(StepWriter):
    """An update alone, of arrays that are new after it: update(tensors, gradients, rate, **numbers) -> tensors:
    parameters, then slots. The numbers are those of Problem.corrections."""

    function = "update"

    def text(self):
        names = ", ".join(self.parameters + self.slots)
        lines = [line for p in self.parameters for line in self.update_of(p)]
        return "\n".join(
            [
                f"def update({', '.join(['tensors', 'gradients', 'rate', *self.problem.corrections(1)])}):",
                f"    [{names}] = tensors",
                f"    [{', '.join(f'g_{p}' for p in self.parameters)}] = gradients",
                indent("\n".join(lines), "    "),
                f"    return [{names}]",
                "",
            ]
        )


class AssignmentWriter(UpdateWriter):
    """The same of variables, which are assigned: TensorFlow's."""

    def update_of(self, parameter, entry="{}"):
        variables = "|".join(self.parameters + self.slots)
        text = "\n".join(super().update_of(parameter, entry))
        text = re.sub(rf"^({variables}) \*= (.*)$", r"\1.assign(\1 * (\2))", text, flags=re.M)
        text = re.sub(rf"^({variables}) = \1 - (.*)$", r"\1.assign_sub(\2)", text, flags=re.M)
        text = re.sub(rf"^({variables}) = \1 \+ (.*)$", r"\1.assign_add(\2)", text, flags=re.M)
        return [re.sub(rf"^({variables}) = (.*)$", r"\1.assign(\2)", text, flags=re.M)]
