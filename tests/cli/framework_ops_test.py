"""A framework's step by op, as its own profiler sees it: how adapters add events up, and what profiles say of it."""

import json
import types

import framework_rows


class Aggregation(framework_rows.Modules):
    """Of profiles that nobody measured, without a framework."""

    def test_self_time_is_without_what_lies_within(self):
        op_profile = self.module("op_profile")
        event = op_profile.Event
        events = [event("inner", 20, 5), event("outer", 0, 100), event("within", 10, 30), event("inner", 50, 10)]
        events += [event("next", 100, 7)]
        times = op_profile.self_times(events)
        self.assertEqual(op_profile.totals_of(times),
                         {"outer": (1, 60), "within": (1, 25), "inner": (2, 15), "next": (1, 7)})

    def test_ten_ops_have_records_and_the_others_one_for_each_phase(self):
        totals = {("forward", f"op{i}", i % 2): (2, 100 - i) for i in range(9)}
        totals.update({("update", "step", None): (1, 200), ("update", "add_", None): (4, 3)})
        totals.update({("backward", "mm", 0): (2, 2), ("backward", "sum", None): (1, 1)})
        records = self.module("op_profile").largest(totals)
        self.assertEqual(len(records), 12)
        self.assertEqual(records[0], {"op": "step", "phase": "update", "calls": 1, "time_ns": 200})
        self.assertEqual(records[1], {"op": "op0", "phase": "forward", "calls": 2, "time_ns": 100, "layers": [0]})
        self.assertEqual(records[10:], [
            {"op": "smaller ops (1)", "phase": "update", "calls": 4, "time_ns": 3},
            {"op": "smaller ops (2)", "phase": "backward", "calls": 3, "time_ns": 3},
        ])

    def test_ops_of_pytorch_have_phases_and_layers(self):
        events = []

        def add(name, parent=None, node=-1, thread=1):
            event = types.SimpleNamespace(name=name, cpu_parent=parent, sequence_nr=node, thread=thread)
            event.is_async, event.self_cpu_time_total = False, 1.0
            events.append(event)
            return event

        engine = "autograd::engine::evaluate_function: "
        for _ in range(2):  # steps
            add("Optimizer.zero_grad#SGD.zero_grad")
            for node in (4, 6):
                linear = add("aten::linear", node=node)
                add("aten::addmm", linear, node)
                add("aten::expand", linear)
            add("aten::mse_loss", node=7)
            add("gloo:all_reduce", thread=2)
            for node in (7, 6, 4):
                add("aten::mm", add(engine + "AddmmBackward0", node=node))
                add("aten::add_", add(engine + "torch::autograd::AccumulateGrad"))
            add("aten::add_", add("Optimizer.step#SGD.step"))
        totals = self.module("op_profile").totals_of(self.module("pytorch_ops").self_times(events, 2))
        backward = ("evaluate AddmmBackward0", "aten::mm", "evaluate torch::autograd::AccumulateGrad", "aten::add_")
        calls = {key: count for key, (count, _) in totals.items()}
        self.assertEqual(calls, {
            ("forward", "Optimizer.zero_grad#SGD.zero_grad", None): 2,
            **{("forward", f"aten::{op}", layer): 2 for op in ("linear", "addmm", "expand") for layer in (0, 1)},
            ("forward", "aten::mse_loss", 1): 2,
            **{("backward", op, layer): count for op in backward for layer, count in ((1, 4), (0, 2))},
            ("update", "Optimizer.step#SGD.step", None): 2, ("update", "aten::add_", None): 2,
        })
        self.assertEqual(totals["forward", "aten::mse_loss", 1], (2, 2000))
        # Kernels of a compiled graph have no hash.
        short = self.module("pytorch_ops").short
        self.assertEqual(short("## Call CompiledFxGraph f4aopuwbawb42p ##"), "CompiledFxGraph")

    def test_ops_of_tensorflow_are_of_the_executor_of_graphs_or_of_xla(self):
        key_of = self.module("tensorflow_ops").key_of
        for name, compiled, key in (
            ("EagerLocalExecute: MatMul", False, ("other", "MatMul", None)),
            ("EagerLocalExecute: __inference_step_12", False, None),
            ("Relu:_MklNativeFusedMatMul", False, ("forward", "_MklNativeFusedMatMul", None)),
            ("gradient_tape/matmul_1/MatMul:_MklMatMul", False, ("backward", "_MklMatMul", None)),
            ("gradients/add_grad/Sum:Sum", False, ("backward", "Sum", None)),
            ("sgd/AssignSubVariableOp_1:AssignSubVariableOp", False, ("update", "AssignSubVariableOp", None)),
            ("ExecutorState::Process", False, None), ("FunctionRun", False, None),
            ("dot.12", True, ("other", "dot", None)),
            ("broadcast_maximum_fusion", True, ("other", "broadcast_maximum_fusion", None)),
        ):
            self.assertEqual(key_of(name, compiled), key, name)


class Installed(framework_rows.Installed):
    def profile(self, implementation, *form):
        if not framework_rows.has(implementation):
            self.skipTest(framework_rows.MISSING + implementation)
        return self.call("profile", "mlp-10-50-1", "--impl", implementation, *form)[0]

    def test_each_profiler_is_read(self):
        """{(phase, op, layers)} that there must be."""
        for implementation, expected in {
            "pytorch/eager": {("forward", "aten::addmm", 0), ("backward", "aten::mm", 1),
                              ("update", "Optimizer.step#SGD.step")},
            "jax/jit": {("other", "dot")}, "tensorflow/eager": {("forward", "MatMul"), ("backward", "MatMul")},
            "keras/fit": set(),
        }.items():
            with self.subTest(implementation=implementation):
                ops = json.loads(self.profile(implementation, "--json"))["ops"]
                records = ops["records"]
                found = {(record["phase"], record["op"], *record.get("layers", [])) for record in records}
                self.assertLessEqual(expected, found)
                self.assertLessEqual(len([record for record in records if "smaller ops" not in record["op"]]), 10)
                self.assertTrue(all(record["calls"] > 0 for record in records), records)
                self.assertGreater(ops["step_ns"], 0)
                if implementation == "pytorch/eager":  # on one thread ops do not take longer than the step
                    self.assertEqual(ops["profiler"], "torch.profiler")
                    self.assertLess(sum(record["time_ns"] for record in records), ops["step_ns"])
                if implementation == "keras/fit":
                    self.assertIn("forward", {phase for phase, *_ in found})

    def test_where_no_profiler_is_read_one_line_says_so(self):
        self.assertIn("\nOps of its framework\n  There are none: no profiler of numpy is read.\n",
                      self.profile("numpy/vectorised"))

    def test_a_native_row_has_ops_of_its_own(self):
        output, _ = self.call("profile", "linreg-3x2", "--impl", "hand/naive", "--json")
        self.assertFalse({"ops", "no_ops"} & json.loads(output).keys())
