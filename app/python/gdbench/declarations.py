"""Marks functions of a file as trainings that gdbench measures: `gdbench run --impl ./mine.py`."""


def training(function=None, **limits):
    """Marks `function(problem)`, which builds a training and returns `step`, `(step, model)` or `(step, model,
    optimizer)`. `step(x, y)` is one update from a batch; x is [rows, features], y [rows, outputs], or labels [rows].

    model      what has the parameters: a torch.nn.Module, a keras.Model, a list of torch parameters or tf.Variables, or
               of NumPy arrays that the step changes in place. In the order of the layers, weights before biases; a
               weight matrix is [inputs, outputs], or as its layer keeps it (torch.nn.Linear).
    optimizer  an optimizer of torch or Keras, or a list of slots, each a list of arrays as long as the parameters; None
               or left out: plain descent.
    limits     what the function can train, where that is not everything: losses, activations, optimizers, dtypes (lists
               of words, written out), layers (how many at most). What it cannot is then unsupported instead of wrong.
    """
    return _marked("training", function, limits)


def step(function=None, **limits):
    """Marks a pure function `(w0, b0, w1, ..., x, y, learning_rate)` that returns the new parameters, one argument for
    each; or `(parameters, x, y, learning_rate)`, which takes and returns them as a tuple.

    limits     as of `training`, and arrays: "numpy", "torch", "jax" or "tensorflow", what x, y and the parameters are;
               where it is left out: what the file imports of these, or NumPy.
    """
    return _marked("step", function, limits)


def _marked(kind, function, limits):
    def mark(marked):
        marked.gdbench = kind, limits
        return marked

    return mark if function is None else mark(function)
