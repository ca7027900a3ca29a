"""A worker for Python frameworks: speaks harness/protocol/PROTOCOL.md for an adapter, which only trains.

An adapter is a module NAME_adapter.py that can be read without its framework:
  NAME           what ids begin with
  MODULES        the modules that must be there
  DISTRIBUTIONS  whose versions the report shows
  start(threads) imports the framework, limits it to so many threads by its own settings, and returns what the report
                 shall say of it ({"build": ..., "threads": ...}). Where it has no such setting: it may use as many
                 processors, which is where pools take their size from
  START_OPTIONS  keys of options that start gets, too, by their names; not needed where that is nothing
  stop()         clears away what the framework would leave behind; not needed where that is nothing
  MODES          {mode: class}; the class is a Training (training.py) and offers NAME/mode
"""
import gc
import importlib.metadata
import json
import math
import mmap
import os
import platform
import time
import traceback

PROTOCOL = {"major": 1, "minor": 18}


def choice(key, default, other, description):
    """An option of two values."""
    return {"key": key, "type": "choice", "default": default, "choices": [default, other], "description": description}


GC_OPTION = choice("gc", "off", "on", "whether Python's garbage collector may run inside timed blocks")

# glibc gives memory back and takes it again page by page, in every step, until a program has freed an array as large as
# its steps' arrays.
HEAP_OPTION = choice(
    "heap", "kept", "returned", "whether freed memory stays with the process, as it does once large arrays were freed"
)
LARGE_ARRAY = 30 << 20  # bytes; glibc learns from arrays up to 32 MiB

# A pool of one thread is not one thread of computing: callers compute, too (JAX's eager mode 1.5 processors).
# Threads that stay on as many processors as the cell has compute threads cannot use more, for any purpose.
POOL_OPTION = choice(
    "pool",
    "limited",
    "unlimited",
    "whether all threads stay on the cell's processors, or get every processor and pools of that size",
)


# Of an implementation without ranks.
ALONE = {"rank": 0, "addresses": [""]}


class Unsupported(Exception):
    """What this worker does not offer; the text says why, in one line."""


def version(distribution):
    # Builds without GPU support, or for one version of CUDA, may have a name of their own.
    for name in (distribution, *(f"{distribution}-{build}" for build in ("cpu", "cuda13x", "cuda12x"))):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "?"


def resident_bytes():
    """Of this process, now: anonymous, file and shared pages."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * mmap.PAGESIZE


def place_of(error, folder):
    """The innermost frame of an adapter's own files, in its folder, and the innermost of all: "mine.py:31 in step"."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    own = [frame for frame in frames if os.path.dirname(os.path.abspath(frame.filename)) == folder]
    shown = dict.fromkeys(f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}"
                          for frame in own[-1:] + frames[-1:])
    return "; ".join(shown)


def as_failure(error, folder):
    """One line of an exception of any length; `folder` as in place_of."""
    text = " ".join(str(error).split())
    cause = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
    place = place_of(error, folder)
    return f"{cause} ({place})" if place else cause


