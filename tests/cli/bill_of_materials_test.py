"""The bill of materials: a document of SPDX 2.3 that names every library that something of the build is linked to."""

import json
import pathlib
import re
import subprocess
import unittest

from program import PROGRAM

BUILD = pathlib.Path(PROGRAM).parents[1]
PACKAGES = {
    r"ld-linux.*|lib(c|m|dl|rt|pthread)": None,  # the C library, which every program has
    r"lib(stdc\+\+|gcc_s|gomp|asan|ubsan)": "GCC runtime libraries", "libbenchmark": "Google Benchmark",
    "libdnnl": "oneDNN", "libadolc": "ADOL-C", "libz": "zlib", "libzstd": "zstd", "libtinfo": "ncurses",
    "libmpi": "Open MPI", "libmpich": "MPICH", "libtbb": "Stan Math", "libcasadi": "CasADi",
    "lib(torch|torch_cpu|c10)": "libtorch",
}


def needed(file):
    dynamic = subprocess.run(["readelf", "--dynamic", file], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*?)\.so", dynamic)


class BillOfMaterials(unittest.TestCase):
    def setUp(self):
        self.bill = json.loads((BUILD / "generated/gdbench.spdx.json").read_text(encoding="utf-8"))
        self.packages = {package["name"]: package for package in self.bill["packages"]}

    def test_what_is_linked_is_listed(self):
        files = [pathlib.Path(PROGRAM), *(BUILD / "lib/gdbench").rglob("*.so")]
        for library in {library for file in files for library in needed(file)}:
            names = [name for pattern, name in PACKAGES.items() if re.fullmatch(pattern, library)]
            self.assertEqual(len(names), 1, library)
            self.assertIn(names[0], {None, *self.packages})

    def test_the_fields_of_spdx(self):
        self.assertEqual((self.bill["spdxVersion"], self.bill["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        self.assertRegex(self.bill["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        ids = [package["SPDXID"] for package in self.bill["packages"]]
        self.assertEqual(len(set(ids)), len(ids))
        related = [(line["spdxElementId"], line["relatedSpdxElement"]) for line in self.bill["relationships"]]
        self.assertEqual({end for line in related for end in line}, {"SPDXRef-DOCUMENT", *ids})
        for name in ("nlohmann_json", "CLI11", "Eigen", "Boost.Math", "Google Benchmark", "GoogleTest"):
            self.assertRegex(self.packages[name]["versionInfo"], r"^\d+\.\d+")
        for package in self.bill["packages"]:
            self.assertRegex(package["licenseDeclared"], r"^[A-Za-z0-9.-]+( (WITH|OR|AND) [A-Za-z0-9.-]+)?$")
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
