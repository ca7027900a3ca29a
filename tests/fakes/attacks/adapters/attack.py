"""Adapters that cheat or attack the program, one way each: attack.py HOW. Each is script/python but for that."""

import json
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "adapters"))
import script  # noqa: E402
from answering import adding, answering  # noqa: E402

ESCAPE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2028\x00\x7f"


def implementations(change):
    """What hello says of itself; `change` makes a list of its only implementation."""
    return answering(hello=lambda answer: {**answer, "implementations": change(answer["implementations"][0])})


def late(name, seconds):
    return answering(**{name: lambda answer: time.sleep(seconds) or answer})


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


class Lingers(script.Worker):
    """Slow at a single step, so that as much before the clock of a block is its usual lead-in."""

    def run(self, request):
        steps = request["steps"]
        early = 0
        if steps < 3:
            time.sleep(0.0027)
        else:
            started = time.monotonic_ns()
            self.train(1)
            early = 1 + min(steps * 2 // 9, int(3.1e6 / (time.monotonic_ns() - started)) - 1)
            self.train(early - 1)
        return super().run({**request, "steps": steps - early})


class Late(script.Worker):
    """Makes half of the steps after it read the clock."""

    def run(self, request):
        late = request["steps"] // 2
        answer = super().run({**request, "steps": request["steps"] - late})
        self.train(late)
        return answer


class Raw(script.Worker):
    """Numbers as text that no JSON library would write."""

    TEXT = ""

    def run(self, request):
        super().run(request)
        os.write(4, ('{"id":%d,"ok":true,%s}\n' % (request["id"], self.TEXT)).encode())
        self.run = lambda request: super(Raw, self).run(request)
        raise script.Unsupported("second answer")


def raw(text):
    return type("RawText", (Raw,), {"TEXT": text})


class Complains(script.Worker):
    def run(self, request):
        raise script.Unsupported("reason" + ESCAPE + "\nok 1 ns\n| hand/naive | wrong |<script>alert(1)</script>")


class Cries(script.Worker):
    """Its last words are control characters."""

    def run(self, request):
        os.write(2, b"\x1b[2Jlast words\x1b]0;owned\x07\xff\x9b31m\n")
        os._exit(3)


class Nests(script.Worker):
    def run(self, request):
        os.write(4, b'{"id":' + b"[" * 15_000_000 + b"\n")
        return super().run(request)


class NestsWell(script.Worker):
    def run(self, request):
        deep = 5_000_000
        text = '{"id":%d,"ok":true,"x":' % request["id"] + "[" * deep + "]" * deep + "}\n"
        data = text.encode()
        while data:
            data = data[os.write(4, data) :]
        return super().run(request)


class Repeats(script.Worker):
    """The same key twice."""

    def run(self, request):
        answer = super().run(request)
        text = ",".join(f'"{key}":{value}' for key, value in answer.items())
        os.write(4, ('{"id":%d,"ok":false,"ok":true,"real_ns":1,%s}\n' % (request["id"], text)).encode())
        return answer


class Ahead(script.Worker):
    """Answers the next requests, too, before they come."""

    def run(self, request):
        answer = super().run(request)
        own = json.dumps({"id": request["id"], "ok": True, **answer})
        following = [json.dumps({"id": request["id"] + i, "ok": True, **answer, "step": 5}) for i in range(1, 6)]
        os.write(4, ("\n".join([own, *following]) + "\n").encode())
        os.dup2(os.open("/dev/null", os.O_WRONLY), 4)
        return answer


class Drips(script.Worker):
    """An answer comes byte by byte."""

    def set_state(self, request):
        super().set_state(request)
        for byte in (json.dumps({"id": request["id"], "ok": True}) + "\n").encode():
            os.write(4, bytes([byte]))
            time.sleep(2)
        raise script.Unsupported("")


class Profiles(script.Worker):
    REQUESTS = (*script.Worker.REQUESTS, "profile")

    def profile(self, request):
        record = {"op": "x" + ESCAPE, "phase": "forward" + ESCAPE, "calls": 2**64 - 1, "time_ns": 1e308}
        record["flops"] = -1e308
        record.update(bytes=float("nan"), layers=[10**9], parameters=["w0" + ESCAPE, "w999999999"], use="reads")
        floor = [{"op": ESCAPE, "time_ns": -1}]
        return {"real_ns": 1e308, "records": [record] * 50000, "dispatches": -5, "floor": floor}


class Distrusts(script.Worker):
    """Says of a slow block that it is not to be trusted, so that it might be made again."""

    quickest = None

    def run(self, request):
        answer = super().run(request)
        step_ns = answer["real_ns"] / max(1, request["steps"])
        if self.quickest is None or step_ns < self.quickest:
            self.quickest = step_ns
        elif step_ns > 1.05 * self.quickest:
            time.sleep(0.6)
        return answer


OF_ITSELF = {
    "worker": {"build": "build" + ESCAPE},
    "plugin": {"name": "plugin" + ESCAPE, "version": ESCAPE},
    "runtime": {"build": "r" + ESCAPE, "threads" + ESCAPE: "t" + ESCAPE},
}
IDS = ["evil/\x1b[2J", "*/*", "a/" + "b" * 100000, "../../etc/x", "a/b,c=d", " / ", "hand/naive", "graph/jit"]
OPTIONS = [
    {"key": "ranks", "type": "integer", "default": "99999999999999999999", "choices": [], "description": "x"},
    {"key": "", "type": "choice", "default": "no", "choices": ["yes"], "description": "x"},
    {"key": "order", "type": "bool", "default": "true", "choices": [], "description": "twice"},
    {"key": "n", "type": "number", "default": "nan", "choices": [], "description": "x"},
]
KINDS = ([], ["no_arithmetic"], ["shuffle", "device"])
PAST = 10_000_000_000
HUGE = {"import_ns": 1e308, "imported_resident_bytes": 2**63, "helper_threads": 2**31}


WAYS = {
    "honest": script.Worker,
    "leaves": Leaves,
    "early": Early,
    "lingers": Lingers,
    "late": Late,
    # It says that it took less than between its two readings.
    "short": answering(
        run=lambda answer: {**answer, "real_ns": 0.7 * answer["real_ns"], "cpu_ns": 0.7 * answer["cpu_ns"]}
    ),
    # Both readings are right about how long, and lie before the request.
    "shifted": answering(
        run=lambda answer: {**answer, "start_ns": answer["start_ns"] - PAST, "end_ns": answer["end_ns"] - PAST}
    ),
    "zero": adding("run", real_ns=0.0, cpu_ns=0.0),
    "negative": adding("run", real_ns=-1.0),
    "minus-zero": adding("run", real_ns=-0.0),
    "huge": adding("run", real_ns=1e308, cpu_ns=1e308),
    "nan": adding("run", real_ns=float("nan")),
    "infinite": adding("run", real_ns=float("inf")),
    "wide": adding("run", start_ns=2**63, end_ns=2**64),
    "tiny-cpu": adding("run", cpu_ns=1.0),
    "nested": adding("run", device_ns={"a": []}, exchange_ns=-1e308, traces=-7, control_word=2**65, allocations=[1]),
    "raw-exponent": raw('"real_ns":1e999,"cpu_ns":1,"start_ns":1,"end_ns":2'),
    "raw-zeros": raw('"real_ns":00012,"cpu_ns":0x10,"start_ns":1,"end_ns":2'),
    "raw-surrogate": raw('"real_ns":"\\ud800","x":"\\u0000"'),
    # Control characters wherever there is text.
    "brags": answering(
        hello=lambda answer: {
            **answer,
            "worker": OF_ITSELF["worker"],
            "plugin": OF_ITSELF["plugin"],
            "implementations": [
                {**answer["implementations"][0], "build": "b" + ESCAPE, "description": "d" + ESCAPE}
            ],
        },
        prepare=lambda answer: {**answer, "runtime": OF_ITSELF["runtime"]},
    ),
    "complains": Complains,
    "cries": Cries,
    # An id with control characters, one with a glob, one that is long, one that is another's.
    "boasts": implementations(lambda own: [own, *({**own, "id": id} for id in IDS)]),
    "poses": implementations(lambda own: [own, {**own, "id": "hand/naive"}]),
    "crowds": implementations(lambda own: [{**own, "id": f"attack/crowd{i}"} for i in range(60000)]),
    "options": implementations(lambda own: [{**own, "options": own["options"] + OPTIONS}]),
    "nests": Nests,
    "nests-well": NestsWell,
    "repeats": Repeats,
    "ahead": Ahead,
    "drips": Drips,
    # Less than the limit.
    "dawdles": late("set_state", 40),
    "sleeps": late("hello", 50),
    # All of its preparation, it says, was an import.
    "imports": answering(prepare=lambda answer: time.sleep(0.5) or {**answer, **HUGE}),
    "steps": adding("get_state", step=2**63),
    "profiles": Profiles,
    "losses": answering(evaluate=lambda answer: {"loss": float("nan"), "real_ns": -1e308}),
    "distrusts": Distrusts,
    # Each process says something else of itself.
    "changes": implementations(lambda own: [{**own, "capabilities": KINDS[os.getpid() % 3]}]),
}


if __name__ == "__main__":
    script.IMPLEMENTATION["id"] = f"attack/adapter-{sys.argv[1]}"
    script.serve(WAYS[sys.argv[1]]())
