"""watch: what changes while a model trains, of plugins whose changes are known."""

import re

from program import FAKES, ProgramTest, options

AGES = ("watch", "linreg-3x2", "--impl", "fake/ages")


class Watch(ProgramTest):
    def watched(self, *arguments, status=None, command=AGES):
        """The record; untimed steps lead in to each block, at the end of a training perhaps fewer."""
        record = self.json_of(*command, *arguments, plugins=FAKES, status=status)
        blocks = record["blocks"]
        ends = [record["warm_up_steps"], *(block["first"] + block["steps"] for block in blocks)]
        leads = [block["first"] - end for block, end in zip(blocks, ends)]
        self.assertEqual(set(leads[:-1]), {leads[0]})
        self.assertTrue(0 <= leads[-1] <= leads[0], leads)
        return record

    def test_kept_memory_is_found(self):
        record = self.watched("--set", "impl.kept_bytes=4000", "--steps", "9000", status=1)
        self.assertAlmostEqual(record["memory"]["bytes_per_step"], 4016, delta=250)
        self.assertEqual(record["blocks"][-1]["first"] + record["blocks"][-1]["steps"], 9000)
        answer = " ".join(record["document"]["answer"])
        self.assertRegex(answer, r"Memory grows by 3\.\d+ KiB a step: ")

    def test_slower_steps_are_found_where_they_begin(self):
        record = self.watched("--set", "impl.slower_after=5000", "--steps", "12000", "--html", "w.html", status=1)
        self.assertEqual(record["change"], "slower")
        begins = [level["first"] for level in record["levels"] if level["ratio"] > 2]
        self.assertAlmostEqual(begins[0], 5000, delta=1500)  # blocks that waited are left out
        said = re.search(r"(?:as long|slower) from step (\d+) on", " ".join(record["document"]["answer"]))
        self.assertIn(int(said[1]), begins)
        self.assertIn("<svg", self.read("w.html"))

    def test_pauses_are_found(self):
        record = self.watched("--set", "impl.pause_every=1000", "--steps", "12000")
        self.assertGreaterEqual(record["pauses"]["blocks"], 9)
        self.assertGreater(record["pauses"]["worst_ns"], 10e6)  # less what it waited

    def test_a_worker_that_ends_leaves_what_was_seen(self):
        output, _ = self.call(*AGES, "--set", "impl.kept_bytes=100000", "--steps", "9000", "--memory-cap", "0.25",
                              plugins=FAKES, status=3)
        self.assertRegex(output, "Ended before its time: (run: )?used ")
        self.assertRegex(output, r"Memory grows by 9\d\.\d KiB a step")

    def test_what_is_computed_is_seen(self):
        settings = ("rows=64", "width=8", "optimizer.weight_decay=5", "learning_rate=0.02")
        command = ("watch", "denormals-mlp", *options("--set", settings), "--steps", "4000", "--impl")
        record = self.watched(command=(*command, "hand/naive"))
        looks = [block["subnormals"] for block in record["blocks"] if "subnormals" in block]
        self.assertEqual(looks[0], {"state": 0, "activations": 0, "gradients": 0})
        self.assertGreater(looks[-1]["state"], 0.9)
        losses = [block["loss"] for block in record["blocks"] if "loss" in block]
        self.assertTrue(all(0 < loss < 1 for loss in losses) and len(losses) > 1, losses)
        self.assertNotIn("control", record)  # which would be itself
        self.assertIn("are denormal, at first hardly any are", " ".join(record["document"]["answer"]))
        # What is flushed is none.
        record = self.watched(command=(*command, "hand/eigen", "--set", "denormals=flush"))
        self.assertTrue(record["flushes_to_zero"])
        self.assertEqual([b["subnormals"]["state"] for b in record["blocks"] if "subnormals" in b][-1], 0)

    def test_bad_input(self):
        for words, *parts in (
            ("linreg-3x2 --steps 9 --for 1s", "--steps excludes --for"),
            ("linreg-3x2 --control hand/nobody", 'found "hand/nobody"'),
            ("linreg-3x2 --margin much", "--margin", "much"),
            ("linreg-3x2 --impl fake/wrong", "is not watched, it is wrong"),
        ):
            self.expect_error(["watch", *words.split()], *parts, plugins=FAKES)
