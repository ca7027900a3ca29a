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
LEAST_ON_AARCH64 = LEAST_INSTRUCTIONS | {"fma_rate": 24, "read": 3}  # loads of pairs of vectors
# Arithmetic of two types, reads of one to four streams, updates of one to three arrays with and without another one.
LOOPS_PER_WIDTH = 3 * 2 + 4 + 3 * 2
FUNCTIONS = 5 + 3  # of f32 and of f64, where on x86-64 only AVX-512 has estimates for the two refined ones
# Of each processor: a member of the archive -> its vectors' registers.
WIDTHS = {"x86-64": {"vector_kernels_sse2": r"%xmm", "vector_kernels_avx2": r"%ymm", "vector_kernels_avx512f": r"%zmm"},
          "aarch64": {"vector_kernels_neon": r"\b(v\d+\.|q\d+\b)", "vector_kernels_sve256": r"\bz\d+\.",
                      "vector_kernels_sve512": r"\bz\d+\."}}

MEMBER = re.compile(r"^(\S+):\s+file format \S*?(x86-64|aarch64)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <.*?\b(fma_rate|fma_latency|addition_latency|read|update|function)\b.*>:$")
ANY_FUNCTION = re.compile(r"^[0-9a-f]+ <.*>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
JUMP = re.compile(r"^(?:j\w+|b\.\w+|cbn?z\s+\w+,|tbn?z\s+\w+,[^,]*,)\s+([0-9a-f]+)\b")
ARITHMETIC = re.compile(r"^(v?(fn?m(add|sub)|add|sub|mul|div|sqrt)|fn?(m(l[as]|ad|sb)|add|sub|mul|divr?|sqrt))\w*\s")
LOAD = re.compile(r"^(v?(p?xor|pternlog|mov)\w*\s[^%]*\(|ld[pr]\s|ld1[bwd]\s)")  # on x86-64 memory is the first operand
STACK = re.compile(r"\(%r[sb]p|\[sp\b")


def functions(text):
    """Yields (processor, member of the archive, kind of loop, [(address, instruction)])."""
    member, kind, body = ("", ""), None, []
    for line in text.splitlines():
        if found := MEMBER.match(line):
            member = (found.group(2), found.group(1).split(".")[0])
        elif ANY_FUNCTION.match(line):
            if kind:
                yield *origin, kind, body
            found = FUNCTION.match(line)
            origin, kind, body = member, found.group(1) if found else None, []
        elif kind and (found := INSTRUCTION.match(line)):
            body.append((int(found.group(1), 16), found.group(2)))
    if kind:
        yield *origin, kind, body


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
    loops = [(sum(1 for i in loop if wanted.match(i) and re.search(registers, i)), loop)
             for loop in innermost_loops(body)]
    if not loops:
        return [f"{where}: no loop found"]
    count, hot = max(loops, key=lambda pair: pair[0])
    faults = []
    least = (LEAST_ON_AARCH64 if re.search("neon|sve", where) else LEAST_INSTRUCTIONS)[kind]
    if count < least:
        faults.append(f"{where}: {count} instructions on vectors, expected {least} or more")
    return faults + [f"{where}: stack in the hot loop: {instruction}" for instruction in hot if STACK.search(instruction)]


def main():
    objdump = shutil.which("objdump")
    if objdump is None:
        print("skipped: objdump is missing; Debian's package is binutils")
        return 77
    command = [objdump, "--disassemble", "--no-show-raw-insn", "--demangle", sys.argv[1]]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    faults, seen = [], {}
    for processor, width, kind, body in functions(text):
        seen = seen or dict.fromkeys(WIDTHS[processor], 0)
        if width in seen:
            seen[width] += 1
            faults += faults_of(f"{width}: {kind}", kind, body, WIDTHS[processor][width])
    for width, count in seen.items():
        expected = LOOPS_PER_WIDTH + FUNCTIONS + (2 if re.search("512|neon|sve", width) else 0)
        if count != expected:
            faults.append(f"{width}: {count} loops, expected {expected}")
    if not seen:
        faults.append("no loops")
    print("\n".join(faults) or f"{sum(seen.values())} loops keep to registers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
