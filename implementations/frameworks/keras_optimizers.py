"""tf.keras.optimizers: which of plugin.h's rules they follow, and their state in its words."""

# Sources: keras/src/optimizers/*.py of Keras 3.15.
EPSILON_PLACES = {"adagrad": "inside", "rmsprop": "inside", "adam": "hat", "adamw": "hat"}

# Classes of tf.keras.optimizers that have a kind's rule.
NAMES = {"sgd": "SGD", "momentum": "SGD", "nesterov": "SGD", "adagrad": "Adagrad", "rmsprop": "RMSprop"}
NAMES |= {"adam": "Adam", "adamw": "AdamW", "lion": "Lion", "nadam": "Nadam"}

# Where an optimizer keeps the slots of plugin.h.
MOMENTS = ("_momentums", "_velocities")
SLOTS = {"momentum": ("momentums",), "nesterov": ("momentums",), "lion": ("_momentums",), "nadam": MOMENTS}
SLOTS |= {"adam": MOMENTS, "adamw": MOMENTS, "adagrad": ("_accumulators",), "rmsprop": ("_velocities",)}


def reason_unsupported(problem):
    """Why an optimizer (of the request's problem) is none of Keras's; empty where one of them follows the same rule."""
    settings = problem["optimizer"]
    if settings["kind"] not in NAMES:
        return f"Keras has no {settings['kind']}"
    if settings["weight_decay"] and not settings["decoupled_weight_decay"]:
        return "weight decay of Keras's optimizers is decoupled"
    if settings["kind"] == "nadam":
        if problem["dtype"] != "f32":
            return "Keras's Nadam computes its momentum in 32 bits"
        return "" if settings["momentum_decay"] == 1 else "Keras's Nadam has the momentum decay 1"
    if settings["kind"] == "lion":
        return "" if settings["beta1"] else "Keras's Lion wants a beta1 above 0"
    if settings["kind"] == "sgd" or settings["kind"] in EPSILON_PLACES:
        return ""
    if not settings["momentum"]:
        return "Keras's SGD has no velocity where the momentum is 0"
    if len(set(settings["learning_rates"])) > 1:
        return "the velocity of Keras's SGD holds the learning rate: another rule under a schedule"
    return ""


def load():
    """TensorFlow imports Keras at the first use of tf.keras."""
    import tensorflow as tf

    _ = tf.keras.optimizers.SGD  # makes none: several workers have to be configured before the first variable


def make(settings, rate):
    """The optimizer of a problem; rate: a number or a schedule."""
    import numpy
    import tensorflow as tf

    # tf.cast rounds a Python float to 32 bits first.
    decay = numpy.float64(settings.weight_decay) if settings.weight_decay else None
    optimizers, real = tf.keras.optimizers, numpy.float64
    if settings.kind in ("adam", "adamw", "nadam"):
        make = getattr(optimizers, NAMES[settings.kind])
        betas = {"beta_1": real(settings.beta1), "beta_2": real(settings.beta2)}
        if settings.kind == "adamw" and decay is None:
            decay = 0.0  # it takes no None
        return make(rate, **betas, epsilon=real(settings.epsilon), weight_decay=decay)
    if settings.kind == "adagrad":
        constants = {"epsilon": real(settings.epsilon), "weight_decay": decay}
        return optimizers.Adagrad(rate, initial_accumulator_value=0.0, **constants)
    if settings.kind == "rmsprop":
        return optimizers.RMSprop(rate, rho=real(settings.rho), epsilon=real(settings.epsilon), weight_decay=decay)
    if settings.kind == "lion":
        betas = {"beta_1": numpy.float64(settings.beta1), "beta_2": numpy.float64(settings.beta2)}
        return optimizers.Lion(rate, **betas, weight_decay=decay)
    momentum = 0.0 if settings.kind == "sgd" else numpy.float64(settings.momentum)
    nesterov = settings.kind == "nesterov"
    return optimizers.SGD(rate, momentum=momentum, nesterov=nesterov, weight_decay=decay)


def variables_and_scale(optimizer, problem):
    """An optimizer's variables, [slot][parameter], and what they are times the slots of plugin.h: the velocity of Keras's
    SGD is - rate times the one there."""
    kind = problem.optimizer.kind
    variables = [getattr(optimizer, name) for name in SLOTS.get(kind, ())]
    return variables, -problem.rate if kind in ("momentum", "nesterov") else 1


def set_state(optimizer, problem, step, slots):
    optimizer.iterations.assign(step)
    if problem.optimizer.kind == "nadam":
        optimizer._u_product.assign(problem.momentum_product(step))
    slot_variables, scale = variables_and_scale(optimizer, problem)
    for variables, arrays in zip(slot_variables, slots):
        for variable, array in zip(variables, arrays):
            variable.assign(array * scale)


def get_state(optimizer, problem):
    slot_variables, scale = variables_and_scale(optimizer, problem)
    return [[variable.numpy() / scale for variable in variables] for variables in slot_variables]
