"""Rows of frameworks on a device, with the processor in the place of one: right, untrusted or unsupported.

What compiles does so for the processor. So these tests show that torch.compile has whole steps of tensors that were
placed on a device, and that XLA knows the flags of its command buffers, but neither Triton's code nor a CUDA graph.
"""

import json
import sys
import types
import unittest

from framework_rows import ENVIRONMENTS, MISSING, Modules, has, importable
from program import FRAMEWORKS, SOURCE, ProgramTest, options

FAKE = SOURCE / "tests" / "fakes" / "devices" / "fake_device.py"


class OnDevice(ProgramTest):
    framework = None  # of the tests below
    environment = property(lambda self: self.framework)  # the one that it runs in

    def setUp(self):
        super().setUp()
        if not has(self.environment):
            self.skipTest(MISSING + self.environment)
        own = ENVIRONMENTS / self.environment / "bin" / "python"
        self.python = str(own) if own.exists() else "/usr/bin/python3"

    def plugins(self, fault):
        folder = self.folder / fault.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        command = [self.python, "-B", str(FAKE), str(FRAMEWORKS), self.framework, fault]
        (folder / "device.adapter.json").write_text(json.dumps({"command": command}), encoding="utf-8")
        return str(folder)

    def verify(self, mode, *settings, fault="none", scenario="mlp-10-50-1"):
        """What follows the name in its row."""
        defaults = {"impl.device": "cuda", "rows": "100"} if scenario.startswith("mlp-1") else {"impl.device": "cuda"}
        chosen = {**defaults, **dict(setting.split("=", 1) for setting in settings)}
        # Some compile for a minute where other processes have the processors.
        arguments = ("verify", "--scenario", scenario, "--impl", f"device/{mode}", "--timeout", "200")
        arguments += tuple(options("--set", map("=".join, chosen.items())))
        output, errors = self.call(*arguments, plugins=self.plugins(fault), status=None)
        rows = [line.partition(f"device/{mode}")[2] for line in output.splitlines() if f"device/{mode}" in line]
        self.assertEqual(len(rows), 1, f"{settings}\n{output}\n{errors}")
        return " ".join(rows[0].split())

    def assert_right(self, mode, *settings, **others):
        with self.subTest(mode=mode, settings=settings):
            self.assertRegex(self.verify(mode, *settings, **others), r"^(\S+=\S+ )*ok ")

    def assert_says(self, mode, settings, *words, fault="none"):
        with self.subTest(mode=mode, settings=settings, fault=fault):
            row = self.verify(mode, *settings, fault=fault)
            for word in words:
                self.assertIn(word, row)

    def timed(self, mode, *settings):
        """Its cell of a run."""
        chosen = options("--set", ("impl.device=cuda", *settings))
        self.call("run", "--scenario", "mlp-10-50-1", "--impl", f"device/{mode}", *chosen, "--launches", "1",
                  "--out", "report.json", "--overwrite", plugins=self.plugins("none"))
        (cell,) = self.cells_of(self.read_json("report.json"))
        self.assertEqual(cell["status"]["state"], "ok", cell["status"])
        self.assertEqual(cell["summary"]["peak_device_bytes"], 2**20)
        return cell

    def assert_device_clock(self, cell):
        for sample in cell["samples"]:
            self.assertLessEqual(sample["device_ns"], sample["real_ns"])

    def assert_untrusted(self, mode, *settings, fault):
        chosen = options("--set", ("impl.device=cuda", *settings))
        self.call("run", "--scenario", "mlp-10-50-1", "--impl", f"device/{mode}", *chosen, "--launches", "1",
                  "--out", "report.json", plugins=self.plugins(fault), status=3)
        (cell,) = self.cells_of(self.read_json("report.json"))
        self.assertIn(cell["status"]["state"], ("untrusted", "wrong"), cell["status"])
        return cell["status"]["reason"]


