NAME = "keras"
MODULES = ("keras",)
DISTRIBUTIONS = ("keras",)
MODES = {}
