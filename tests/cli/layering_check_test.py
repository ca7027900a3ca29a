"""scripts/check-layering passes a clean tree and reports each wrong include, one per rule."""

import re

from program import SOURCE, ProgramTest

# Real files that include across folders, so that the clean tree is not an empty one.
COPIED = ["harness/abi/gdbench/plugin.h", "harness/base/result.h", "harness/base/shared_memory.h",
          "harness/scenario/problem.h", "harness/scenario/scenario.h", "harness/data/dataset.h",
          "harness/analysis/summarise.h", "implementations/backends/common/ops.h", "reports/answers/console.h"]

# Where something is put that the rules forbid, and the include: a row for each kind of rule.
WRONG = [
    ("harness/measure/wrong.cpp", '"implementations/backends/common/ops.h"'),
    ("harness/report/wrong.cpp", '"reports/answers/console.h"'),
    ("harness/base/wrong.h", '"harness/scenario/problem.h"'),
    ("harness/base/wrong.cpp", '"../scenario/problem.h"'),
    ("harness/measure/wrong_cli.cpp", '"app/command.h"'),  # which is not there
    ("harness/measure/wrong_abi.cpp", '"gdbench/plugin.h"'),
    ("harness/abi/gdbench/wrong.h", '"harness/base/result.h"'),
    ("harness/measure/wrong_test.cpp", '"tests/fakes/plugin_driver.h"'),
    # Libraries have one home.
    ("harness/measure/wrong_benchmark.cpp", "<benchmark/benchmark.h>"),
    ("harness/base/wrong_gtest.cpp", "<gtest/gtest.h>"),
    ("harness/stats/wrong_json.cpp", "<nlohmann/json.hpp>"),
    ("implementations/backends/naive/wrong_eigen.cpp", "<Eigen/Core>"),
    ("implementations/backends/naive/wrong_library.cpp", "<tbb/parallel_for.h>"),
    # Implementations see only the ABI of the harness; folders of one kind do not see each other.
    ("implementations/plugins/wrong.cpp", '"harness/base/result.h"'),
    ("implementations/strategies/hand/wrong.cpp", '"implementations/strategies/tape/tape.h"'),
    ("implementations/strategies/hand/wrong_backend.cpp", '"implementations/backends/naive/naive.h"'),
    ("implementations/backends/naive/wrong_strategy.cpp", '"implementations/strategies/common/strategy.h"'),
    # Renderers see only the report's model; examples only what is installed.
    ("reports/answers/wrong.cpp", '"harness/measure/scheduler.h"'),
    ("examples/plugin/wrong.c", '"harness/base/result.h"'),
    # A folder that nobody has placed.
    ("harness/novelty/wrong.cpp", "<vector>"),
]

RIGHT = [
    ("harness/worker/right.cpp", "<benchmark/benchmark.h>"), ("app/right_measure.cpp", '"harness/measure/scheduler.h"'),
    ("harness/base/right.cpp", "<sys/mman.h>"), ("implementations/backends/eigen/right.cpp", "<Eigen/Core>"),
    ("implementations/backends/eigen/right_shared.cpp", '"implementations/backends/common/buffers.h"'),
    ("implementations/strategies/loop/right.cpp", "<gdbench/plugin.h>"),
    ("implementations/plugins/right.cpp", '"implementations/strategies/hand/hand.h"'),
    ("tests/unit/right.cpp", '"implementations/backends/naive/naive.h"'),
]


class LayeringCheck(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_other("git", "init", "--quiet")
        for name in COPIED:
            self.write(name, (SOURCE / name).read_text())

    def check(self):
        done = self.run_other(SOURCE / "scripts/check-layering", self.folder, status=None)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def test_clean_tree_passes(self):
        for name, include in RIGHT:
            self.write(name, f"#include {include}\n")
        self.assertEqual(self.check(), (0, [f"layering: {len(COPIED) + len(RIGHT)} sources, 0 breaches"]))

    def test_each_wrong_include_is_reported_with_file_and_line(self):
        for name, include in WRONG:
            self.write(name, f"// comment\n#include <string>\n#  include {include}\n")
        status, lines = self.check()
        self.assertEqual(status, 1)
        for name, include in WRONG:
            with self.subTest(name=name, include=include):
                # A folder without a row is reported at its first line, before any include is judged.
                position = f"{name}:1: " if "novelty" in name else f"{name}:3: includes {include[1:-1]}: "
                self.assertEqual(len([line for line in lines if line.startswith(position)]), 1, lines)
        self.assertEqual(lines[-1], f"layering: {len(COPIED) + len(WRONG)} sources, {len(WRONG)} breaches")

    def test_paths_of_a_build_machine_are_reported_in_any_text(self):
        for name in ("README.md", "scripts/tool", "harness/base/path.cpp"):
            self.write(name, "first line\nread " + "/" + "home/somebody/data.csv\n")
        self.write("harmless.md", "see https://example.org/home/page and build/work/x\n")
        status, lines = self.check()
        self.assertEqual(status, 1)
        self.assertEqual([line.split(": ")[0] for line in lines[:-1]],
                         ["README.md:2", "harness/base/path.cpp:2", "scripts/tool:2"])

    def test_links_of_pages_that_lead_nowhere_are_reported(self):
        self.write("docs/one.md", "# First page\n\n"
                   "[a](two.md) [b](two.md#is-it-so) [c](#first-page) [d](https://x.y/z)\n")
        self.write("docs/two.md", "## Is it so?\n")
        self.assertEqual(self.check()[0], 0)
        self.write("docs/one.md", "[a](three.md) [b](two.md#is-it-not)\n[c](#first-page)\n")
        self.assertEqual(self.check()[1][:-1],
                         ["docs/one.md:1: three.md: a link to nothing",
                          "docs/one.md:1: two.md#is-it-not: a link to a section that is not there",
                          "docs/one.md:2: #first-page: a link to a section that is not there"])

    def test_a_picture_that_differs_from_the_table_is_reported(self):
        page = (SOURCE / "docs/architecture.md").read_text()
        picture = re.sub(r"\]\(.*?\)", "]", page)  # without its links
        for old, new, told in (
                ("  verify --> input\n", "  verify --> answers\n", "shows an arrow from verify to answers"),
                ("  verify --> input\n", "", "shows no way from harness/verify to harness/scenario"),
                ("ranks/mpi, worker:", "ranks/mpi:", "does not show harness/worker")):
            self.assertIn(old, picture)
            self.write("docs/architecture.md", picture.replace(old, new))
            status, lines = self.check()
            self.assertEqual(status, 1)
            self.assertTrue(any(told in line for line in lines), lines)
        self.write("docs/architecture.md", picture)
        self.assertEqual(self.check()[0], 0)

    def test_ignored_files_are_not_looked_at_and_a_long_one_is_a_warning(self):
        self.write(".gitignore", "/build/\n")
        self.write("build/harness/base/wrong.cpp", "#include <CLI/CLI.hpp>\n")
        self.write("harness/base/long.cpp", "\n" * 451)
        status, lines = self.check()
        self.assertEqual(status, 0)
        self.assertEqual(lines[0], "harness/base/long.cpp:1: warning: 451 lines, more than 450")