class Worker:
    """One instance: what was loaded, then what was prepared from it. Methods are named after requests."""

    def __init__(self, adapter, unavailable):
        self.adapter = adapter
        own = getattr(adapter, "OWN_FILE", __file__)
        self.folder = os.path.dirname(os.path.abspath(own))
        self.unavailable = unavailable
        self.processors = os.sched_getaffinity(0)
        self.training = None

    def hello(self, _request):
        versions = [f"{name} {version(name)}" for name in self.adapter.DISTRIBUTIONS]
        build = ", ".join([f"CPython {platform.python_version()}"] + ([] if self.unavailable else versions))
        return {
            "protocol": PROTOCOL,
            "worker": {"build": getattr(self.adapter, "WORKER", "frameworks/runner.py")},
            "plugin": {"name": self.adapter.NAME, "version": version(next(iter(self.adapter.DISTRIBUTIONS), self.adapter.NAME))},
            "implementations": [self.describe(*item, build) for item in self.adapter.MODES.items()],
        }

    def describe(self, mode, training, build):
        described = {
            "id": f"{self.adapter.NAME}/{mode}",
            "description": " ".join(training.__doc__.split()),
            "build": build,
            "max_compute_threads": 0,
            "helper_threads": len(self.processors) - 1,  # with pool=unlimited
            "options": [GC_OPTION, HEAP_OPTION, POOL_OPTION, *training.OPTIONS],
        }
        for key in ("tasks", "dtypes", "activations", "losses", "optimizers", "capabilities"):
            described[key] = list(getattr(training, key.upper()))
        described["capabilities"].append("drop_last")  # all take their batches from Problem.epoch
        described["epsilon_places"] = training.EPSILON_PLACES
        described["max_layers"] = getattr(training, "MAX_LAYERS", 0)
        if self.unavailable:
            described["unavailable"] = self.unavailable
        return described

    def supports(self, request):
        mode = self.adapter.MODES[request["implementation"].split("/", 1)[1]]
        return {"reason": self.reason_unsupported(mode, {**request["problem"], "ranks": ALONE})}

    def reason_unsupported(self, mode, problem):
        if problem["task"] == "forward" and problem["micro_batches"] > 1:
            return "the task forward in micro-batches"
        rule = problem["optimizer"]
        if rule["kind"] == "schedule_free_sgd" and len(set(rule["learning_rates"])) > 1:
            return "schedule_free_sgd by a schedule"
        return mode.reason_unsupported(problem)

    def load(self, request):
        self.mode = self.adapter.MODES[request["implementation"].split("/", 1)[1]]
        if request["data"]["source"] != "resident":
            raise Unsupported(f"{request['implementation']} cannot stream its data")
        self.data, self.memory = request["data"], request["memory"]["fd"]
        return {}

    def prepare(self, request):
        problem, options = {**request["problem"], "ranks": request.get("ranks", ALONE)}, request["options"]
        reason = self.reason_unsupported(self.mode, problem)
        if reason:
            raise Unsupported(reason)
        before = time.perf_counter_ns()
        answer = self.start_framework(request["threads"], options)
        self.mode.load()
        answer.update(import_ns=time.perf_counter_ns() - before, imported_resident_bytes=resident_bytes())
        import arrays

        self.collects, self.keeps, self.settled = options["gc"] == "on", options["heap"] == "kept", False
        self.training = self.mode(arrays.Problem(problem), arrays.Data(self.data, self.memory), options)
        self.images = arrays.Images(self.training.problem, request["state"])
        if self.training.problem.task == "floor":
            self.training.floor_parts()
        traces = self.training.traces()
        answer.update({} if traces is None else {"traces": traces})
        return {**answer, "settles": self.keeps or not self.collects}

    def settle(self, _request):
        self.settled = True
        if self.keeps:
            bytearray(LARGE_ARRAY)  # freed at once
        if not self.collects:
            gc.collect()
            gc.freeze()
        return {}

    def start_framework(self, threads, options):
        """What the answer to prepare says of the framework's threads. They are limited before anything of it is loaded:
        libraries read their settings then, and a thread stays on the processors of the one that makes it."""
        count, processors = threads["compute"], threads["compute_cores"]
        pinned = options["pool"] == "limited" and processors
        if pinned:
            os.sched_setaffinity(0, processors)
        if options["pool"] == "unlimited":
            count = len(self.processors)
        for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
            os.environ[f"{library}_NUM_THREADS"] = str(count)
        # Its threads look out for more work for 2^28 ticks, a tenth of a second: far into what follows a block.
        os.environ["OPENBLAS_THREAD_TIMEOUT"] = "20"
        keys = getattr(self.adapter, "START_OPTIONS", ())
        runtime = self.adapter.start(count, **{key: options[key] for key in keys if key in options})
        if self.mode.EXCHANGE:
            runtime["threads"] += f"; exchange by {self.mode.EXCHANGE}"
        if not pinned:
            return {"runtime": runtime}
        runtime["threads"] += f"; all on processor {', '.join(map(str, processors))}"
        return {"runtime": runtime, "helper_threads": 0}

    def set_state(self, request):
        self.training.step = request["step"]
        if self.images.loss_scaling:
            self.training.set_loss_scaling(*self.images.loss_scaling[request["image"]].tolist())
        parameters, slots = self.images.read(request["image"])
        if self.training.problem.task == "forward":
            *parameters, total = parameters
            self.training.set_total(total.item())
        self.training.set_state(parameters, slots)
        return {}

    def get_state(self, request):
        parameters, slots = self.training.get_state()
        if self.training.problem.task == "forward":
            parameters = [*parameters, self.training.get_total()]
        self.images.write(request["image"], parameters, slots)
        if self.images.loss_scaling:
            self.images.loss_scaling[request["image"]][:] = self.training.get_loss_scaling()
        return {"step": self.training.step}

    def run(self, request):
        traces = self.training.traces()
        if self.settled and not self.collects:
            gc.disable()
        self.training.meet()
        timed = self.training.timed_by_step if request.get("each_step") else self.training.timed
        block = timed(request["steps"])
        gc.enable()
        answer = {**block, "real_ns": block["end_ns"] - block["start_ns"]}
        if traces is not None:
            answer["traces"] = self.training.traces() - traces
        return answer

    def evaluate(self, request):
        if request["split"] != "train":
            raise Unsupported("only the training split")
        if self.training.problem.task in ("update", "floor"):
            raise Unsupported(f"the task {self.training.problem.task} has no loss")
        start = time.perf_counter_ns()
        loss = float(self.training.loss())
        return {"loss": loss if math.isfinite(loss) else None, "real_ns": time.perf_counter_ns() - start}

    def profile(self, request):
        self.training.meet()
        start = time.perf_counter_ns()
        records = self.training.profile(request["steps"])
        real_ns = time.perf_counter_ns() - start
        # What happened once is no part of a step.
        real_ns -= sum(record["time_ns"] for record in records if record["phase"] == "compile")
        answer = {"records": records, "real_ns": real_ns, "floor": self.training.measure_floor()}
        dispatches = self.training.count_dispatches()
        if dispatches is not None:
            answer["dispatches"] = dispatches
        return answer

    def profile_ops(self, request):
        if not self.training.PROFILER:
            raise Unsupported(f"no profiler of {self.adapter.NAME} is read")
        import op_profile

        self.training.meet()
        # The first pass has what a profiler does when it is first used; a short pass is easily disturbed.
        passes = [self.training.trace_ops(request["steps"]) for _ in range(3)]
        real_ns, totals = min(passes, key=lambda one: one[0])
        return {"profiler": self.training.PROFILER, "real_ns": real_ns, "records": op_profile.largest(totals)}

    def bye(self, _request):
        return {}


