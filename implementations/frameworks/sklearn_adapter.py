"""scikit-learn: partial_fit of its estimators, one call per batch of a network, one per epoch of SGDRegressor or
SGDClassifier.

Their gradients are those of half the squared error, summed over outputs; the rate says what a scenario's mean adds.
Defaults that are another training (Adam, momentum, penalties, shuffling, decreasing rates) are switched off.
"""
import warnings

import numpy_adapter
from runner import Unsupported
from training import Training, clock, record

NAME = "sklearn"
MODULES = ("sklearn", "numpy")
DISTRIBUTIONS = ("scikit-learn", "numpy", "scipy")


def start(threads):
    global numpy, SGDClassifier, SGDRegressor, MLPClassifier, MLPRegressor
    runtime = numpy_adapter.start(threads)
    import numpy
    from sklearn.linear_model import SGDClassifier, SGDRegressor
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    # A number of steps says when a training ends, not a tolerance.
    warnings.simplefilter("ignore")
    return {**runtime, "build": "NumPy's " + runtime["build"]}


def gradient_factor(problem):
    """The gradient of plugin.h over scikit-learn's."""
    factor = {"mse": 2, "half_mse": 1}.get(problem.loss)
    return factor / problem.layers[-1].outputs if factor else 1


def rate_of(problem):
    """What scikit-learn's gradient is multiplied with."""
    return problem.rate * gradient_factor(problem)


class PartialFit(Training):
    """Base of both modes."""

    CAPABILITIES = ("shuffle",)

    def __init__(self, problem, data, options):
        super().__init__(problem, data, options)
        if problem.task == "train":
            self.model = self.make_model()
            self.steps(self.batches(1))  # makes its arrays; a state is set before anything is timed

    def place_data(self):
        if self.problem.task != "train":
            return
        self.check_targets()
        # One output is a vector.
        one = self.data.target.shape[1:] == (1,)
        targets, self.data.target = self.data.target, self.data.target.ravel() if one else self.data.target
        super().place_data()
        self.data.target = targets

    def check_targets(self):
        if self.problem.loss == "binary_cross_entropy" and not numpy.isin(self.data.target, (0, 1)).all():
            raise Unsupported("the targets of scikit-learn's classifiers are classes, 0 or 1")

    def steps(self, batches):
        partial_fit = self.model.partial_fit
        for x, y in batches:
            partial_fit(x, y)

    def loss(self):
        return self.loss_of(self.get_state()[0], self.data.x, self.data.target)

    def floor(self):
        model, x, y = self.make_tiny(), numpy.ones((1, 1), self.problem.dtype), numpy.ones(1, self.problem.dtype)
        return {"partial_fit of one number": lambda: model.partial_fit(x, y)}

    def count_dispatches(self):
        return 1


# As scikit-learn calls them.
MLP_ACTIVATIONS = {"identity": "identity", "relu": "relu", "tanh": "tanh", "sigmoid": "logistic"}


