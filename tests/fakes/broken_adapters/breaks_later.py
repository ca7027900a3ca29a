"""Right workers but for one request, each in one way: breaks_later.py HOW. Their implementation is broken/HOW."""

import math
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "adapters"))
import script  # noqa: E402


def answer_with(text):
    os.write(4, text.encode() + b"\n")


class PrintsAllTheTime(script.Worker):
    def run(self, request):
        print("step" * 1000, flush=True)
        return super().run(request)


class NeverAnswersRun(script.Worker):
    def run(self, request):
        time.sleep(600)


class DiesInRun(script.Worker):
    def run(self, request):
        raise RuntimeError("the accelerator fell off the bus")


class ExhaustsMemory(script.Worker):
    def run(self, request):
        kept = []
        while True:
            kept.append(os.urandom(1 << 12) * (1 << 12))  # 16 MiB that are touched
            time.sleep(0.002)


class AnswersRunWithGarbage(script.Worker):
    def run(self, request):
        answer_with("Epoch 1/1: loss 0.25")
        return super().run(request)


class AnswersRunWithoutId(script.Worker):
    def run(self, request):
        answer_with('{"ok": true}')
        return super().run(request)


class AnswersRunWithText(script.Worker):
    def run(self, request):
        return {**super().run(request), "real_ns": "2 ms"}


class AnswersRunWithoutTimes(script.Worker):
    def run(self, request):
        super().run(request)
        return {}


class AnswersPrepareWithText(script.Worker):
    def prepare(self, request):
        text = {"helper_threads": "two", "import_ns": "long", "runtime": 7, "imported_resident_bytes": None}
        return {**super().prepare(request), **text, "allocations": {"calls": "many", "bytes": []}}


class TracesAgain(script.Worker):
    def run(self, request):
        return {**super().run(request), "traces": 2}


class LossIsText(script.Worker):
    def evaluate(self, request):
        return {"loss": str(super().evaluate(request)["loss"])}


class LossIsNan(script.Worker):
    """As json.dumps of Python writes it, which is no JSON."""

    def evaluate(self, request):
        return {**super().evaluate(request), "loss": math.nan}


class TimeIsInfinite(script.Worker):
    def run(self, request):
        return {**super().run(request), "real_ns": -math.inf}


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


WAYS = {
    "prints_all_the_time": PrintsAllTheTime,
    "never_answers_run": NeverAnswersRun,
    "dies_in_run": DiesInRun,
    "exhausts_memory": ExhaustsMemory,
    "run_garbage": AnswersRunWithGarbage,
    "run_without_id": AnswersRunWithoutId,
    "run_text": AnswersRunWithText,
    "run_without_times": AnswersRunWithoutTimes,
    "prepare_text": AnswersPrepareWithText,
    "traces_again": TracesAgain,
    "profile_text": ProfileIsText,
    "loss_text": LossIsText,
    "loss_nan": LossIsNan,
    "run_infinite": TimeIsInfinite,
    "slow_in_turn": SlowInTurn,
}


if __name__ == "__main__":
    script.IMPLEMENTATION["id"] = f"broken/{sys.argv[1]}"
    script.serve(WAYS[sys.argv[1]]())
