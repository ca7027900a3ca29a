"""torch.optim's rules: which a problem can have, with its constants, and what each keeps of a parameter."""
from training import CATALOGUE

SLOT_NAMES = {
    "sgd": (),
    "momentum": ("momentum_buffer",),
    "nesterov": ("momentum_buffer",),
    "adagrad": ("sum",),
    "rmsprop": ("square_avg",),
    "adam": ("exp_avg", "exp_avg_sq"),
    "adamw": ("exp_avg", "exp_avg_sq"),
    "nadam": ("exp_avg", "exp_avg_sq"),
    "radam": ("exp_avg", "exp_avg_sq"),
}


def reason_unsupported(optimizer):
    """Of a request's optimizer; empty where torch.optim has it."""
    kind = optimizer["kind"]
    offered = CATALOGUE["optimizers"][kind]["always_decoupled"] or kind in ("nadam", "radam")
    if kind == "nesterov" and optimizer["momentum"] == 0:
        return "torch.optim.SGD has no Nesterov momentum of 0"
    decoupled = optimizer["weight_decay"] and optimizer["decoupled_weight_decay"] and not offered
    return f"torch.optim has no decoupled weight decay for {kind}" if decoupled else ""


def make(problem, tensors, settings):
    """The problem's rule for these tensors; `settings` are those of a mode, such as fused."""
    from torch import optim

    rule = problem.optimizer
    shared = {"lr": problem.rate, "weight_decay": rule.weight_decay, **settings}
    betas = {"betas": (rule.beta1, rule.beta2), "eps": rule.epsilon}
    decoupled = {"decoupled_weight_decay": problem.decoupled}
    classes = {
        "sgd": lambda: optim.SGD(tensors, **shared),
        "momentum": lambda: optim.SGD(tensors, momentum=rule.momentum, **shared),
        "nesterov": lambda: optim.SGD(tensors, momentum=rule.momentum, nesterov=True, **shared),
        "adagrad": lambda: optim.Adagrad(tensors, eps=rule.epsilon, **shared),
        "rmsprop": lambda: optim.RMSprop(tensors, alpha=rule.rho, eps=rule.epsilon, **shared),
        "adam": lambda: optim.Adam(tensors, **betas, **shared),
        "adamw": lambda: optim.AdamW(tensors, **betas, **shared),
        "nadam": lambda: optim.NAdam(
            tensors, momentum_decay=rule.momentum_decay, **decoupled, **betas, **shared
        ),
        "radam": lambda: optim.RAdam(tensors, **decoupled, **betas, **shared),
    }
    return classes[rule.kind]()
