"""Which BLAS `library` opens, what is recorded of it, and what is said of one that is not there."""

import pathlib
import platform

from program import ProgramTest

FOLDER = pathlib.Path("/usr/lib") / f"{platform.machine()}-linux-gnu"
# Of Debian's packages: what the option names, a file, and what the library must say of itself.
DEBIAN = {
    "openblas": ("openblas-openmp/libopenblas.so.0", "OpenBLAS"), "blis": ("blis-serial/libblis.so.4", "BLIS"),
    "reference": ("blas/libblas.so.3", "a BLAS that says nothing of itself"), "libxsmm": (None, "libxsmm"),
}


class BlasTest(ProgramTest):
    def cell(self, library, *arguments, scenario="mlp-10-50-1", status=0):
        selection = ("--scenario", scenario, "--impl", "hand/blas", "--set", f"impl.library={library}")
        self.call("run", "--quick", *selection, *arguments, "--out", "x.json", "--overwrite", status=status)
        [cell] = self.read_json("x.json")["cells"]
        return cell

    def test_each_of_debian_is_opened_and_named(self):
        by_path = {str(FOLDER / DEBIAN["blis"][0]): DEBIAN["blis"]}
        for library, (file, words) in {**DEBIAN, **by_path}.items():
            with self.subTest(library):
                if file is not None and not (FOLDER / file).exists():
                    self.skipTest(f"{file} is not installed")
                cell = self.cell(library, status=None if library == "libxsmm" else 0)
                if library == "libxsmm" and cell["status"]["state"] == "unsupported":
                    self.assertIn("not installed: libxsmm", cell["status"]["reason"])
                    continue
                self.assertEqual(cell["status"]["state"], "ok", cell["status"])
                self.assertIn(words, cell["runtime"]["library"])

    def test_what_is_none_says_so(self):
        for library, words in {
            "nonsense": 'library: found "nonsense", expected openblas, blis',
            "/nowhere/libblas.so": "cannot open the BLAS: /nowhere/libblas.so",
            "libm.so.6/../libm.so.6": "cannot open the BLAS", str(FOLDER / "libm.so.6"): "does not export CBLAS",
        }.items():
            status = self.cell(library, status=4)["status"]
            self.assertEqual(status["state"], "unsupported", status)
            self.assertIn(words, status["reason"])
        # A library without threads refuses them.
        arguments = ("--threads", "2", "--set", "impl.sharing=library")
        status = self.cell("reference", *arguments, scenario="mlp-784-128-10", status=4)["status"]
        self.assertEqual(status["state"], "unsupported", status)
        self.assertRegex(status["reason"], "has no threads of its own|not installed")
