"""Right workers but for one request, each in one way: breaks_later.py HOW. Their implementation is broken/HOW."""

import math
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "adapters"))
import script  # noqa: E402
from answering import adding, answering  # noqa: E402


def before_run(act):
    """Does something before each answer to `run`."""

    class Before(script.Worker):
        def run(self, request):
            act()
            return super().run(request)

    return Before


def die():
    raise RuntimeError("the accelerator fell off the bus")


def exhaust_memory():
    kept = []
    while True:
        kept.append(os.urandom(1 << 12) * (1 << 12))  # 16 MiB that are touched
        time.sleep(0.002)


class ProfileIsText(script.Worker):
    REQUESTS = (*script.Worker.REQUESTS, "profile")

    def profile(self, request):
        return {"real_ns": "2 ms", "records": [{"op": 7, "phase": "forward", "calls": "many", "time_ns": None}, "rest"]}


class SlowInTurn(script.Worker):
    """The first process that is profiled is slow from then on, as on a machine in a slow spell; the second is not. The
    file that SLOW_IN_TURN names tells them apart. It imports a framework, which can be profiled."""

    REQUESTS = (*script.Worker.REQUESTS, "profile", "profile_ops")
    name = None

    def prepare(self, request):
        return {**super().prepare(request), "import_ns": 1e6}

    def profile_ops(self, request):
        records = [{"op": f"ops of {self.name}", "phase": "update", "calls": 2 * request["steps"], "time_ns": 1e5}]
        return {"profiler": "a.profiler", "real_ns": 1e6, "records": records}

    def profile(self, request):
        if self.name is None:
            mark = pathlib.Path(os.environ.get("SLOW_IN_TURN", os.devnull))
            self.name = "fast" if mark.exists() else "slow"
            mark.touch()
        return {"real_ns": 1e6, "records": [{"op": self.name, "phase": "forward", "calls": 1, "time_ns": 1e6}]}

    def run(self, request):
        if self.name != "slow":
            return super().run(request)
        start = time.monotonic_ns()
        time.sleep(0.2)
        answer = super().run(request)
        return {**answer, "start_ns": start, "real_ns": answer["end_ns"] - start}


class StepsTooLong(script.Worker):
    def run(self, request):
        answer = super().run(request)
        return {**answer, "step_ns": [answer["real_ns"]] * request["steps"]} if "each_step" in request else answer


WAYS = {
    "prints_all_the_time": before_run(lambda: print("step" * 1000, flush=True)),
    "never_answers_run": before_run(lambda: time.sleep(600)),
    "dies_in_run": before_run(die),
    "exhausts_memory": before_run(exhaust_memory),
    "run_garbage": before_run(lambda: os.write(4, b"Epoch 1/1: loss 0.25\n")),
    "run_without_id": before_run(lambda: os.write(4, b'{"ok": true}\n')),
    "run_text": adding("run", real_ns="2 ms"),
    "steps_unasked": adding("run", step_ns=[1.0]),
    "steps_too_long": StepsTooLong,
    "run_without_times": answering(run=lambda answer: {}),
    "prepare_text": adding("prepare", helper_threads="two", import_ns="long", runtime=7, imported_resident_bytes=None,
                           allocations={"calls": "many", "bytes": []}),
    "traces_again": adding("run", traces=2),
    "profile_text": ProfileIsText,
    "loss_text": answering(evaluate=lambda answer: {"loss": str(answer["loss"])}),
    "loss_nan": adding("evaluate", loss=math.nan),  # as json.dumps writes it, which is no JSON
    "run_infinite": adding("run", real_ns=-math.inf),
    "slow_in_turn": SlowInTurn,
}


if __name__ == "__main__":
    script.IMPLEMENTATION["id"] = f"broken/{sys.argv[1]}"
    script.serve(WAYS[sys.argv[1]]())
