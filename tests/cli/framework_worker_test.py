"""The process that a framework runs in: its threads, what it answers, and how near its rows are to a script's."""

import itertools
import json
import math
import os
import re
import subprocess
import sys
import types
import unittest
from unittest import mock

from framework_rows import ENVIRONMENTS, MISSING, Modules, importable
from program import CATALOGUE, FRAMEWORKS, SOURCE, ProgramTest


@unittest.skipUnless(importable("numpy"), "there is no python3-numpy")
class Rules(Modules):
    """Texts of step_writer.py have every optimizer, and compute once a step what frameworks are given as numbers."""

    def problem(self, kind, **constants):
        layer = {"inputs": 2, "outputs": 1, "bias": True, "activation": "identity"}
        optimizer = {"kind": kind, "learning_rates": [0.1], "weight_decay": 0, "decoupled_weight_decay": False}
        return self.module("arrays").Problem({
            "dtype": "f64", "task": "train", "layers": [layer], "loss": "mse", "rows": 4, "batch_rows": 4,
            "micro_batches": 1, "ranks": {"rank": 0, "addresses": [""]}, "optimizer": {**optimizer, **constants}})

    def test_the_numbers_of_a_step_are_those_of_its_text(self):
        writer = self.module("step_writer")
        for kind, row in CATALOGUE["optimizers"].items():
            for table in (writer.UPDATES, writer.UPDATES_IN_PLACE):
                self.assertIn(kind, table)
            for beta2 in (0.5, 0.7, 0.999) if row["corrects_moments"] else ():
                constants = {"beta1": 0.9, "beta2": beta2, "epsilon": 1e-8, "momentum_decay": 0.004}
                problem = self.problem(kind, **constants)
                scope = {**constants, "step": 0, "product": 1.0}
                for update in range(1, 41):
                    exec(writer.ONCE[kind], scope)
                    for name, number in problem.corrections(update).items():
                        self.assertAlmostEqual(scope[name], number, 12, f"{kind}, {name} of {update}, {beta2}")


class Threads(ProgramTest):
    """All threads of a framework stay on as many processors as the cell has compute threads, after steps of a model
    that is worth sharing."""

    def threads_of(self, implementation, threads, pool="limited"):
        name = implementation.split("/", maxsplit=1)[0]
        environment = ENVIRONMENTS / name / "bin" / "python"
        modules = ("numpy", "scipy") if name == "scipy" else (name,)
        if not environment.exists() and not importable(*modules):
            self.skipTest(MISSING + name)
        if len(os.sched_getaffinity(0)) < threads:
            self.skipTest(f"there are fewer than {threads} processors")
        python = environment if environment.exists() else "/usr/bin/python3"
        script = SOURCE / "tests" / "cli" / "framework_threads.py"
        return json.loads(self.run_other(python, "-B", script, FRAMEWORKS, implementation, str(threads), pool).stdout)

    # The threads of a process that has one compute thread, where they are known.
    OWN_THREADS = {
        **dict.fromkeys(("numpy/vectorised", "scipy/blas", "numba/loops", "sklearn/mlp", "autograd/tape"), 1),
        **{"pytensor/function": 1, "mlx/compile": 2, "tinygrad/jit": None, "pytorch/eager": 1},
        **dict.fromkeys(("tensorflow/function", "tensorflow/dataset", "keras/fit", "keras/fit-steps"), None),
        "pytorch/foreach": 1, "jax/eager": None, "enzyme/jit": None,
    }

    def test_each_stays_where_it_may(self):
        for (implementation, own_threads), threads in itertools.product(self.OWN_THREADS.items(), (1, 2)):
            with self.subTest(implementation=implementation, threads=threads):
                found = self.threads_of(implementation, threads)
                for processors in found["processors_of_threads"]:
                    self.assertEqual(processors, found["cores"])
                self.assertEqual(found["answer"]["helper_threads"], 0)
                self.assertRegex(found["answer"]["runtime"]["threads"], rf"^{threads} .*; all on processor ")
                if own_threads and threads == 1:
                    self.assertEqual(len(found["processors_of_threads"]), own_threads)

    def test_unlimited_has_every_processor(self):
        found = self.threads_of("jax/jit", 1, "unlimited")
        every = sorted(os.sched_getaffinity(0))
        self.assertTrue(all(processors == every for processors in found["processors_of_threads"]))
        self.assertNotIn("helper_threads", found["answer"])
        self.assertRegex(found["answer"]["runtime"]["threads"], f"^{len(every)} in each of XLA's pools$")


