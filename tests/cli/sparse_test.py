"""Features of which most are 0, dense and in compressed sparse rows."""

import unittest

from program import ProgramTest

SCENARIO = {
    "name": "mine",
    "model": {
        "kind": "multilayer_perceptron",
        "layers": [{"width": 8, "activation": "relu"}, {"width": 2, "activation": "identity"}],
    },
    "data": {"source": "synthetic", "kind": "teacher", "rows": 50, "features": 60, "outputs": 2, "density": 0.05},
    "optimizer": {"learning_rate": 0.02},
}
CSR = ("--set", "impl.features=csr")


class Sparse(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write_json("mine.json", SCENARIO)

    def verify(self, *arguments):
        return self.call("verify", "--scenario", "./mine.json", *arguments)[0]

    def test_csr_is_verified_like_any_other_cell(self):
        for settings in ((), ("--set", "dtype=f64"), ("--set", "batch=16"), ("--set", "task=gradients")):
            output = self.verify("--impl", "hand/eigen", "--impl", "graph/eigen", *CSR, *settings)
            for strategy in ("hand", "graph"):
                self.assertRegex(output, rf"{strategy}/eigen features=csr\s+ok ")

    def test_a_backend_without_it_says_so(self):
        output = self.verify("--impl", "hand/naive", "--impl", "hand/eigen", *CSR)
        self.assertRegex(output, r"hand/naive features=csr\s+unsupported\s+the backend naive has no products of csr")
        self.assertRegex(output, r"hand/eigen features=csr\s+ok ")

    def test_a_matrix_with_both(self):
        matrix = {
            "name": "both",
            "axes": {"implementation": ["hand/eigen"], "data.density": [1, 0.05], "impl.features": ["dense", "csr"]},
            "baseline": "hand/eigen",
        }
        self.write_json("both.json", matrix)
        self.call("run", "./both.json", "--scenario", "./mine.json", "--quick", "--out", "x.json")
        cells = self.read_json("x.json")["cells"]
        self.assertEqual(len(cells), 4)
        for cell in cells:
            self.assertEqual(cell["status"], {"state": "ok", "reason": ""})
        flops = {}
        for cell in cells:
            products = (record for record in cell["profile"]["records"] if record["op"] == "product")
            flops[cell["id"]] = sum(record["flops"] for record in products)
        (sparse,) = (value for key, value in flops.items() if "density=0.05" in key and "features=csr" in key)
        (dense,) = (value for key, value in flops.items() if "density=0.05" in key and "features=csr" not in key)
        self.assertLess(sparse, 0.15 * dense)
        # Skipping zeros is allowed: what a dense step needs is no ceiling here.
        masked = [cell for cell in cells if "density=0.05" in cell["id"]]
        self.assertTrue(all("ceiling" not in cell["summary"] for cell in masked))


if __name__ == "__main__":
    unittest.main()
