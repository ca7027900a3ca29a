"""torch.distributed and DistributedDataParallel as PyTorch's tutorials teach them, mixed into a mode of modules, a loss
and an optimizer."""
import datetime
import os

from training import RankedTraining


class DataParallel(RankedTraining):
    """DistributedDataParallel takes the mean of the ranks' gradients: a rank's loss is the mean over its own rows."""

    EXCHANGE = "gloo"

    def __init__(self, problem, data, options):
        from torch import distributed

        self.distributed = distributed
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # ranks are on this machine, even if its name is another's
        distributed.init_process_group(
            "gloo",
            init_method=f"tcp://{problem.addresses[0]}",
            rank=problem.rank,
            world_size=problem.ranks,
            timeout=datetime.timedelta(seconds=self.PATIENCE),
        )
        super().__init__(problem, data, options)
        # After its first step DistributedDataParallel divides the gradients anew among its messages.
        self.compile_steps()
        self.run(1)
        self.meet()

    def make_model(self):
        from torch.nn.parallel import DistributedDataParallel

        return DistributedDataParallel(super().make_model())

    def weight(self, own, rows):
        return own * self.problem.ranks / rows

    def forward(self, x, y):
        if not self.problem.uneven:
            return super().forward(x, y)
        y, weight = y
        return super().forward(x, y) * weight

    def meet(self):
        self.distributed.barrier()
