NAME = "tensorflow"
MODULES = ("tensorflow",)
DISTRIBUTIONS = ("tensorflow",)
MODES = {}