class PyTorch(OnDevice):
    framework = "pytorch"
    GRAPH = "impl.cuda_graph=step"

    def test_modes(self):
        self.assert_right("eager", "batch=48", "batch.micro_batches=3")
        self.assert_right("fused", "optimizer=adam", "batch=32")

    def test_tasks(self):
        for scenario in ("update-601", "mlp-64-64-8-gradients"):
            self.assert_right("eager", scenario=scenario)

    def test_compiled_steps(self):
        self.assert_right("compile-model", scenario="linreg-3x2")
        self.assert_right("compile-step", scenario="linreg-3x2")

    def test_batches_that_are_copied(self):
        self.assert_right("eager", "impl.transfer=pageable")
        self.assert_right("eager", "impl.transfer=pinned", "batch=32", scenario="mlp-784-128-10")

    def test_a_captured_step(self):
        self.assert_right("eager", self.GRAPH)
        for optimizer in ("momentum", "nadam"):  # the last batch has 4 rows
            self.assert_right("eager", self.GRAPH, f"optimizer={optimizer}", "batch=32")
        self.assert_right("fused", self.GRAPH, "optimizer=adam", "impl.transfer=pageable", "batch=32")

    def test_a_floor_and_a_profile(self):
        self.call("run", "--scenario", "floor", "--impl", "device/eager", "--set", "impl.device=cuda",
                  "--launches", "1", plugins=self.plugins("none"))
        output, _ = self.call("profile", "mlp-10-50-1", "--impl", "device/eager", "--set", "impl.device=cuda", "--json",
                              plugins=self.plugins("none"))
        phases = {record["phase"] for record in json.loads(output)["records"]}
        self.assertLessEqual({"data", "forward", "backward", "update"}, phases)

    def test_the_first_of_two_is_in_the_report(self):
        cell = self.timed("eager")
        self.assertRegex(cell["runtime"]["device"], r"^processor 0, CUDA .*, products of f32 by f32$")
        self.assertEqual(cell["launches"][0]["peak_device_bytes"], 2**20)
        self.assert_device_clock(cell)

    def test_what_cannot_be_done_is_said(self):
        self.assert_says("eager", (), "unsupported", "PyTorch finds no CUDA device", fault="absent")
        self.assert_says("eager", ("denormals=flush",), "unsupported", "only the processor's are flushed")
        schedule = 'optimizer.schedule={"kind":"cosine","steps":18}'
        self.assert_says("eager", (self.GRAPH, schedule), "unsupported", "a captured step has one learning rate")
        for setting, reason in ((self.GRAPH, "with device=cuda"), ("impl.transfer=pinned", "no batches to copy")):
            self.assert_says("eager", (setting, "impl.device=cpu"), "unsupported", reason)

    def test_a_device_without_memory(self):
        self.assert_says("eager", (), "crashed", "OutOfMemoryError: CUDA out of memory.", fault="full")

    def test_clocks_that_differ(self):
        self.assertRegex(self.assert_untrusted("eager", fault="slow clock"),
                         "by the device's clock and .* by the wall clock")

    def test_an_early_answer(self):
        self.assert_untrusted("eager", self.GRAPH, fault="early")


class Jax(OnDevice):
    framework = "jax"

    def test_modes(self):
        for mode in ("eager", "loop"):
            self.assert_right(mode)
        self.assert_right("jit", "optimizer=adam", "batch=32")

    def test_batches_that_are_copied(self):
        self.assert_right("jit", "impl.transfer=pageable", "batch=32")

    def test_command_buffers(self):
        for setting, flag in (("off", ""), ("while", r"\+WHILE")):
            built = self.timed("loop", f"impl.command_buffers={setting}")["runtime"]["build"]
            self.assertRegex(built, rf"^XLA flags .* --xla_gpu_enable_command_buffer={flag}$")
        self.assert_says("jit", ("impl.command_buffers=off", "impl.device=cpu"), "unsupported", "on the processor")

    def test_what_cannot_be_done_is_said(self):
        self.assert_says("jit", (), "unsupported", "JAX finds no CUDA device", fault="absent")
        self.assert_says("jit", (), "crashed", "RESOURCE_EXHAUSTED: Out of memory", fault="full")

    def test_an_early_answer(self):
        self.assert_untrusted("jit", fault="early")

    def test_the_first_of_two_is_in_the_report(self):
        self.assertEqual(self.timed("jit")["runtime"]["device"], "processor 1, products of f32 by f32")


