"""gdbench data convert: what pandas reads as what scenarios read, and one line where that does not work."""

import sys
import unittest

from program import SOURCE, ProgramTest, linear_scenario

PANDAS = SOURCE / "build" / "consumers" / "bin" / "python"
ROWS = [{"weight": 0.5 * i, "color": ["red", "blue"][i % 2], "y": i} for i in range(40)]


class ConvertTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write_json("rows.json", ROWS)

    def convert(self, *files, python=PANDAS, status=0):
        return self.call("data", "convert", *files, "--python", str(python), status=status)

    @unittest.skipUnless(PANDAS.exists(), "scripts/consumers installs pandas from PyPI")
    def test_a_table_becomes_a_file_that_a_scenario_reads(self):
        self.write_json("numbers.json", [{"a": row["weight"], "y": row["y"]} for row in ROWS])
        read = {"source": "csv", "path": "rows.csv.gz", "targets": ["y"], "one_hot": ["color"]}
        stream = {"source": "stream", "path": "rows.npy", "targets": [1]}
        for file, out, said, changes in (
            ("rows.json", "rows.csv.gz", "40 rows of weight, color, y", {"data": read}),
            ("numbers.json", "rows.npy", "40 rows of a, y", {"data": stream, "batch": {"rows": 8, "shuffle": False}}),
        ):
            self.assertEqual(self.convert(file, out)[0], f"{out}: {said}\n")
            self.write_json("s.json", linear_scenario(optimizer={"learning_rate": 0.001}, **changes))
            self.call("verify", "--scenario", "s.json", "--impl", "hand/eigen")

    @unittest.skipUnless(PANDAS.exists(), "scripts/consumers installs pandas from PyPI")
    def test_says_what_cannot_be_converted(self):
        self.write("broken.json", "[")
        self.write("rows.pickle", "")
        for file, out, expected in (
            ("rows.json", "rows.npy", "rows.npy: found column 'color' of type "),
            ("broken.json", "rows.csv", "broken.json: ValueError: "),
            ("rows.pickle", "rows.csv", "rows.pickle: found .pickle, expected one of .parquet .feather"),
            ("rows.json", "rows.xlsx", "rows.xlsx: found another end, expected one of .csv .csv.gz .csv.zst .npy"),
            ("rows.json", "nowhere/rows.csv", "nowhere"),
        ):
            _, errors = self.convert(file, out, status=2)
            self.assertEqual(errors.count("\n"), 1, errors)
            self.assertIn(expected, errors)

    def test_a_python_without_pandas_is_named(self):
        self.write("without/pandas.py", "raise ImportError('none')\n")
        self.variables = {"PYTHONPATH": str(self.folder / "without")}
        _, errors = self.convert("rows.json", "rows.csv", python=sys.executable, status=2)
        self.assertEqual(errors, f"gdbench: {sys.executable} has no pandas, "
                                 "which reads .json (--python names one that has)\n")
        self.expect_error(["data", "convert", "rows.json", "rows.csv", "--python", "/nowhere"],
                          'found "/nowhere", expected a Python interpreter')
