"""`gdbench profile`: what it says of allocations, and how often a graph is compiled."""

import json
import pathlib
import unittest

from program import FAKES, PROGRAM, ProgramTest

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

    def test_what_comes_before(self):
        # In doubles: two weights, the bias that it keeps anyway, and their gradients.
        self.assertEqual(self.profile("fake/allocate")["prepared_bytes"], 8 * (2 + 1 + 3))

    def test_a_loop_by_hand_allocates_nothing(self):
        profile = self.profile("hand/naive")
        self.assertEqual(profile["allocations_per_step"], 0)
        self.assertEqual(profile["allocated_bytes_per_step"], 0)
        self.assertGreater(profile["prepared_bytes"], 0)

    def test_the_table_shows_them(self):
        table, _ = self.call("profile", "linreg-3x2", "--impl", "fake/allocate", plugins=FAKES)
        self.assertIn("  3 allocations (144 B) per step, 48 B before the first\n", table)


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


if __name__ == "__main__":
    unittest.main()
