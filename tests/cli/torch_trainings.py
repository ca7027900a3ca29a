"""Trains what `gdbench train --dump` dumped once more by PyTorch's modules, autograd and torch.optim, in float64.

python torch_trainings.py FOLDER...: prints a line for each folder, the largest 2-norm of a parameter's difference over
the parameter's own. Runs in PyTorch's environment.
"""
import pathlib
import sys
import types

import torch

from dumps import check_dump

ACTIVATIONS = {
    "identity": torch.nn.Identity, "relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "sigmoid": torch.nn.Sigmoid,
    "leaky_relu": torch.nn.LeakyReLU, "silu": torch.nn.SiLU, "gelu": torch.nn.GELU,
    "gelu_tanh": lambda: torch.nn.GELU(approximate="tanh"), "softplus": lambda: torch.nn.Softplus(threshold=40),
}
LOSSES = {
    "mse": torch.nn.functional.mse_loss,
    "half_mse": lambda outputs, targets: torch.nn.functional.mse_loss(outputs, targets) / 2,
    "softmax_cross_entropy": torch.nn.functional.cross_entropy,
    "binary_cross_entropy": torch.nn.functional.binary_cross_entropy_with_logits,
    "huber": torch.nn.functional.huber_loss,
}


def network_of(dump):
    """Its parameters come in the order of the dump's names; weights [outputs, inputs]."""
    values = dict(zip(dump.names, map(torch.from_numpy, dump.parameters("initial"))))
    modules = []
    for index, layer in enumerate(dump.layers):
        inputs, outputs = values[f"w{index}"].shape
        modules.append(torch.nn.Linear(inputs, outputs, bias=layer["bias"]))
        if layer.get("normalization", "none") == "layer":
            modules.append(torch.nn.LayerNorm(outputs))
        modules.append(ACTIVATIONS[layer["activation"]]())
    network = torch.nn.Sequential(*modules).double()
    with torch.no_grad():
        for name, parameter in zip(dump.names, network.parameters(), strict=True):
            parameter.copy_(values[name].T if name.startswith("w") else values[name])
    return network


def optimizer_of(settings, parameters):
    """torch.optim's of a scenario's rule, whose constants are all spelled out."""
    kind, decoupled = settings["kind"], settings.get("decoupled_weight_decay", False)
    common = {"lr": settings["learning_rate"], "weight_decay": settings.get("weight_decay", 0.0)}
    if "epsilon" in settings:
        common["eps"] = settings["epsilon"]
    if "beta1" in settings:
        common["betas"] = (settings["beta1"], settings["beta2"])
    if kind in ("sgd", "momentum", "nesterov"):
        momentum = settings.get("momentum", 0.0)
        return torch.optim.SGD(parameters, momentum=momentum, nesterov=kind == "nesterov", **common)
    if kind == "adagrad":
        return torch.optim.Adagrad(parameters, **common)
    if kind == "rmsprop":
        return torch.optim.RMSprop(parameters, alpha=settings["rho"], **common)
    if kind == "nadam":
        decay = settings["momentum_decay"]
        return torch.optim.NAdam(parameters, momentum_decay=decay, decoupled_weight_decay=decoupled, **common)
    if kind == "radam":
        return torch.optim.RAdam(parameters, decoupled_weight_decay=decoupled, **common)
    return (torch.optim.AdamW if decoupled else torch.optim.Adam)(parameters, **common)


class WithoutBfloat16(types.ModuleType):
    """torch as torch.optim.Muon sees it, without the rounding of what it multiplies."""

    bfloat16 = torch.float64

    def __getattr__(self, name):
        return getattr(torch, name)


def optimizers_of(settings, network):
    """Each with its learning rate as a multiple of the scenario's."""
    if settings["kind"] != "muon":
        return [(optimizer_of(settings, network.parameters()), 1)]
    sys.modules["torch.optim._muon"].torch = WithoutBfloat16("torch")
    hidden = [module.weight for module in network if isinstance(module, torch.nn.Linear)][1:-1]
    others = [parameter for parameter in network.parameters() if not any(parameter is one for one in hidden)]
    rate, decay, factor = (settings[key] for key in ("learning_rate", "weight_decay", "adamw_rate_factor"))
    muon = torch.optim.Muon(hidden, lr=rate, weight_decay=decay, momentum=settings["momentum"])
    return [(muon, 1), (optimizer_of({**settings, "learning_rate": rate * factor}, others), factor)]


def scheduler_of(schedule, optimizer, factor):
    if schedule["kind"] == "step":
        return torch.optim.lr_scheduler.StepLR(optimizer, schedule["every"], schedule["factor"])
    if schedule["kind"] == "cosine":
        return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, schedule["steps"], factor * schedule["final_rate"])
    return torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)


def train(dump, rows_of_step):
    scenario = dump.scenario
    x, y = torch.from_numpy(dump.x), torch.from_numpy(dump.y)
    y = y.long() if scenario["loss"] == "softmax_cross_entropy" else y.double()
    batch = scenario["batch"] if isinstance(scenario["batch"], dict) else {"rows": scenario["batch"]}
    size = len(x) if batch["rows"] == "full" else batch["rows"]
    constants = {"delta": scenario["huber_delta"]} if scenario["loss"] == "huber" else {}
    network = network_of(dump)
    optimizers = optimizers_of(scenario["optimizer"], network)
    schedule = scenario["optimizer"].get("schedule", {"kind": "constant"})
    schedulers = [scheduler_of(schedule, optimizer, factor) for optimizer, factor in optimizers]
    for step in range(len(dump.losses) - 1):
        rows = rows_of_step(step, len(x), size, dump.order, batch.get("drop_last", False))
        rows = torch.from_numpy(rows.astype("int64"))
        network.zero_grad()
        for part in torch.tensor_split(rows, batch.get("micro_batches", 1)):
            if len(part) > 0:
                loss = LOSSES[scenario["loss"]](network(x[part]), y[part], **constants)
                (loss * len(part) / len(rows)).backward()
        for (optimizer, _), scheduler in zip(optimizers, schedulers):
            optimizer.step()
            scheduler.step()
    ends = [parameter.detach().numpy() for parameter in network.parameters()]
    return [end.T if name.startswith("w") else end for name, end in zip(dump.names, ends)]


def main():
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)  # of what optimizers count, too
    for folder in sys.argv[1:]:
        dump = check_dump.Dump(pathlib.Path(folder))
        ends = zip(dump.parameters("final"), train(dump, check_dump.numpy_training.rows_of_step))
        print(max(check_dump.relative_difference(*pair) for pair in ends), flush=True)


if __name__ == "__main__":
    main()
