"""tf.keras.optimizers: which of plugin.h's rules they follow, and their state in its words."""

# Sources: keras/src/optimizers/*.py of Keras 3.15.
REASONS = {
    "adagrad": "Keras's Adagrad adds epsilon inside the root",
    "rmsprop": "Keras's RMSprop adds epsilon inside the root",
    "adam": "Keras's Adam adds epsilon to the root before its bias is corrected",
    "adamw": "Keras's AdamW adds epsilon to the root before its bias is corrected",
}


def reason_unsupported(settings):
    """Why an optimizer (as in the request) is none of Keras's; empty where its SGD follows the same rule."""
    if settings["kind"] in REASONS:
        return REASONS[settings["kind"]]
    if settings["weight_decay"] and not settings["decoupled_weight_decay"]:
        return "weight decay of Keras's optimizers is decoupled"
    if settings["kind"] == "sgd":
        return ""
    if not settings["momentum"]:
        return "Keras's SGD has no velocity where the momentum is 0"
    if len(set(settings["learning_rates"])) > 1:
        return "the velocity of Keras's SGD holds the learning rate: another rule under a schedule"
    return ""


def make(settings, rate):
    """The optimizer of a problem; rate: a number or a schedule."""
    import numpy
    import tensorflow as tf

    # tf.cast rounds a Python float to 32 bits first.
    decay = numpy.float64(settings.weight_decay) if settings.weight_decay else None
    momentum = 0.0 if settings.kind == "sgd" else numpy.float64(settings.momentum)
    nesterov = settings.kind == "nesterov"
    return tf.keras.optimizers.SGD(rate, momentum=momentum, nesterov=nesterov, weight_decay=decay)


def set_state(optimizer, problem, step, slots):
    """Keras's velocity is - rate times that of plugin.h."""
    optimizer.iterations.assign(step)
    for arrays in slots:
        for variable, array in zip(optimizer.momentums, arrays):
            variable.assign(array * -problem.rate)


def get_state(optimizer, problem):
    return [[variable.numpy() / -problem.rate for variable in optimizer.momentums] for _ in range(problem.slots)]
