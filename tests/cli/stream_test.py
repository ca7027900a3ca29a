"""Data that are streamed from their file: the same trajectories as resident data, bit for bit, and clear errors."""

import gzip
import itertools
import os
import subprocess
import sys
import unittest

from program import SOURCE, ProgramTest, soon

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed (Debian: python3-numpy)")
    sys.exit(77)

ROWS, FEATURES, CLASSES = 700, 20, 4
BATCH = 64  # 10 full batches and one of 60 rows
STEPS = 25  # more than two epochs
# Three batches and a block, and not much more: the file is several times as large.
CAP = 200_000


class StreamTest(ProgramTest):
    def make_file(self, name, *arguments):
        maker = SOURCE / "scripts" / "make-stream-file"
        size = ["--rows", str(ROWS), "--features", str(FEATURES), "--classes", str(CLASSES)]
        subprocess.run([sys.executable, str(maker), str(self.folder / name), *size, *arguments], check=True,
                       stdout=subprocess.DEVNULL)
        return name

    def scenario(self, data, **changes):
        scenario = {
            "name": "streamed",
            "model": {"kind": "multilayer_perceptron",
                      "layers": [{"width": 8, "activation": "tanh"}, {"width": CLASSES}]},
            "loss": "softmax_cross_entropy", "data": data, "batch": {"rows": BATCH, "shuffle": False},
            "optimizer": {"learning_rate": 0.1}, "standardise": {"features": True}, **changes,
        }
        return self.write_json("scenario.json", scenario)

    def stream(self, path, **more):
        targets = ["label"] if path.endswith(".csv") else [FEATURES]
        return {"source": "stream", "path": path, "targets": targets, "memory_cap": CAP, **more}

    def trajectory(self, scenario, *settings, implementation="hand/eigen"):
        """The trained parameters' bytes and the losses."""
        arguments = [argument for setting in settings for argument in ("--set", setting)]
        self.call("train", scenario, "--impl", implementation, "--steps", str(STEPS), "--dump", "dump", *arguments)
        dump = self.folder / "dump"
        parameters = {path.name: path.read_bytes() for path in dump.glob("final_*.npy")}
        losses = numpy.loadtxt(dump / "loss.csv", delimiter=",", skiprows=1)[:, 1]
        self.assertEqual(len(parameters), 4)
        return parameters, losses

    def assert_same(self, expected, actual):
        self.assertEqual(expected[0], actual[0])
        numpy.testing.assert_allclose(actual[1], expected[1], rtol=1e-5)  # over pieces of another size

    def prefetches(self):
        return [0, 2] if len(os.sched_getaffinity(0)) > 1 else [0]

    def split_arrays(self, name, labels=True):
        table = numpy.load(self.folder / name)
        numpy.save(self.folder / "x.npy", table[:, :FEATURES])
        numpy.save(self.folder / "y.npy", table[:, FEATURES].astype("i4") if labels else table[:, FEATURES:])
        return {"source": "npy", "x": "x.npy", "y": "y.npy"}

    def test_a_csv_file_gives_the_trajectory_of_resident_data(self):
        path = self.make_file("rows.csv")
        resident = {"source": "csv", "path": path, "targets": ["label"]}
        for dtype in ("f32", "f64"):
            expected = self.trajectory(self.scenario(resident), f"dtype={dtype}")
            for prefetch in self.prefetches():
                actual = self.trajectory(self.scenario(self.stream(path)), f"dtype={dtype}",
                                         f"impl.prefetch={prefetch}")
                self.assert_same(expected, actual)

    def test_a_file_as_people_have_them_is_converted_once(self):
        """Names of classes, another separator, missing numbers, compressed: the same as resident, read from a file."""
        with open(self.folder / self.make_file("plain.csv"), encoding="utf-8") as plain:
            header, *rows = (line.strip().split(",") for line in plain)
        rows = [["?" if i % 9 == 0 else row[0], *row[1:-1], f"class {row[-1]}"] for i, row in enumerate(rows)]
        with gzip.open(self.folder / "rows.csv.gz", "wt") as file:
            file.writelines(";".join(row) + "\n" for row in [header, *rows])
        keys = {"path": "rows.csv.gz", "targets": ["label"], "missing": ["?"], "empty_cells": "mean"}
        expected = self.trajectory(self.scenario({"source": "csv", **keys}))
        self.variables = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        streamed = self.scenario({"source": "stream", **keys, "memory_cap": CAP})
        self.assert_same(expected, self.trajectory(streamed))
        (kept,) = (self.folder / "cache" / "gdbench" / "data").glob("*.npy")
        self.assertEqual(numpy.load(kept).shape, (ROWS, FEATURES + 1))
        written = kept.stat().st_ctime_ns
        self.call("run", "--scenario", streamed, "--impl", "hand/eigen", "--quick", "--out", "report.json")
        self.assertEqual(numpy.load(kept).shape, (ROWS, FEATURES + 1))
        notes = " ".join(self.read_json("report.json")["notes"])
        self.assertIn('cells are separated by ";"; 78 empty cells are the mean of their column; what is streamed are the '
                      "rows as numbers, a file of 0.118 MB", notes)
        self.call("verify", "--scenario", streamed, "--impl", "hand/eigen", "--no-cache")
        self.assertEqual([file.name for file in kept.parent.glob("*.npy")], [kept.name])
        self.assertGreater(kept.stat().st_ctime_ns, written, "the time of its last use")

    def test_an_npy_file_gives_the_trajectory_of_resident_data(self):
        for stored, dtype in itertools.product(("f4", "f8"), ("f32", "f64")):
            path = self.make_file("rows.npy", "--dtype", stored)
            expected = self.trajectory(self.scenario(self.split_arrays(path)), f"dtype={dtype}")
            for prefetch in self.prefetches():
                actual = self.trajectory(self.scenario(self.stream(path)), f"dtype={dtype}",
                                         f"impl.prefetch={prefetch}")
                self.assert_same(expected, actual)

    def test_every_strategy_streams_numeric_targets(self):
        path = self.make_file("rows.npy", "--targets", "2")
        model = {"kind": "multilayer_perceptron", "layers": [{"width": 8, "activation": "tanh"}, {"width": 2}]}
        changes = {"model": model, "loss": "mse", "standardise": {"features": False, "targets": True}}
        streamed = self.stream(path, targets=[FEATURES, FEATURES + 1])
        resident = self.split_arrays(path, labels=False)
        for implementation in ("hand/naive", "tape/eigen", "tape/eigen+replay", "graph/eigen"):
            expected = self.trajectory(self.scenario(resident, **changes), implementation=implementation)
            actual = self.trajectory(self.scenario(streamed, **changes), implementation=implementation)
            self.assert_same(expected, actual)

    def test_columns_may_be_chosen_in_any_order(self):
        path = self.make_file("rows.csv")
        names = ["x7", "x2", "x11"]
        streamed = self.trajectory(self.scenario(self.stream(path, features=names)))
        resident = {"source": "csv", "path": path, "targets": ["label"], "features": names}
        self.assert_same(self.trajectory(self.scenario(resident)), streamed)

    def test_a_run_verifies_times_and_notes_memory(self):
        path = self.make_file("rows.npy")
        self.scenario(self.stream(path))
        self.call("run", "--scenario", "scenario.json", "--impl", "hand/eigen", "--impl", "graph/eigen", "--quick",
                  "--out", "report.json")
        report = self.read_json("report.json")
        size = (self.folder / path).stat().st_size
        for cell in self.cells_of(report):
            self.assertEqual(cell["status"]["state"], "ok", cell["status"]["reason"])
            launch = cell["launches"][0]
            self.assertGreater(launch["peak_anonymous_bytes"], 0)
            self.assertLess(launch["peak_anonymous_bytes"], launch["peak_resident_bytes"])
            self.assertEqual(launch["cached_file_bytes"], size)
            self.assertEqual(cell["summary"]["peak_anonymous_bytes"], launch["peak_anonymous_bytes"])
            self.assertIn("data", {record["phase"] for record in cell["profile"]["records"]})

    def test_a_file_that_changes_while_it_is_read_is_an_error_of_its_own(self):
        path = self.make_file("rows.npy")
        self.scenario(self.stream(path))
        with self.start("run", "--scenario", "scenario.json", "--impl", "hand/eigen", "--launches", "100000",
                        "--budget", "60s", "--out", "report.json", "--details") as process:
            soon(lambda: any(b'"sample"' in file.read_bytes() for file in self.folder.glob("*journal*")), 60)
            with open(self.folder / path, "r+b") as file:
                file.truncate(ROWS * FEATURES)
            output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, output + errors)
        self.assertIn("the file was changed while it was in use", output)

    def assert_refused(self, message, data, **changes):
        self.expect_error(["train", self.scenario(data, **changes), "--impl", "hand/eigen"], message)

    def test_what_cannot_be_streamed_is_one_clear_line(self):
        path = self.make_file("rows.csv")
        self.assert_refused("/batch/shuffle: found true, expected false (set batch.shuffle to false: a stream is read "
                            "in order)", self.stream(path), batch=BATCH)
        self.assert_refused("/data/memory_cap: found 1000, expected at least 147200 bytes, for three batches of 64 "
                            "rows",
                            self.stream(path, memory_cap=1000))
        self.assert_refused("/data/memory_cap", self.stream(path), batch="full")
        self.assert_refused('line 1: found no column "lable"', self.stream(path, targets=["lable"]))
        self.assert_refused("/data/targets: found nothing", {"source": "stream", "path": path})
        lines = (self.folder / path).read_text().split("\n")
        self.write("word.csv", "\n".join(lines[:3] + ["many" + lines[3][lines[3].index(","):]] + lines[4:]))
        self.assert_refused('line 4, column "x0": found "many", expected a finite number', self.stream("word.csv"))
        table = self.make_file("rows.npy")
        self.assert_refused("/data/targets: found \"21\", expected column numbers from 0 to 20",
                            self.stream(table, targets=[21]))
        with open(self.folder / table, "r+b") as file:
            file.truncate(1000)
        self.assert_refused("(the file is cut off or too long)", self.stream(table))

    def test_other_loaders_and_too_many_batches_ahead_are_unsupported(self):
        path = self.make_file("rows.npy")
        scenario = self.scenario(self.stream(path, memory_cap=150_000))
        _, errors = self.call("train", scenario, "--impl", "hand/eigen", "--set", "impl.loader=gather", status=3)
        self.assertIn("streamed data, which are read in order", errors)
        if len(os.sched_getaffinity(0)) > 1:
            _, errors = self.call("train", scenario, "--impl", "hand/eigen", "--set", "impl.prefetch=8", status=3)
            self.assertIn("9 batches and a block of the file take", errors)


if __name__ == "__main__":
    unittest.main()