class TensorFlow(OnDevice):
    framework = "tensorflow"

    def test_modes(self):
        self.assert_right("assign")
        self.assert_right("function", "optimizer=momentum", "batch=32")

    def test_what_cannot_be_done_is_said(self):
        self.assert_says("function", (), "unsupported", "TensorFlow finds no CUDA device", fault="absent")
        self.assert_says("function", (), "crashed", "failed to allocate memory", fault="full")

    def test_the_first_of_two_is_in_the_report(self):
        self.assertEqual(self.timed("function")["runtime"]["device"], "processor 0, products of f32 by f32")


class CuPy(OnDevice):
    framework, environment = "cupy", "numpy"

    def test_modes(self):
        self.assert_right("eager", "optimizer=nadam", "batch=32")
        self.assert_right("eager", "loss=huber", "model.layers.0.activation=softplus", "dtype=f64")
        self.assert_right("eager", "rows=300", scenario="mlp-784-128-10")
        self.assert_right("eager", scenario="update-601")

    def test_the_first_of_two_is_in_the_report(self):
        cell = self.timed("eager")
        self.assertEqual(cell["runtime"]["device"], "processor 0, CUDA 13.2, products of f32 by f32")
        self.assert_device_clock(cell)

    def test_a_floor_and_a_profile(self):
        plugins = self.plugins("none")
        self.call("run", "--scenario", "floor", "--impl", "device/eager", "--launches", "1", plugins=plugins)
        output, _ = self.call("profile", "mlp-10-50-1", "--impl", "device/eager", "--json", plugins=plugins)
        phases = {record["phase"] for record in json.loads(output)["records"]}
        self.assertLessEqual({"data", "forward", "backward", "update"}, phases)

    def test_what_cannot_be_done_is_said(self):
        self.assert_says("eager", (), "unsupported", "CuPy finds no CUDA device", fault="absent")
        self.assert_says("eager", ("impl.device=cpu",), "unsupported", "CuPy computes on a CUDA device alone")
        self.assert_says("eager", (), "crashed", "OutOfMemoryError: Out of memory allocating 8 bytes", fault="full")

    def test_a_python_without_it(self):
        python = self.folder / "python"
        python.write_text('#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        output, _ = self.call("verify", "--scenario", "linreg-3x2", "--impl", "cupy/eager", "--python", str(python),
                              status=4)
        self.assertRegex(output, r"cupy/eager +unsupported +\S+ has no cupy")

    def test_clocks_that_differ(self):
        self.assertRegex(self.assert_untrusted("eager", fault="slow clock"),
                         "by the device's clock and .* by the wall clock")

    def test_an_early_answer(self):
        self.assertIn("the answer came after", self.assert_untrusted("eager", fault="early"))


@unittest.skipUnless(importable("numpy"), "there is no python3-numpy")
class PhasesOfCuPy(Modules):
    def test_one_ends_when_the_device_is_done(self):
        sys.path.append(str(FAKE.parent))
        adapter, adapter.cupy = self.module("cupy_adapter"), self.module("fake_cupy")
        self.module("numpy_adapter").use(adapter.cupy)
        training = adapter.Eager.__new__(adapter.Eager)
        training.device_clock = adapter.Clock()
        training.problem = types.SimpleNamespace(task="train", dtype="f4", shapes=[])
        clock = training.names(types.SimpleNamespace(spare=""))["clock"]
        made = adapter.cupy.ones(1) + 1
        self.assertIsNone(made.held)
        self.assertGreater(clock(), 0)
        self.assertEqual(made.held, [2])


if __name__ == "__main__":
    unittest.main()
