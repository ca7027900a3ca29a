"""Writes a model's training as plain loops over numbers, for a compiler of Python: rows outside, features inside. For
each row of a batch the forward pass, the derivative of its loss and its part of the gradient; then one update.

Names, with those of step_writer.py: d0 the loss's derivative by z0; k counts a layer's inputs, j its outputs; `real`
is the problem's dtype. Constants are converted to it, because a number that is written out has 64 bits and would make
everything that it meets as wide.
"""
import re
from textwrap import indent

from step_writer import ACTIVATED, DERIVATIVE, SLOPES, StepWriter

# Constants in formulas; differences from 1 are taken before they are rounded. Exponents stay as they are.
CONSTANT = re.compile(
    r"\(1 - (?:beta1|beta2|rho)\)|(?<![\w.*])(?:\d[\d.]*(?:e-?\d+)?"
    r"|beta1|beta2|rho|momentum|epsilon|decay|delta|correction1|correction2|root2|ahead|own)(?![\w.])"
)


def typed(formula):
    return CONSTANT.sub(lambda found: f"real({found[0].strip('()')})", formula)


def loop(variable, count, *body):
    return f"for {variable} in range({count}):\n" + indent("\n".join(body), "    ")


class LoopsWriter(StepWriter):
    """train(x, targets, order, rates, first, last, product, tensors ..., scratch ...): updates `first` to `last` - 1,
    counted from 0, in place; order [epochs, rows], product that of nadam's momenta so far. The arrays of scratch,
    gradients and then z, a, s, d of each layer, have one dimension more in front, for threads."""

    def __init__(self, problem, ordered, parts):
        super().__init__(problem)
        self.ordered, self.parts = ordered, parts
        self.shape_of = dict(zip(self.parameters, problem.shapes))
        self.scratch = [f"{name}{i}" for i in range(len(problem.layers)) for name in "zasd"]

    def entry(self, i):
        """The number that inputs() names, of row `row` of the data or of the layer before."""
        return f"{self.inputs(i)}[k]" if i else "x[row, k]"

    def of_outputs(self, i, line):
        names = {name: f"{name}{i}[j]" for name in "zas"}
        return loop("j", self.problem.layers[i].outputs, typed(line.format(**names)))

    def forward(self):
        lines = []
        for i, layer in enumerate(self.problem.layers):
            if layer.outputs == 1:  # a sum in a register
                lines.append(f"total = {f'b{i}[0]' if layer.bias else 'real(0)'}")
                lines += [loop("k", layer.inputs, f"total += {self.entry(i)} * w{i}[k, 0]"), f"z{i}[0] = total"]
            else:
                lines.append(loop("j", layer.outputs, f"z{i}[j] = " + (f"b{i}[j]" if layer.bias else "0")))
                product = loop("j", layer.outputs, f"z{i}[j] += {self.entry(i)} * w{i}[k, j]")
                lines.append(loop("k", layer.inputs, product))
            if layer.activation != "identity":
                lines.append(self.of_outputs(i, ACTIVATED[layer.activation]))
        return lines

    def loss_derivative(self, _rows):
        last = len(self.problem.layers) - 1
        outputs, p, d = self.problem.layers[last].outputs, f"{self.value(last)}[j]", f"d{last}[j]"
        if self.problem.loss == "softmax_cross_entropy":
            return [
                f"highest, total = {self.value(last)}[0], real(0)",
                loop("j", outputs, f"highest = max(highest, {p})"),
                loop("j", outputs, f"{d} = exp({p} - highest)", f"total += {d}"),
                loop("j", outputs, f"{d} = ({d} / total - real(j == targets[row])) * scale"),
            ]
        slope = typed(SLOPES[self.problem.loss].format(p=p))
        return [loop("j", outputs, "y = targets[row, j]", f"{d} = ({slope}) * scale")]

    def backward(self, rows):
        lines = self.loss_derivative(rows)
        for i in reversed(range(len(self.problem.layers))):
            layer = self.problem.layers[i]
            if layer.activation != "identity":
                lines.append(self.of_outputs(i, f"d{i}[j] *= real({DERIVATIVE[layer.activation]})"))
            added = loop("j", layer.outputs, f"g_w{i}[k, j] += {self.entry(i)} * d{i}[j]")
            lines.append(loop("k", layer.inputs, added))
            if layer.bias:
                lines.append(loop("j", layer.outputs, f"g_b{i}[j] += d{i}[j]"))
            if i > 0:
                summed = loop("j", layer.outputs, f"total += w{i}[k, j] * d{i}[j]")
                lines.append(loop("k", layer.inputs, "total = real(0)", summed, f"d{i - 1}[k] = total"))
        return lines

    def over_entries(self, parameter, *body):
        *rows, columns = self.shape_of[parameter]
        text = loop("j", columns, *body)
        return loop("k", *rows, text) if rows else text

    def index(self, parameter):
        return "k, j" if len(self.shape_of[parameter]) == 2 else "j"

    def update(self):
        lines = self.once()
        for p in self.parameters:
            lines.append(self.over_entries(p, *map(typed, self.update_of(p, f"{{}}[{self.index(p)}]"))))
        return lines

    def gradients(self):
        """Of every part its rows, one after the other; then the parts' sum, in the first of them."""
        row = "order[step // steps_per_epoch % len(order), i]" if self.ordered else "i"
        begin = "first_row + rows * part // parts"
        end = "first_row + rows * (part + 1) // parts"
        part = [
            *(f"{name} = {name}_of_parts[part]" for name in self.scratch),
            *(f"g_{p} = g_{p}_of_parts[part]" for p in self.parameters),
            *(f"g_{p}[:] = 0" for p in self.parameters),
            f"for i in range({begin}, {end}):",
            indent("\n".join([f"row = {row}", *self.forward(), *self.backward("rows")]), "    "),
        ]
        outputs = "" if self.problem.loss == "softmax_cross_entropy" else f" * {self.problem.layers[-1].outputs}"
        factor = 2 if self.problem.loss == "mse" else 1
        lines = [
            "first_row = step % steps_per_epoch * batch_rows",
            "rows = min(batch_rows, all_rows - first_row)",
            f"scale = real({factor} / (rows{outputs}))",
            f"for part in {'prange' if self.parts > 1 else 'range'}(parts):",
            indent("\n".join(part), "    "),
        ]
        if self.parts > 1:
            sums = [
                self.over_entries(p, f"g_{p}_of_parts[0, {self.index(p)}] += g_{p}_of_parts[part, {self.index(p)}]")
                for p in self.parameters
            ]
            lines.append("for part in range(1, parts):\n" + indent("\n".join(sums), "    "))
        return lines

    def text(self, profiled=False):
        tensors = self.parameters + self.slots
        given = self.problem.task == "update"
        scratch = [f"g_{p}_of_parts" for p in self.parameters] + [f"{name}_of_parts" for name in self.scratch]
        body = ["rate = rates[min(step, len(rates) - 1)]"]
        body += [] if given else self.gradients()
        body += [*(f"g_{p} = g_{p}_of_parts[0]" for p in self.parameters), *self.update()]
        return "\n".join(
            [
                f"def train(x, targets, order, rates, first, last, product, {', '.join(tensors + scratch)}):",
                "    for step in range(first, last):",
                indent("\n".join(body), "        "),
                "",
            ]
        )
