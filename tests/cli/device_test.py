"""Cells on a device: its own clock beside the wall clock, what it says of itself, and profiles by its clock."""

from program import FAKES, ProgramTest, options


class Device(ProgramTest):
    variables = {"LD_LIBRARY_PATH": FAKES + "/nvml", "CUDA_VISIBLE_DEVICES": "1"}

    def test_both_clocks_and_the_state_are_in_the_report(self):
        devices = ("hand/emulated_cuda", "graph/emulated_cuda+device-graph", "fused/emulated_cuda")
        selection = options("--impl", ("hand/naive", *devices))
        self.call("run", "--scenario", "linreg-300x10", *selection, "--launches", "1", "--out", "x.json",
                  plugins=FAKES + "/emulated")
        cells = self.cells_by_name()
        self.assertNotIn("device", cells["hand/naive"]["launches"][0])
        self.assertFalse([s for s in cells["hand/naive"]["samples"] if "device_ns" in s])
        for name in devices:
            cell = cells[name]
            self.assertEqual(cell["status"]["state"], "ok", f"{name}: {cell['status']}")
            for sample in cell["samples"]:
                device_ns, wall_ns = (sample[key] * sample["steps"] for key in ("device_ns", "real_ns"))
                self.assertGreater(device_ns, 0)
                self.assertLessEqual(device_ns, 1.01 * wall_ns + 2e4)
            self.assertEqual(cell["launches"][0]["device"]["last"]["clock_mhz"], 1410)
            clocks = {record["op"]: record["clock"] for record in cell["profile"]["records"]}
            self.assertIn("device", clocks.values(), clocks)
            for op in ("launching", "launching and waiting"):
                self.assertEqual(clocks.get(op, "host"), "host")
        words = ("device Example Device 1: clock 1410 MHz, clock of the memory 2619 MHz, up to 88 degrees Celsius, "
                 "700 W; throttled: power cap, temperature")
        output, _ = self.call("report", "x.json")
        self.assertIn(words, " ".join(output.split()))
        notes = self.read_json("x.json")["notes"]
        self.assertTrue(any("the device was throttled while" in note for note in notes), notes)
