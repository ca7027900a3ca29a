"""A right worker all of whose free texts would act on a terminal, turn the order of letters or end their place in a
document; hostile.py has the id hostile/texts, and hostile/refused refuses all that it is asked to train."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "adapters"))
import script  # noqa: E402

ACTS = "\x1b]0;title\x07\x1b[31m\x9b31m\x7f\u202e\u2028|`<b>\r\nsecond line"


class Hostile(script.Worker):
    def hello(self, request):
        option = {"key": "kind", "type": "choice", "default": "a", "choices": ["a", ACTS], "description": ACTS}
        texts = {"description": ACTS, "build": ACTS, "options": [*script.IMPLEMENTATION["options"], option]}
        offered = [{**script.IMPLEMENTATION, **texts, "id": f"hostile/{name}"} for name in ("texts", "refused")]
        plugin = {"name": ACTS, "version": ACTS}
        return {**super().hello(request), "plugin": plugin, "worker": {"build": ACTS}, "implementations": offered}

    def load(self, request):
        self.refuses = request["implementation"] == "hostile/refused"
        return super().load(request)

    def prepare(self, request):
        if self.refuses:
            raise script.Unsupported(ACTS)
        return {**super().prepare(request), "runtime": {ACTS: ACTS}}


if __name__ == "__main__":
    script.serve(Hostile())
