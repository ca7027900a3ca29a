# Shell functions that the scripts share. Source it; it changes no options and runs nothing.
# shellcheck shell=bash

# The project's folder, whatever the caller's working directory is.
GDBENCH_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The distribution's interpreter: whatever else a PATH calls python3 may be gone tomorrow.
PYTHON=/usr/bin/python3

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "${0##*/}: $*"
  exit 2
}

# logged WHAT LOG COMMAND...: runs the command with its output in a file. How far a build is goes over one line of a
# terminal, elsewhere a line per quarter. Of a failure the output is shown from where it begins.
logged() {
  local what=$1 log=$2 begun=$SECONDS
  shift 2
  say "$what; log: $log"
  if "$@" 2>&1 | tee "$log" | show_progress >&2; then
    if ((SECONDS - begun > 10)); then say "$what: done in $((SECONDS - begun)) s"; fi
    return 0
  fi
  say "$what: failed"
  sed --quiet '/FAILED:\|CMake Error\|^E: /,$p' "$log" | grep . >&2 || tail --lines=40 "$log" >&2
  return 1
}

show_progress() {
  local terminal=0
  if [[ -t 2 ]]; then terminal=1; fi
  awk -v terminal="$terminal" '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), step, "/")
      if (terminal) {
        printf "\r%s of %s", step[1], step[2]; fflush(); shown = 1
      } else if (int(4 * step[1] / step[2]) > quarter && step[2] > 20) {
        quarter = int(4 * step[1] / step[2]); print step[1] " of " step[2]; fflush()
      }
    }
    END { if (shown) print "" }'
}

# build_preset NAME [-DOPTIONS...] [TARGETS...]: configures a preset and builds its targets, all where none is named. A
# second call with nothing changed takes a second. Configured each time, because packages may have come since:
# GoogleTest, oneDNN.
build_preset() (
  cd "$GDBENCH_ROOT" || exit
  local preset=$1 options=() targets=() argument
  shift
  for argument in "$@"; do
    if [[ $argument == -D* ]]; then options+=("$argument"); else targets+=("$argument"); fi
  done
  mkdir -p "build/$preset"
  local log=build/$preset/configure.log
  logged "Configuring build/$preset" "$log" cmake --preset "$preset" "${options[@]}" || exit
  sed --quiet 's/^-- \(.* left out: .*\)/\1/p' "$log" >&2
  if ((${#targets[@]})); then targets=(--target "${targets[@]}"); fi
  logged "Building build/$preset" "build/$preset/build.log" \
    cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"
)

# make_environment FOLDER REQUIREMENTS [OPTIONS OF pip install ...]: a virtual environment with what that file pins, in
# place of what is there. Who has added all that belongs to it copies the file to FOLDER/requirements.txt: it marks a
# finished environment.
make_environment() {
  rm -rf "$1"
  "$PYTHON" -m venv "$1" >&2 ||
    fail "no virtual environment could be made with $PYTHON; on Debian: apt-get install python3-venv"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$2" "${@:3}" >&2 ||
    fail "${1##*/} could not be installed (is there a way to PyPI?); nothing else is changed"
}

# Relative paths of the project's own files, tracked or not, without what git ignores: list_files '*.cpp' '*.h'
list_files() {
  git -C "$GDBENCH_ROOT" ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
    # A deleted file stays in git's list until the deletion is committed.
    if [[ -f $GDBENCH_ROOT/$file ]]; then printf '%s\n' "$file"; fi
  done
}

# Counts of everything that was checked. A test program adds its own numbers, a check counts as one.
passed=0
failed=0
skipped=0

# count_check NAME COMMAND...: runs the command, all its output on stderr, and counts it as one check. Fails as the
# command does; a caller that goes on regardless adds "|| true".
count_check() {
  local name=$1
  shift
  say "-- $name"
  if "$@" >&2; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "FAILED: $name"
    return 1
  fi
}

count_skipped() {
  skipped=$((skipped + 1))
  say "-- $1: skipped"
}

# count_ctest PRESET [--test-dir FOLDER] [CTEST ARGUMENTS...]: runs the tests of a preset's build, or of one of it in
# another folder, and adds their counts, which CTest writes as JUnit XML.
count_ctest() {
  local preset=$1 folder=$GDBENCH_ROOT/build/$1
  shift
  if [[ ${1-} == --test-dir ]]; then folder=$2; fi
  local results=$folder/test-results.xml
  say "-- tests of ${folder#"$GDBENCH_ROOT"/}"
  rm -f "$results"
  local status=0
  (cd "$GDBENCH_ROOT" && ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$results" \
    --no-tests=error "$@") >&2 || status=$?
  local tests=0 failures=0 disabled=0 not_run=0
  if [[ -f $results ]]; then
    tests=$(junit_attribute "$results" tests)
    failures=$(junit_attribute "$results" failures)
    disabled=$(junit_attribute "$results" disabled)
    not_run=$(junit_attribute "$results" skipped)
  fi
  # A CTest that fails without naming a test (no tests, no results) counts as one failure.
  if ((status != 0 && failures == 0)); then failures=1 tests=$((tests + 1)); fi
  passed=$((passed + tests - failures - disabled - not_run))
  failed=$((failed + failures))
  skipped=$((skipped + disabled + not_run))
}

# junit_attribute FILE NAME: a number of the <testsuite> element.
junit_attribute() {
  local value
  value=$(sed -n '/<testsuite/,/>/s/.*[[:space:]]'"$2"'="\([0-9]*\)".*/\1/p' "$1" | head -n 1)
  printf '%s\n' "${value:-0}"
}

# The last line of every script that tests; programs read it.
print_counts() { printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"; }
