NAME = "jax"
MODULES = ("jax",)
DISTRIBUTIONS = ("jax",)
MODES = {}
