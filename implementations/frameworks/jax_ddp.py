"""jax.distributed as JAX's documentation teaches it, mixed into a mode with one jitted step. Batches are arrays that
are divided among the processes, each process has all parameters, and XLA finds out what has to be exchanged."""
import os

from training import RankedTraining

jax = None  # until ranks need it


def stop():
    """Leaves together with the others: a process whose coordinator is gone is aborted."""
    if jax:
        jax.distributed.shutdown()


class DataParallel(RankedTraining):
    """Arrays are divided into parts of equal size: a rank with a row less takes another one at the weight 0."""

    EXCHANGE = "gloo"

    def __init__(self, problem, data, options):
        global jax, numpy
        import jax
        import numpy
        from jax.sharding import AxisType, NamedSharding, PartitionSpec

        os.environ["no_grpc_proxy"] = problem.addresses[0].split(":")[0]  # a proxy would be asked even for this machine
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(
            problem.addresses[0],
            problem.ranks,
            problem.rank,
            initialization_timeout=self.PATIENCE,
            heartbeat_timeout_seconds=self.PATIENCE,
            shutdown_timeout_seconds=5,
        )
        mesh = jax.make_mesh((problem.ranks,), ("batch",), (AxisType.Auto,))
        self.by_rows, self.everywhere = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (["batch"], []))
        self.count_ranks = jax.jit(jax.numpy.sum, out_shardings=self.everywhere)
        super().__init__(problem, data, options)
        self.ones = self.divided(numpy.ones(1))
        self.compile_steps()
        self.meet()

    def jit(self, step):
        return jax.jit(step, out_shardings=self.everywhere)

    def divided(self, values):
        """The array of which this process has these rows."""
        return jax.make_array_from_process_local_data(self.by_rows, values)

    def least_rows(self, rows):
        return -(-rows // self.problem.ranks)

    def array(self, values):
        return values if self.data.order is not None else self.divided(values)

    def take(self, array, indices):
        return self.divided(array[indices])

    def weight(self, own, rows):
        """Of each row."""
        taken = self.least_rows(rows)
        weights = numpy.full(taken, 1 / rows, self.problem.dtype)
        weights[: taken - own] = 0
        return self.divided(weights)

    def loss_of(self, parameters, x, y):
        if not isinstance(y, tuple):
            return super().loss_of(parameters, x, y)
        y, weights = y
        loss = self.LOSSES[self.problem.loss]
        of_row = jax.vmap(lambda outputs, y: loss(outputs[None], y[None], *self.problem.loss_constants))
        return weights @ of_row(self.outputs(parameters, x), y)

    def set_state(self, parameters, slots):
        super().set_state(parameters, slots)
        self.state = [jax.make_array_from_process_local_data(self.everywhere, array) for array in self.state]

    def loss(self):
        """Without the other ranks."""
        everywhere = self.state
        self.state = [array.addressable_data(0) for array in everywhere]
        loss = super().loss()
        self.state = everywhere
        return loss

    def meet(self):
        self.count_ranks(self.ones).block_until_ready()
