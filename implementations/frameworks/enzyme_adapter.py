"""Enzyme-JAX: JAX's jitted step, whose loss Enzyme differentiates as a program of StableHLO, before XLA compiles it."""
import jax_adapter

NAME = "enzyme"
MODULES = ("enzyme_ad", *jax_adapter.MODULES)
DISTRIBUTIONS = ("enzyme_ad", *jax_adapter.DISTRIBUTIONS)


def start(threads):
    global enzyme_jax_ir
    runtime = jax_adapter.start(threads)
    from enzyme_ad.jax import enzyme_jax_ir

    return runtime


class Jit(jax_adapter.Jit):
    """One jitted function per step, as jax/jit; Enzyme's passes differentiate the loss and simplify what they made"""

    TASKS = ("train",)
    OPTIONS = ()

    def gradients_of(self, parameters, x, y):
        return jax_adapter.jax.grad(enzyme_jax_ir()(self.loss_of))(parameters, x, y)


MODES = {"jit": Jit}
