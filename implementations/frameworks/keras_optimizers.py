"""tf.keras.optimizers: which of the harness's rules they follow, and their state in the harness's words."""
import numpy

# Where the sources (keras/src/optimizers) compute something else than plugin.h.
EPSILON = {
    "adagrad": "Keras's Adagrad adds epsilon inside the root",
    "rmsprop": "Keras's RMSprop adds epsilon inside the root",
    "adam": "Keras's Adam adds epsilon to the root before its bias is corrected",
    "adamw": "Keras's AdamW adds epsilon to the root before its bias is corrected",
}
SLOT_LISTS = {"adagrad": ("_accumulators",), "rmsprop": ("_velocities",)}
SLOT_LISTS.update(dict.fromkeys(("momentum", "nesterov"), ("momentums",)))
SLOT_LISTS.update(dict.fromkeys(("adam", "adamw"), ("_momentums", "_velocities")))


def reason_unsupported(settings):
    """Why an optimizer (as in the request) is none of Keras's; empty where one follows the same rule."""
    kind, rates = settings["kind"], settings["learning_rates"]
    if kind in EPSILON and settings["epsilon"]:
        return EPSILON[kind]
    if settings["weight_decay"] and not settings["decoupled_weight_decay"]:
        return "weight decay of Keras's optimizers is decoupled"
    if kind in ("momentum", "nesterov") and not settings["momentum"]:
        return "Keras's SGD has no velocity where the momentum is 0"
    if kind in ("momentum", "nesterov") and (len(set(rates)) > 1 or not rates[0]):
        return "the velocity of Keras's SGD holds the learning rate, which must be constant and not 0"
    return ""


def make(settings, rate):
    """The optimizer of a problem; rate: a number or a schedule."""
    import tensorflow as tf

    optimizers = tf.keras.optimizers
    # tf.cast takes a Python float for a 32-bit number first.
    decay = numpy.float64(settings.weight_decay) if settings.weight_decay else None
    if settings.kind in ("sgd", "momentum", "nesterov"):
        momentum = 0.0 if settings.kind == "sgd" else numpy.float64(settings.momentum)
        return optimizers.SGD(rate, momentum=momentum, nesterov=settings.kind == "nesterov", weight_decay=decay)
    if settings.kind == "adagrad":
        return optimizers.Adagrad(rate, initial_accumulator_value=0.0, epsilon=settings.epsilon, weight_decay=decay)
    if settings.kind in ("adam", "adamw"):
        betas = {"beta_1": settings.beta1, "beta_2": settings.beta2, "epsilon": settings.epsilon}
        return optimizers.Adam(rate, weight_decay=decay, **betas)
    return optimizers.RMSprop(rate, rho=settings.rho, epsilon=settings.epsilon, weight_decay=decay)


def set_state(optimizer, problem, step, slots):
    """Keras's velocity is - rate times that of plugin.h."""
    optimizer.iterations.assign(step)
    for name, arrays in zip(SLOT_LISTS.get(problem.optimizer.kind, ()), slots):
        for variable, array in zip(getattr(optimizer, name), arrays):
            variable.assign(array * -problem.rate if name == "momentums" else array)


def get_state(optimizer, problem):
    return [
        [variable.numpy() / (-problem.rate if name == "momentums" else 1) for variable in getattr(optimizer, name)]
        for name in SLOT_LISTS.get(problem.optimizer.kind, ())
    ]
