"""Implementations that are right and not to be believed: none of them is given a time without a word."""
import unittest

from program import FAKES, ProgramTest


class Cheats(ProgramTest):
    EXPECTED = {
        "fake/early": "the answer came after",
        "fake/flush": "flushed to zero",
        "fake/remember": "a length that it had not seen",
        "fake/threads": "has 2 threads, declared 1",
    }

    def test_none_is_believed(self):
        selection = ("--scenario", "linreg-300x10", "--impl", "fake/*", "--impl", "hand/*", "--launches", "1")
        self.call("run", *selection, "--out", "x.json", plugins=FAKES + "/cheats", status=3)
        cells = {cell["implementation"]: cell for cell in self.read_json("x.json")["cells"]}
        for name, words in self.EXPECTED.items():
            status = cells[name]["status"]
            self.assertEqual(status["state"], "untrusted", f"{name}: {status}")
            self.assertIn(words, status["reason"], name)
            self.assertNotIn("summary", cells[name], name)
        for name, cell in cells.items():
            if name not in self.EXPECTED:
                self.assertIn(cell["status"]["state"], ("ok", "unsupported"), f"{name}: {cell['status']}")


if __name__ == "__main__":
    unittest.main()
