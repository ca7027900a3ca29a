"""scikit-learn: an estimator's partial_fit for each batch, with plain SGD."""
from batches import batches, repeated
from sklearn.neural_network import MLPClassifier, MLPRegressor


def network(x, y, order, batch, widths, rate):
    classes = widths[-1] if y.ndim == 1 else 0
    estimator = MLPClassifier if classes else MLPRegressor
    constants = {"solver": "sgd", "learning_rate_init": rate, "momentum": 0, "nesterovs_momentum": False, "alpha": 0}
    model = estimator(hidden_layer_sizes=widths[1:-1], batch_size=batch, shuffle=False, **constants)
    y = y if classes else y.ravel()
    rows = [order[i : i + batch] for i in range(0, len(x), batch)]
    if classes:
        model.partial_fit(x[:batch], y[:batch], classes=range(classes))
    return repeated(model.partial_fit, batches(x, y, rows))
