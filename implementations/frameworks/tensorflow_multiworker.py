"""tf.distribute.MultiWorkerMirroredStrategy with a custom training loop, as TensorFlow's tutorial teaches it, mixed
into a mode with one tf.function whose optimizer is one of tf.keras."""
import json
import os

from training import RankedTraining


class MultiWorker(RankedTraining):
    """The optimizer adds up the ranks' gradients: a rank's loss is the sum over its rows divided by the batch's."""

    EXCHANGE = "TensorFlow's ring over gRPC"

    def __init__(self, problem, data, options):
        global tf
        import tensorflow as tf

        os.environ["no_grpc_proxy"] = problem.addresses[0].split(":")[0]  # a proxy would be asked even for this machine
        task = {"type": "worker", "index": problem.rank}
        os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": problem.addresses}, "task": task})
        settings = tf.distribute.experimental.CommunicationOptions(
            implementation=tf.distribute.experimental.CommunicationImplementation.RING, timeout_seconds=self.PATIENCE
        )
        self.strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=settings)
        self.count_ranks = tf.function(lambda: self.strategy.run(self.add_one))
        with self.strategy.scope():
            super().__init__(problem, data, options)
        self.meet()

    def weight(self, own, rows):
        return tf.constant(own / rows, self.problem.dtype)

    def whole_step(self, x, y):
        return self.strategy.run(self.replica_step, (x, y))

    def replica_step(self, x, y):
        y, weight = y if self.problem.uneven else (y, 1 / self.problem.ranks)
        with tf.GradientTape() as tape:
            loss = self.loss_of(x, y) * weight
        self.update(tape.gradient(loss, self.tensors))

    def add_one(self):
        return tf.distribute.get_replica_context().all_reduce("SUM", tf.ones(1))

    def meet(self):
        self.count_ranks()
        self.wait()