def place_not_finite(value, place=""):
    """Where an answer has a number that JSON cannot spell, and that number; nothing where it has none."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{place}: found {value}"
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    return next(filter(None, (place_not_finite(item, f"{place}/{key}") for key, item in items)), "")


REQUESTS = ("hello", "supports", "load", "prepare", "settle", "set_state", "get_state", "run", "evaluate", "profile",
            "profile_ops", "bye")


def answer_to(worker, request):
    name = request["request"]
    try:
        if name not in REQUESTS:
            raise Unsupported(f"request {name} is unknown to this worker")
        answer = getattr(worker, name)(request)
        if fault := place_not_finite(answer):
            raise ValueError(f"{fault}, expected a finite number")
        return {"ok": True, **answer}
    except Unsupported as error:
        return {"ok": False, "error": {"kind": "unsupported", "message": str(error)}}
    except Exception as error:  # a framework's exception is an answer, not the worker's end
        return {"ok": False, "error": {"kind": "failed", "message": as_failure(error, worker.folder)}}


def serve(adapter, unavailable):
    """Answers requests until bye, or until the coordinator is gone. `unavailable`: why the framework cannot be used."""
    worker = Worker(adapter, unavailable)
    with os.fdopen(3, encoding="utf-8") as requests, os.fdopen(4, "w", encoding="utf-8") as answers:
        for line in requests:
            request = json.loads(line)
            answers.write(json.dumps({"id": request["id"], **answer_to(worker, request)}) + "\n")
            answers.flush()
            if request["request"] == "bye":
                if hasattr(adapter, "stop"):
                    adapter.stop()
                # A framework's threads and caches need no farewell, and some take seconds for it.
                os._exit(0)
