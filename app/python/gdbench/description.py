"""What a script says of the training that it times, for `gdbench explain --check-comparison a.py b.py`."""
import json
import os
import sys

DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "uint8": "uint8", "int32": "int32",
          "int64": "int64"}
# Of optimizers of torch and Keras: the kind, and the names of constants that are called otherwise.
KINDS = {"SGD": "sgd", "Adagrad": "adagrad", "RMSprop": "rmsprop", "Adam": "adam", "AdamW": "adamw", "Lion": "lion",
         "NAdam": "nadam", "Nadam": "nadam", "RAdam": "radam"}


def describe(x=None, y=None, prediction=None, parameters=None, optimizer=None, **keys):
    """Writes the description of the training that the script is about to time, and ends the script; without
    --check-comparison it does nothing. What objects show is read from them; `keys` (harness/questions/fairness/
    DESCRIPTION.md) say the rest, and win.

    x, y         a batch: rows of a step, data_dtype, target_shape
    prediction   the model's output of that batch: prediction_shape
    parameters   the first weights: parameters_dtype, weights_shape
    optimizer    of torch or Keras: its kind, rate and constants; or a dictionary
    """
    path = os.environ.get("GDBENCH_DESCRIPTION")
    if not path:
        return
    rows = None if x is None else int(x.shape[0])
    said = {"name": os.path.basename(sys.argv[0])}
    if x is not None:
        said |= {"batch": rows, "data_dtype": _dtype(x)}
    for key, array in (("target_shape", y), ("prediction_shape", prediction)):
        if array is not None:
            said[key] = ["N" if index == 0 and size == rows else int(size) for index, size in enumerate(array.shape)]
    if parameters is not None:
        said |= {"parameters_dtype": _dtype(parameters), "weights_shape": [int(size) for size in parameters.shape]}
    if optimizer is not None:
        said["optimizer"] = optimizer if isinstance(optimizer, dict) else _optimizer(optimizer)
    if "torch" in sys.modules:
        said["threads"] = sys.modules["torch"].get_num_threads()
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**said, **keys}, file)
    sys.exit(0)


def _dtype(array):
    name = str(array.dtype).rpartition(".")[2]
    return DTYPES.get(name, name)


def _optimizer(optimizer):
    kind = KINDS.get(type(optimizer).__name__, type(optimizer).__name__)
    if hasattr(optimizer, "param_groups"):
        group = optimizer.param_groups[0]
        said = {"learning_rate": group["lr"]}
        if "betas" in group:
            said |= {"beta1": group["betas"][0], "beta2": group["betas"][1]}
        said |= {key: group[own] for key, own in (("epsilon", "eps"), ("rho", "alpha")) if own in group}
        if group.get("weight_decay"):
            said["weight_decay"] = {"value": group["weight_decay"], "decoupled": kind == "adamw"}
    else:
        group = optimizer.get_config()
        said = {"learning_rate": float(optimizer.learning_rate)}
        said |= {key: group[own] for key, own in (("beta1", "beta_1"), ("beta2", "beta_2"), ("epsilon", "epsilon"),
                                                  ("rho", "rho")) if own in group}
    if kind == "sgd" and group.get("momentum"):
        kind = "nesterov" if group.get("nesterov") else "momentum"
        said["momentum"] = group["momentum"]
    return {"kind": kind, **said}
