"""`gdbench profile`: what it says of allocations, and how often a graph is compiled."""

import json
import pathlib
import unittest

from documents import parts_of
from expected_words import number
from printed_figures import is_time
from program import FAKES, HAS_JIT, PROGRAM, ProgramTest

COUNTER = pathlib.Path(PROGRAM).parent.parent / "lib" / "gdbench" / "preload" / "libgdbench_allocations.so"


@unittest.skipUnless(COUNTER.exists(), "allocations are not counted in a sanitized build")
class Allocations(ProgramTest):
    def profile(self, implementation, *settings):
        arguments = ("profile", "linreg-3x2", "--impl", implementation, *settings)
        return json.loads(self.call(*arguments, "--json", plugins=FAKES)[0])

    def test_what_a_step_allocates(self):
        for count in (0, 1, 7):
            with self.subTest(count=count):
                profile = self.profile("fake/allocate", "--set", f"impl.allocations_per_step={count}")
                self.assertEqual(profile["allocations_per_step"], count)
                self.assertEqual(profile["allocated_bytes_per_step"], 48 * count)

    def test_a_page_shows_the_same_profile(self):
        answer, _ = self.call("profile", "mlp-10-50-1", "--impl", "hand/eigen", "--html", "page.html")
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        for line in answer.splitlines()[:2]:
            self.assertIn(line, page)
        self.assertIn('<figure id="one-mean-step">', page)
        self.assertIn("forward: product, layer 0, reads w0, ", page)
        page, _ = self.call("profile", "mlp-10-50-1", "--impl", "hand/eigen", "--html", "-")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))

    def test_what_comes_before(self):
        # In doubles: two weights, their gradients and two slots for each.
        self.assertEqual(self.profile("fake/allocate")["prepared_bytes"], 8 * 4 * 2)

    def test_a_loop_by_hand_allocates_nothing(self):
        profile = self.profile("hand/naive")
        self.assertEqual(profile["allocations_per_step"], 0)
        self.assertEqual(profile["allocated_bytes_per_step"], 0)
        self.assertGreater(profile["prepared_bytes"], 0)

    def test_the_table_shows_them(self):
        table, _ = self.call("profile", "linreg-3x2", "--impl", "fake/allocate", plugins=FAKES)
        self.assertIn("  3 allocations (144 B) per step, 64 B before the first.\n", table)


class Compilation(ProgramTest):
    def graphs(self, *settings):
        schedule = 'optimizer.schedule={"kind":"cosine","steps":1000}'
        arguments = [word for setting in (schedule, *settings) for word in ("--set", setting)]
        output, _ = self.call("profile", "linreg-300x10", "--impl", "graph/eigen", *arguments, "--json")
        profile = json.loads(output)
        self.assertGreater(profile["steps"], 1000)
        return [record["calls"] for record in profile["records"] if record["op"] == "build"]

    def test_a_schedule_compiles_once(self):
        self.assertEqual(self.graphs(), [1])
        self.assertEqual(self.graphs("optimizer.kind=adam"), [1])

    def test_a_smaller_last_batch_is_a_graph_of_its_own(self):
        self.assertEqual(self.graphs("batch=64"), [2])


class Layers(ProgramTest):
    LAYERS = 5

    def setUp(self):
        super().setUp()
        layers = [{"width": 20, "activation": "relu"}] * (self.LAYERS - 1) + [{"width": 1}]
        scenario = {
            "name": "five", "purpose": "Layers are distinguished.", "favours": "Nobody.", "task": "train",
            "model": {"kind": "multilayer_perceptron", "layers": layers}, "loss": "mse",
            "data": {"source": "synthetic", "kind": "teacher", "rows": 100, "features": 10, "outputs": 1, "seed": 1},
            "batch": "full", "optimizer": {"kind": "sgd", "learning_rate": 0.001}, "dtype": "f32", "steps": 20,
            "initial_seed": 1,
        }
        self.write_json("five.json", scenario)

    def step_of(self, implementation):
        output, _ = self.call("profile", "five.json", "--impl", implementation, "--json")
        return [record for record in json.loads(output)["records"] if record["phase"] != "compile"]

    def test_tables_have_the_record_s_figures(self):
        profile = json.loads(self.call("profile", "five.json", "--impl", "hand/naive", "--json")[0])
        step, once = (content for section in profile["document"]["sections"]
                      for kind, content in parts_of(section["blocks"]) if kind == "table")
        times = [profile["load_seconds"] * 1e9, profile["prepare_seconds"] * 1e9, profile["first_step_ns"]]
        for row, name, time_ns in zip(once["rows"], ("load", "prepare", "first step"), times):
            self.assertEqual(row[0], name)
            self.assertTrue(is_time(row[-1], time_ns), row)
        for title, amount in (("GFLOP/s", "flops"), ("GB/s", "bytes")):
            rates = [number(record[amount] / record["time_ns"]) for record in profile["records"] if record["time_ns"]]
            for text in filter(None, (row[step["columns"].index(title)] for row in step["rows"])):
                self.assertTrue(any(rate.fits(text) for rate in rates), (title, text))

    def test_five_products_are_five(self):
        for implementation in ("hand/naive", "hand/eigen", "tape/eigen", "tape/eigen+replay", "graph/eigen"):
            with self.subTest(implementation=implementation):
                products = [record for record in self.step_of(implementation) if record["op"] == "product"]
                keys = ("phase", "use", "layers", "parameters")
                about = [tuple(record[key] for key in keys) for record in products]
                expected = [("forward", "reads", [layer], [f"w{layer}"]) for layer in range(self.LAYERS)]
                expected += [("backward", "gradient", [layer], [f"w{layer}"]) for layer in range(self.LAYERS)]
                expected += [("backward", "reads", [layer], [f"w{layer}"]) for layer in range(1, self.LAYERS)]
                self.assertEqual(sorted(about), sorted(expected))
                for record in products:
                    self.assertAlmostEqual(record["calls"], 1)

    def test_one_update_names_all_parameters(self):
        names = [f"{kind}{layer}" for layer in range(self.LAYERS) for kind in "wb"]
        for implementation in ("hand/naive", "graph/naive"):
            (update,) = [record for record in self.step_of(implementation) if record["phase"] == "update"]
            self.assertEqual((update["layers"], update["parameters"]), (list(range(self.LAYERS)), names))

    @unittest.skipUnless(HAS_JIT, "graph/jit is not built: no LLVM")
    def test_a_region_serves_all_layers(self):
        (region,) = self.step_of("graph/jit")
        self.assertEqual((region["op"], region["use"]), ("training region", "updates"))
        self.assertEqual(region["layers"], list(range(self.LAYERS)))

    def test_an_older_plugin_names_none(self):
        output, _ = self.call("profile", "linreg-3x2", "--impl", "plain/fake", "--json", plugins=f"{FAKES}/phases")
        for record in json.loads(output)["records"]:
            self.assertFalse({"layers", "parameters", "use"} & record.keys(), record)


if __name__ == "__main__":
    unittest.main()
