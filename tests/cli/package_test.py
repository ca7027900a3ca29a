"""The Debian package in a root without the sources: installed, run, upgraded and removed, as Debian does it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from program import PROGRAM, SOURCE

BUILD = pathlib.Path(PROGRAM).parents[1]
INSTALLED = (
    "usr/bin/gdbench", "usr/include/gdbench/plugin.h", "usr/share/gdbench/scenarios/linreg-3x2.json",
    "usr/share/bash-completion/completions/gdbench", "usr/share/doc/gdbench/copyright",
    "usr/share/doc/gdbench/gdbench.spdx.json",
)


def missing():
    if os.environ.get("GDBENCH_SLOW_TESTS") != "1":
        return "it takes four minutes; GDBENCH_SLOW_TESTS=1 runs it"
    programs = [name for name in ("debootstrap", "cpack", "dpkg-shlibdeps", "unshare") if not shutil.which(name)]
    if programs:
        return f"there is no {programs[0]}"
    if os.geteuid() != 0:
        return "only root makes another root"
    release = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    return "" if "VERSION_CODENAME=bookworm\n" in release else "this is not Debian 12, whose libraries were linked"


@unittest.skipIf(missing(), missing())
class Package(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gdbench-package-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.root = self.folder / "root"

    def pack(self, folder, *arguments):
        """The only package that is then in the folder, which lies in the root."""
        out = self.root / folder
        line = [SOURCE / "scripts/package", "--build", BUILD, "--out", out, *arguments]
        done = subprocess.run(line, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 2 and "linked to a Python package" in done.stderr:
            self.skipTest("this build is linked to frameworks, which scripts/package refuses")
        self.assertEqual(done.returncode, 0, done.stderr)
        (package,) = out.glob("*.deb")
        return package

    def inside(self, *command):
        """Runs it in the root, of which alone it sees processes and files; returns what it printed."""
        line = ["unshare", "--mount", "--pid", "--fork", f"--root={self.root}", "--mount-proc", *command]
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(line, env=variables, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def check_program(self, version):
        self.assertEqual(self.inside("dpkg-query", "--show", "--showformat=${Version}", "gdbench"), version)
        self.assertTrue(self.inside("gdbench", "--version").startswith("gdbench "))
        rows = self.inside("gdbench", "verify", "--scenario", "linreg-3x2")
        for implementation in ("loop/plain", "hand/naive", "tape/eigen"):
            self.assertRegex(rows, rf"{implementation} .*\bok\b")

    def files_of_package(self):
        paths = [self.root / line[1:] for line in self.inside("dpkg", "--listfiles", "gdbench").splitlines()]
        return [path for path in paths if path.is_file() or "gdbench" in path.name]

    def check_files(self):
        files = self.files_of_package()
        for name in INSTALLED:
            self.assertIn(self.root / name, files)
        for path in filter(pathlib.Path.is_file, files):
            content = path.read_bytes()
            self.assertEqual(path.stat().st_mode & 0o022, 0, path)
            # The folder of environments is an answer that the configuration gives; scripts/package gives another.
            self.assertNotIn(bytes(BUILD), content.replace(bytes(SOURCE / "build/frameworks"), b""), path)
            if content.startswith(b"\x7fELF"):
                dynamic = subprocess.run(["readelf", "--dynamic", path], capture_output=True, text=True, check=True)
                self.assertNotRegex(dynamic.stdout, r"(RPATH|RUNPATH).*\[/", path)

    def test_it_is_installed_upgraded_and_removed(self):
        first = self.pack("first")
        self.assertEqual(self.pack("again").read_bytes(), first.read_bytes(), "packing twice makes two packages")
        debootstrap = ["debootstrap", "--variant=minbase", "bookworm", self.root]
        done = subprocess.run(debootstrap, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest(f"debootstrap: {(done.stdout.strip() or 'no output').splitlines()[-1]}")

        self.inside("apt-get", "update")
        self.inside("apt-get", "install", "--yes", "--no-install-recommends", f"/first/{first.name}")
        self.check_program(first.name.split("_")[1])
        self.check_files()
        files = self.files_of_package()

        second = self.pack("second", "--version", "99.1")
        self.inside("apt-get", "install", "--yes", "--no-install-recommends", f"/second/{second.name}")
        self.check_program("99.1")

        self.inside("apt-get", "purge", "--yes", "gdbench")
        self.assertEqual([path for path in files if path.exists()], [])