class Runner(Modules):
    """What runner.py makes of an adapter, without a framework."""

    def setUp(self):
        super().setUp()
        self.runner = self.module("runner")

    def test_a_loss_that_is_no_number_is_null(self):
        for loss in (math.nan, math.inf, -math.inf):
            problem = types.SimpleNamespace(task="train")
            worker = self.runner.Worker(types.SimpleNamespace(), "")
            worker.training = types.SimpleNamespace(problem=problem, loss=lambda value=loss: value)
            answer = self.runner.answer_to(worker, {"request": "evaluate", "split": "train"})
            self.assertIs(json.loads(json.dumps(answer, allow_nan=False))["loss"], None)

    def test_what_fails_is_named(self):
        records = [{"op": "a", "time_ns": math.nan}]
        for profile, said in (
            (lambda _: {"records": records}, "^ValueError: /records/0/time_ns: found nan, expected a finite number$"),
            (lambda _: {}["calls"], r"^KeyError: 'calls' \(framework_worker_test\.py:\d+ in <lambda>\)$"),
        ):
            worker = types.SimpleNamespace(folder=os.path.dirname(os.path.abspath(__file__)), profile=profile)
            answer = self.runner.answer_to(worker, {"request": "profile"})
            self.assertEqual((answer["ok"], answer["error"]["kind"]), (False, "failed"))
            self.assertRegex(answer["error"]["message"], said)

    def test_what_pytorch_says_of_its_build_is_short(self):
        shown = "PyTorch built with:\n - Intel(R) MKL-DNN v3.1 (b3)\n - CPU capability usage: AVX2\n BLAS_INFO=mkl"
        said = self.module("pytorch_adapter").build_of(shown)
        self.assertRegex(said, r"^BLAS mkl, oneDNN v3\.1, instructions AVX2, products of bf16 (by \w+|emulated: .*)$")

    def test_what_a_mode_loads_is_part_of_the_import(self):
        clock = [0]
        passes = lambda nanoseconds, value=None: (clock.__setitem__(0, clock[0] + nanoseconds), value)[1]
        training = types.SimpleNamespace(problem=types.SimpleNamespace(task="train"), traces=lambda: 2)
        mode = lambda *_: passes(100, training)
        mode.EXCHANGE, mode.reason_unsupported, mode.load = "", lambda problem: "", lambda: passes(5)
        adapter = types.SimpleNamespace(start=lambda threads: passes(3, {"build": "", "threads": ""}))
        worker = self.runner.Worker(adapter, "")
        worker.mode, worker.data, worker.memory = mode, None, None
        request = {
            "problem": {"task": "train", "optimizer": {"kind": "sgd"}},
            "options": {"heap": "returned", "gc": "off", "pool": "unlimited"},
            "threads": {"compute": 1, "compute_cores": []}, "state": None,
        }
        arrays = types.SimpleNamespace(Problem=lambda _: None, Data=lambda *_: None, Images=lambda *_: None)
        count_clock = mock.patch.object(self.runner.time, "perf_counter_ns", lambda: clock[0])
        with mock.patch.dict(sys.modules, arrays=arrays), count_clock:
            answer = worker.prepare(request)
        self.assertEqual((answer["import_ns"], answer["traces"]), (8, 2))

    @unittest.skipUnless(importable("numpy"), "there is no python3-numpy")
    def test_data_are_arrays_of_the_process_itself(self):
        program = """
import os, sys
sys.path.insert(0, sys.argv[1])
import numpy, arrays
memory = os.memfd_create("data")
os.write(memory, bytes(64) + numpy.arange(6, dtype="f4").tobytes().ljust(64, b"0"))
os.write(memory, numpy.arange(3, dtype="i4").tobytes())
request = {"dtype": "f32", "rows": 3, "outputs": 4, "features": 2, "x": {"offset": 64}, "labels": {"offset": 128}}
data = arrays.Data(request, memory)
os.pwrite(memory, bytes(140), 0)
print(data.x.tolist(), data.target.tolist(), data.order, data.x.flags.owndata, data.x.flags.writeable)
try:
    arrays.Data({**request, "rows": 4}, memory)
except EOFError as error:
    print(error)
"""
        command = ["/usr/bin/python3", "-B", "-c", program, FRAMEWORKS]
        lines = ["[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]] [0, 1, 2] None True True"]
        lines.append("the memory of the data ends in labels")
        self.assertEqual(subprocess.check_output(command, text=True).splitlines(), lines)


@unittest.skipUnless(importable("numpy"), "there is no python3-numpy")
class BareLoops(unittest.TestCase):
    """scripts/bench-bare-loops, as short as it can be."""

    ROW = re.compile(r"(\S+) +numpy/vectorised +([0-9.]+) +([0-9.]+) +([0-9.]+)" + 2 * r" +(\S+) \[(\S+), (\S+)\]")
    WORKLOADS = ("linreg-3x2", "mlp-10-50-1")

    def test_rows_and_how_many_are_within_a_tenth(self):
        command = [SOURCE / "scripts" / "bench-bare-loops", "--launches", "2", "--workloads", ",".join(self.WORKLOADS)]
        command += ["--build", FRAMEWORKS.parents[2], "--environments", "/nowhere", "numpy"]
        *lines, row_count, script_count = subprocess.check_output(command, text=True).splitlines()
        rows = [match for match in map(self.ROW.match, lines) if match]
        self.assertEqual([row[1] for row in rows], list(self.WORKLOADS))
        for first, name, line in ((5, "row", row_count), (8, "row as a script", script_count)):
            intervals = [[float(row[first + i]) for i in range(3)] for row in rows]
            for ratio, low, high in intervals:
                self.assertTrue(low <= ratio <= high, intervals)
            within = sum(low <= 1.1 and high >= 0.9 for _, low, high in intervals)
            self.assertEqual(line, f"{name}: {within} of 2 within 10% of the script")
