"""Data that are streamed from their file: the same trajectories as resident data, bit for bit, and clear errors."""

import gzip
import os
import sys
import unittest

from program import SOURCE, ProgramTest, options, soon

try:
    import numpy
except ImportError as error:
    raise unittest.SkipTest("NumPy is not installed (Debian: python3-numpy)") from error

ROWS, FEATURES, CLASSES = 700, 20, 4
BATCH = 64  # 10 full batches and one of 60 rows
STEPS = 25  # more than two epochs
# Three batches and a block, and not much more: the file is several times as large.
CAP = 200_000


class StreamTest(ProgramTest):
    def make_file(self, name, *arguments):
        maker = SOURCE / "scripts" / "make-stream-file"
        size = ["--rows", str(ROWS), "--features", str(FEATURES), "--classes", str(CLASSES)]
        self.run_other(sys.executable, maker, name, *size, *arguments)
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
        self.call("train", scenario, "--impl", implementation, "--steps", str(STEPS), "--dump", "dump",
                  *options("--set", settings))
        dump = self.folder / "dump"
        parameters = {path.name: path.read_bytes() for path in dump.glob("final_*.npy")}
        losses = numpy.loadtxt(dump / "loss.csv", delimiter=",", skiprows=1)[:, 1]
        self.assertEqual(len(parameters), 4)
        return parameters, losses

    def assert_same(self, expected, actual):
        self.assertEqual(expected[0], actual[0])
        numpy.testing.assert_allclose(actual[1], expected[1], rtol=1e-5)  # over pieces of another size

    def split_arrays(self, name, labels=True):
        table = numpy.load(self.folder / name)
        numpy.save(self.folder / "x.npy", table[:, :FEATURES])
        numpy.save(self.folder / "y.npy", table[:, FEATURES].astype("i4") if labels else table[:, FEATURES:])
        return {"source": "npy", "x": "x.npy", "y": "y.npy"}

    def test_a_file_gives_the_trajectory_of_resident_data(self):
        for name, stored, dtype in (("rows.csv", "f4", "f32"), ("rows.npy", "f4", "f64"), ("rows.npy", "f8", "f32")):
            path = self.make_file(name, "--dtype", stored)
            resident = {"source": "csv", "path": path, "targets": ["label"]}
            resident = self.split_arrays(path) if path.endswith(".npy") else resident
            expected = self.trajectory(self.scenario(resident), f"dtype={dtype}")
            for prefetch in (0, 2) if len(os.sched_getaffinity(0)) > 1 else (0,):
                with self.subTest(name=name, stored=stored, dtype=dtype, prefetch=prefetch):
                    settings = (f"dtype={dtype}", f"impl.prefetch={prefetch}")
                    self.assert_same(expected, self.trajectory(self.scenario(self.stream(path)), *settings))

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
        self.call("run", "--scenario", streamed, "--impl", "hand/eigen", "--quick", "--out", "report.json")
        notes = " ".join(self.read_json("report.json")["notes"])
        self.assertIn('cells are separated by ";"; 78 empty cells are the mean of their column; what is streamed are '
                      "the rows as numbers, a file of 0.118 MB", notes)
        (kept,) = (self.folder / "cache" / "gdbench" / "data").glob("*.npy")
        self.assertEqual(numpy.load(kept).shape, (ROWS, FEATURES + 1))

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
        process = self.start("run", "--scenario", "scenario.json", "--impl", "hand/eigen", "--launches", "100000",
                             "--budget", "60s", "--out", "x.json", "--details")
        self.assertTrue(soon(lambda: self.has_samples(0), 60))
        with open(self.folder / path, "r+b") as file:
            file.truncate(ROWS * FEATURES)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, output + errors)
        self.assertIn("the file was changed while it was in use", output)

    def test_what_cannot_be_streamed_is_one_clear_line(self):
        path = self.make_file("rows.csv")
        train = ["train", "scenario.json", "--impl", "hand/eigen"]
        self.scenario(self.stream(path), batch=BATCH)
        self.expect_error(train, "/batch/shuffle: found true, expected false (set batch.shuffle to false: a stream is "
                                 "read in order)")
        self.scenario(self.stream(path))
        self.expect_error([*train, "--set", "impl.loader=gather"], "streamed data, which are read in order", status=3)
        lines = self.read(path).split("\n")
        self.write(path, "\n".join(lines[:3] + ["many" + lines[3][lines[3].index(","):]] + lines[4:]))
        self.expect_error(train, 'line 4, column "x0": found "many", expected a finite number')
        self.scenario(self.stream(self.make_file("rows.npy")))
        with open(self.folder / "rows.npy", "r+b") as file:
            file.truncate(1000)
        self.expect_error(train, "(the file is cut off or too long)")
