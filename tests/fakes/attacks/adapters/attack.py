"""Adapters that cheat or attack the program, one way each: attack.py HOW. Each is script/python but for that."""

import json
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "adapters"))
import script  # noqa: E402

ESCAPE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2028\x00\x7f"


class Honest(script.Worker):
    pass


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


class Short(script.Worker):
    """Says that it took less than between its two readings."""

    def run(self, request):
        answer = super().run(request)
        return {**answer, "real_ns": 0.7 * answer["real_ns"], "cpu_ns": 0.7 * answer["cpu_ns"]}


class Shifted(script.Worker):
    """Both readings are right about how long, and lie before the request."""

    def run(self, request):
        answer = super().run(request)
        past = 10_000_000_000
        return {**answer, "start_ns": answer["start_ns"] - past, "end_ns": answer["end_ns"] - past}


def times(**changes):
    class Times(script.Worker):
        def run(self, request):
            return {**super().run(request), **changes}

    return Times


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


class Brags(script.Worker):
    """Control characters wherever there is text."""

    def hello(self, request):
        answer = super().hello(request)
        answer["worker"] = {"build": "build" + ESCAPE}
        answer["plugin"] = {"name": "plugin" + ESCAPE, "version": ESCAPE}
        answer["implementations"][0].update(build="b" + ESCAPE, description="d" + ESCAPE)
        return answer

    def prepare(self, request):
        return {**super().prepare(request), "runtime": {"build": "r" + ESCAPE, "threads" + ESCAPE: "t" + ESCAPE}}


class Complains(script.Worker):
    def run(self, request):
        raise script.Unsupported("reason" + ESCAPE + "\nok 1 ns\n| hand/naive | wrong |<script>alert(1)</script>")


class Cries(script.Worker):
    """Its last words are control characters."""

    def run(self, request):
        os.write(2, b"\x1b[2Jlast words\x1b]0;owned\x07\xff\x9b31m\n")
        os._exit(3)


class Boasts(script.Worker):
    """An id with control characters, one with a glob, one that is long, one that is another's."""

    def hello(self, request):
        answer = super().hello(request)
        first = answer["implementations"][0]
        ids = ["evil/\x1b[2J", "*/*", "a/" + "b" * 100000, "../../etc/x", "a/b,c=d", " / ", "hand/naive", "graph/jit"]
        answer["implementations"] += [{**first, "id": id} for id in ids]
        return answer


class Poses(script.Worker):
    """Says that it is hand/naive."""

    def hello(self, request):
        answer = super().hello(request)
        answer["implementations"].append({**answer["implementations"][0], "id": "hand/naive"})
        return answer


class Crowds(script.Worker):
    """Has a hundred thousand implementations."""

    def hello(self, request):
        answer = super().hello(request)
        first = answer["implementations"][0]
        answer["implementations"] = [{**first, "id": f"attack/crowd{i}"} for i in range(60000)]
        return answer


class Options(script.Worker):
    def hello(self, request):
        answer = super().hello(request)
        own = [
            {"key": "ranks", "type": "integer", "default": "99999999999999999999", "choices": [], "description": "x"},
            {"key": "", "type": "choice", "default": "no", "choices": ["yes"], "description": "x"},
            {"key": "order", "type": "bool", "default": "true", "choices": [], "description": "twice"},
            {"key": "n", "type": "number", "default": "nan", "choices": [], "description": "x"},
        ]
        answer["implementations"][0]["options"] += own
        return answer


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


class Dawdles(script.Worker):
    """Every answer takes 40 seconds, less than the limit."""

    def set_state(self, request):
        time.sleep(40)
        return super().set_state(request)


class Sleeps(script.Worker):
    """hello takes 50 seconds."""

    def hello(self, request):
        time.sleep(50)
        return super().hello(request)


class Imports(script.Worker):
    """All of its preparation, it says, was an import."""

    def prepare(self, request):
        time.sleep(0.5)
        huge = {"import_ns": 1e308, "imported_resident_bytes": 2**63, "helper_threads": 2**31}
        return {**super().prepare(request), **huge}


class Steps(script.Worker):
    def get_state(self, request):
        return {**super().get_state(request), "step": 2**63}


class Profiles(script.Worker):
    REQUESTS = (*script.Worker.REQUESTS, "profile")

    def profile(self, request):
        record = {"op": "x" + ESCAPE, "phase": "forward" + ESCAPE, "calls": 2**64 - 1, "time_ns": 1e308}
        record["flops"] = -1e308
        record.update(bytes=float("nan"), layers=[10**9], parameters=["w0" + ESCAPE, "w999999999"], use="reads")
        floor = [{"op": ESCAPE, "time_ns": -1}]
        return {"real_ns": 1e308, "records": [record] * 50000, "dispatches": -5, "floor": floor}


class Losses(script.Worker):
    def evaluate(self, request):
        super().evaluate(request)
        return {"loss": float("nan"), "real_ns": -1e308}


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


class Changes(script.Worker):
    """Each process says something else of itself."""

    def hello(self, request):
        answer = super().hello(request)
        kind = os.getpid() % 3
        answer["implementations"][0]["capabilities"] = [[], ["no_arithmetic"], ["shuffle", "device"]][kind]
        return answer


WAYS = {
    "honest": Honest,
    "leaves": Leaves,
    "early": Early,
    "lingers": Lingers,
    "late": Late,
    "short": Short,
    "shifted": Shifted,
    "zero": times(real_ns=0.0, cpu_ns=0.0),
    "negative": times(real_ns=-1.0),
    "minus-zero": times(real_ns=-0.0),
    "huge": times(real_ns=1e308, cpu_ns=1e308),
    "nan": times(real_ns=float("nan")),
    "infinite": times(real_ns=float("inf")),
    "wide": times(start_ns=2**63, end_ns=2**64),
    "tiny-cpu": times(cpu_ns=1.0),
    "nested": times(device_ns={"a": []}, exchange_ns=-1e308, traces=-7, control_word=2**65, allocations=[1]),
    "raw-exponent": raw('"real_ns":1e999,"cpu_ns":1,"start_ns":1,"end_ns":2'),
    "raw-zeros": raw('"real_ns":00012,"cpu_ns":0x10,"start_ns":1,"end_ns":2'),
    "raw-surrogate": raw('"real_ns":"\\ud800","x":"\\u0000"'),
    "brags": Brags,
    "complains": Complains,
    "cries": Cries,
    "boasts": Boasts,
    "poses": Poses,
    "crowds": Crowds,
    "options": Options,
    "nests": Nests,
    "nests-well": NestsWell,
    "repeats": Repeats,
    "ahead": Ahead,
    "drips": Drips,
    "dawdles": Dawdles,
    "sleeps": Sleeps,
    "imports": Imports,
    "steps": Steps,
    "profiles": Profiles,
    "losses": Losses,
    "distrusts": Distrusts,
    "changes": Changes,
}


if __name__ == "__main__":
    script.IMPLEMENTATION["id"] = f"attack/adapter-{sys.argv[1]}"
    script.serve(WAYS[sys.argv[1]]())
