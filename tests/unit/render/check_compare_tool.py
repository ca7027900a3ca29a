"""Runs Google Benchmark's own compare.py on an exported report, compared with itself.

usage: check_compare_tool.py EXPORT

Exit status 77: compare.py or what it imports is missing (Debian: libbenchmark-tools and python3-scipy).
"""

import json
import os
import subprocess
import sys

TOOL = os.environ.get("GDBENCH_COMPARE_PY", "/usr/share/benchmark/compare.py")


def main():
    if not os.path.exists(TOOL):
        print(f"skipped: {TOOL} is missing; Debian's package is libbenchmark-tools")
        return 77
    try:
        import scipy  # noqa: F401: compare.py needs it
    except ImportError as error:
        print(f"skipped: {error}; Debian's package is python3-scipy")
        return 77
    export = sys.argv[1]
    done = subprocess.run(
        [sys.executable, TOOL, "--no-color", "benchmarks", export, export], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stderr)
        return 1
    with open(export, encoding="utf-8") as file:
        entries = json.load(file)["benchmarks"]
    timed = {entry["run_name"] for entry in entries if not entry.get("error_occurred")}
    missing = [name for name in timed if f"{name} " not in done.stdout]
    for name in missing:
        print(f"compare.py does not show {name}")
    return 1 if missing or not timed else 0


if __name__ == "__main__":
    sys.exit(main())
