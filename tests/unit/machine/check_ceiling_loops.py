"""Checks the assembly of the loops that ceilings are measured with: the hot loops touch no stack.

usage: check_ceiling_loops.py LIBRARY_OR_OBJECT

A loop whose accumulators are spilled shows half the rate, and every share of a ceiling would be twice too high.
Exit status 77: objdump is missing, nothing was checked.
"""

import re
import shutil
import subprocess
import sys

# Kind of loop -> instructions on whole vectors that its hot loop has at least: arithmetic, loads where it reads.
LEAST_INSTRUCTIONS = {"fma_rate": 12, "fma_latency": 4, "addition_latency": 4, "read": 6, "update": 4, "function": 4}
# Arithmetic of two types, reads of one to four streams, updates of one to three arrays with and without another one.
LOOPS_PER_WIDTH = 3 * 2 + 4 + 3 * 2
FUNCTIONS = 5 + 3  # of f32 and of f64, where only AVX-512 has estimates for the two refined ones
WIDTHS = {"vector_kernels_sse2": "xmm", "vector_kernels_avx2": "ymm", "vector_kernels_avx512f": "zmm"}
EXPECTED_LOOPS = {width: LOOPS_PER_WIDTH + FUNCTIONS + (2 if "512" in width else 0) for width in WIDTHS}

MEMBER = re.compile(r"^(\S+):\s+file format")
FUNCTION = re.compile(r"^[0-9a-f]+ <.*?\b(fma_rate|fma_latency|addition_latency|read|update|function)\b.*>:$")
ANY_FUNCTION = re.compile(r"^[0-9a-f]+ <.*>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
JUMP = re.compile(r"^j\w+\s+([0-9a-f]+)\b")
ARITHMETIC = re.compile(r"^v?(fn?m(add|sub)|add|sub|mul|div|sqrt)\w*\s")
LOAD = re.compile(r"^v?(p?xor|pternlog|mov)\w*\s[^%]*\(")  # memory is the first operand
STACK = re.compile(r"\(%r[sb]p")


def functions(text):
    """Yields (member of the archive, kind of loop, [(address, instruction)])."""
    member, kind, body = "", None, []
    for line in text.splitlines():
        if found := MEMBER.match(line):
            member = found.group(1)
        elif ANY_FUNCTION.match(line):
            if kind:
                yield origin, kind, body
            found = FUNCTION.match(line)
            origin, kind, body = member, found.group(1) if found else None, []
        elif kind and (found := INSTRUCTION.match(line)):
            body.append((int(found.group(1), 16), found.group(2)))
    if kind:
        yield origin, kind, body


def innermost_loops(body):
    """Yields the instructions of each backward jump's range that holds no other one."""
    ranges = []
    for address, instruction in body:
        found = JUMP.match(instruction)
        if found and body[0][0] <= int(found.group(1), 16) <= address:
            ranges.append((int(found.group(1), 16), address))
    for first, last in ranges:
        if not any(other != (first, last) and first <= other[0] and other[1] <= last for other in ranges):
            yield [instruction for address, instruction in body if first <= address <= last]


def faults_of(where, kind, body, registers):
    """What is wrong with one function."""
    wanted = LOAD if kind == "read" else ARITHMETIC
    loops = [(sum(1 for i in loop if wanted.match(i) and registers in i), loop) for loop in innermost_loops(body)]
    if not loops:
        return [f"{where}: no loop found"]
    count, hot = max(loops, key=lambda pair: pair[0])
    faults = []
    if count < LEAST_INSTRUCTIONS[kind]:
        faults.append(f"{where}: {count} {registers} instructions, expected {LEAST_INSTRUCTIONS[kind]} or more")
    return faults + [f"{where}: stack in the hot loop: {instruction}" for instruction in hot if STACK.search(instruction)]


def main():
    objdump = shutil.which("objdump")
    if objdump is None:
        print("skipped: objdump is missing; Debian's package is binutils")
        return 77
    command = [objdump, "--disassemble", "--no-show-raw-insn", "--demangle", sys.argv[1]]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    faults, seen = [], dict.fromkeys(WIDTHS, 0)
    for member, kind, body in functions(text):
        width = member.split(".")[0]
        if width not in WIDTHS:
            continue
        seen[width] += 1
        faults += faults_of(f"{width}: {kind}", kind, body, WIDTHS[width])
    faults += [f"{width}: {count} loops, expected {EXPECTED_LOOPS[width]}" for width, count in seen.items() if count != EXPECTED_LOOPS[width]]
    print("\n".join(faults) or f"{sum(seen.values())} loops keep to registers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
