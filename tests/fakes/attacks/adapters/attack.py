"""Adapters that cheat or attack the program, one way each: attack.py HOW. Each is script/python but for that."""

import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "adapters"))
import script  # noqa: E402
from answering import adding, answering  # noqa: E402


class Leaves(script.Worker):
    """Makes half of the steps, and the rest when the state is read, where adapters have half a second."""

    left = 0

    def run(self, request):
        self.left = request["steps"] // 2
        return super().run({**request, "steps": request["steps"] - self.left})

    def finish(self):
        self.train(self.left)
        self.left = 0

    def get_state(self, request):
        self.finish()
        return super().get_state(request)

    def evaluate(self, request):
        self.finish()
        return super().evaluate(request)


class Early(script.Worker):
    """Makes half of the steps before it reads the clock."""

    def run(self, request):
        early = request["steps"] // 2
        self.train(early)
        return super().run({**request, "steps": request["steps"] - early})


class Cries(script.Worker):
    """Its last words are control characters."""

    def run(self, request):
        os.write(2, b"\x1b[2Jlast words\x1b]0;owned\x07\xff\x9b31m\n")
        os._exit(3)


PAST = 10_000_000_000
WAYS = {
    "leaves": Leaves,
    "early": Early,
    # Both readings are right about how long, and lie before the request.
    "shifted": answering(
        run=lambda answer: {**answer, "start_ns": answer["start_ns"] - PAST, "end_ns": answer["end_ns"] - PAST}
    ),
    "nan": adding("run", real_ns=float("nan")),
    "cries": Cries,
}


if __name__ == "__main__":
    script.IMPLEMENTATION["id"] = f"attack/adapter-{sys.argv[1]}"
    script.serve(WAYS[sys.argv[1]]())