class Mlp(PartialFit):
    """MLPRegressor or MLPClassifier, one partial_fit per batch, with the checks and the loss that it makes each time"""

    ACTIVATIONS = {name: function for name, function in numpy_adapter.ACTIVATIONS.items() if name in MLP_ACTIVATIONS}
    LOSSES = {name: function for name, function in numpy_adapter.LOSSES.items() if name != "huber"}
    OPTIMIZERS = ("sgd", "momentum", "nesterov", "adam")
    EPSILON_PLACES = {"adam": "hat"}

    @classmethod
    def reason_unsupported(cls, problem):
        *hidden, last = problem["layers"]
        if problem["task"] == "floor":
            return ""
        if not all(layer["bias"] for layer in problem["layers"]):
            return "the layers of scikit-learn's networks have biases"
        if len({layer["activation"] for layer in hidden}) > 1:
            return "all hidden layers of scikit-learn's networks have the same activation"
        if last["activation"] != "identity":
            return "the outputs of scikit-learn's networks have no activation but that of the loss"
        if problem["loss"] == "softmax_cross_entropy" and last["outputs"] == 2:
            return "MLPClassifier has one logistic output for two classes"
        if problem["loss"] == "binary_cross_entropy" and last["outputs"] > 1:
            return "partial_fit of MLPClassifier has no independent classes"
        return ""

    def make_model(self):
        problem, settings = self.problem, self.problem.optimizer
        *hidden, last = problem.layers
        constants = {
            "solver": "adam" if settings.kind == "adam" else "sgd",
            "hidden_layer_sizes": [layer.outputs for layer in hidden],
            "activation": MLP_ACTIVATIONS[hidden[0].activation if hidden else "identity"],
            # Adam divides the factor away, up to epsilon.
            "learning_rate_init": problem.rate if settings.kind == "adam" else rate_of(problem),
            "momentum": settings.momentum if settings.kind in ("momentum", "nesterov") else 0,
            "nesterovs_momentum": settings.kind == "nesterov",
            "beta_1": settings.beta1,
            "beta_2": settings.beta2,
            "epsilon": settings.epsilon / gradient_factor(problem),
            "batch_size": problem.batch_rows,
            "alpha": 0,
            "shuffle": False,
        }
        if problem.loss in ("mse", "half_mse"):
            return MLPRegressor(**constants)
        model = MLPClassifier(**constants)
        # Only the first call gets all classes.
        model.partial_fit(*next(self.batches(1)), classes=numpy.arange(max(last.outputs, 2)))
        return model

    def make_tiny(self):
        return MLPRegressor(hidden_layer_sizes=[1], solver="sgd", alpha=0, momentum=0, nesterovs_momentum=False)

    def slot_scales(self):
        """(attribute of scikit-learn's optimizer, what its arrays are times the slots of plugin.h) of each slot."""
        if self.problem.optimizer.kind == "adam":
            factor = gradient_factor(self.problem)
            return [("ms", 1 / factor), ("vs", 1 / factor**2)]
        return [("velocities", -self.problem.rate)][: self.problem.slots]

    # Weights come first, then biases.
    def set_state(self, parameters, slots):
        if self.problem.task == "floor":
            return
        for target, array in zip(self.model.coefs_ + self.model.intercepts_, parameters[::2] + parameters[1::2]):
            target[...] = array
        optimizer = self.model._optimizer
        for (name, scale), slot in zip(self.slot_scales(), slots):
            setattr(optimizer, name, [scale * array for array in slot[::2] + slot[1::2]])
        optimizer.t = self.step  # read by Adam alone

    def get_state(self):
        if self.problem.task == "floor":
            return [], []
        layers, optimizer = len(self.problem.layers), self.model._optimizer

        def interleaved(weights, biases):
            return [array for pair in zip(weights, biases) for array in pair]

        slots = []
        for name, scale in self.slot_scales():
            arrays = [array / scale for array in getattr(optimizer, name)]
            slots.append(interleaved(arrays[:layers], arrays[layers:]))
        return interleaved(self.model.coefs_, self.model.intercepts_), slots


class Sgd(PartialFit):
    """SGDRegressor or SGDClassifier, an update per row (batches of one row), one partial_fit for an epoch's rows"""

    ACTIVATIONS = {"identity": numpy_adapter.ACTIVATIONS["identity"]}
    LOSSES = {name: numpy_adapter.LOSSES[name] for name in ("mse", "half_mse", "huber", "binary_cross_entropy")}
    OPTIMIZERS = ("sgd",)

    @classmethod
    def reason_unsupported(cls, problem):
        if problem["task"] == "floor":
            return ""
        if problem["batch_rows"] > 1:
            return "scikit-learn's SGD makes an update per row: only batches of one row"
        if len(problem["layers"]) > 1 or problem["layers"][0]["outputs"] > 1:
            return "scikit-learn's SGD trains one layer with one output"
        return ""

    def make_model(self):
        constants = {"eta0": rate_of(self.problem), "fit_intercept": self.problem.layers[0].bias}
        if self.problem.loss == "huber":
            constants.update(loss="huber", epsilon=self.problem.huber_delta)
        if self.problem.loss != "binary_cross_entropy":
            return self.make_tiny(**constants)
        model = self.make_tiny(SGDClassifier, loss="log_loss", **constants)
        # Only the first call gets both classes.
        model.partial_fit(*next(self.batches(1)), classes=numpy.arange(2))
        return model

    def make_tiny(self, model=None, **constants):
        return (model or SGDRegressor)(penalty=None, learning_rate="constant", shuffle=False, **constants)

    def place_data(self):
        if self.problem.task == "train":
            self.check_targets()
            self.y = self.data.target.ravel()

    def batches(self, count):
        """Rows of the next `count` steps, epoch by epoch."""
        first, rows = self.step, self.problem.rows
        while count > 0:
            epoch, begin = divmod(first, rows)
            chosen = slice(begin, min(begin + count, rows))
            first, count = first + chosen.stop - begin, count - (chosen.stop - begin)
            if self.data.order is not None:
                chosen = self.data.order[epoch % len(self.data.order)][chosen]
            yield self.data.x[chosen], self.y[chosen]

    def profile(self, count):
        start = clock()
        self.run(count)
        return [record("all steps", "other", 1, clock() - start)]

    def set_state(self, parameters, slots):
        if self.problem.task == "train":
            self.model.coef_ = parameters[0].reshape(self.model.coef_.shape).copy()
            self.model.intercept_ = parameters[1].copy() if len(parameters) > 1 else self.model.intercept_

    def get_state(self):
        return [] if self.problem.task == "floor" else [self.model.coef_.reshape(-1, 1), self.model.intercept_], []

    def count_dispatches(self):
        """A call is as many steps as are left of an epoch"""


MODES = {"mlp": Mlp, "sgd": Sgd}
