# Shell functions that the scripts share. Source it; it changes no options and runs nothing.
# shellcheck shell=bash

# The project's folder, from any working directory of the caller.
GDBENCH_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The distribution's interpreter: another python3 in a PATH may be gone tomorrow.
PYTHON=/usr/bin/python3

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "${0##*/}: $*"
  exit 2
}

# Prints the comment at the head of the script, and ends it.
show_help() {
  sed --quiet '2,/^[^#]/ s/^# \{0,1\}//p' "$0"
  exit
}

# option_value ARGUMENTS...: puts the value of the option that is the first of them into the variable of its name.
option_value() {
  (($# > 1)) || fail "$1 needs a value"
  printf -v "${1#--}" '%s' "$2"
}

# size_of PATH: of a file, or of all in a folder.
size_of() { du --summarize --bytes "$1" | awk '{ printf "%.1f MB", $1 / 1e6 }'; }

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
  begin_of_failure "$log" >&2
  return 1
}

# A build's log from the first thing that failed, or the end of any other.
begin_of_failure() { sed --quiet '/FAILED:\|CMake Error\|^E: /,$p' "$1" | grep . || tail --lines=40 "$1"; }

# Lines of ninja ("[12/345] ...") and of CTest ("12/345 Test ...").
show_progress() {
  local terminal=0
  if [[ -t 2 ]]; then terminal=1; fi
  awk -v terminal="$terminal" '
    match($0, /^ *\[?[0-9]+\/[0-9]+(\]| Test )/) {
      split(substr($0, RSTART, RLENGTH), step, /[^0-9]+/)
      at = step[1] == "" ? 2 : 1
      if (terminal) {
        printf "\r%s of %s", step[at], step[at + 1]; fflush(); shown = 1
      } else if (int(4 * step[at] / step[at + 1]) > quarter && step[at + 1] > 20) {
        quarter = int(4 * step[at] / step[at + 1]); print "  " step[at] " of " step[at + 1]; fflush()
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
# place of what is there. A copy of the file marks a finished one, which is left alone.
make_environment() {
  if cmp --silent "$2" "$1/requirements.txt"; then return; fi
  say "Installing what ${2#"$GDBENCH_ROOT"/} names into $1"
  rm -rf "$1"
  "$PYTHON" -m venv "$1" >&2 ||
    fail "no virtual environment could be made with $PYTHON; on Debian: apt-get install python3-venv"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$2" "${@:3}" >&2 ||
    fail "${1##*/} could not be installed (is there a way to PyPI?); nothing else is changed"
  cp "$2" "$1/requirements.txt"
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
# What failed so far, with its output: shown again at the end, where a reader looks first.
FAILURES=$GDBENCH_ROOT/build/failures.txt

# count_check NAME COMMAND...: runs the command and counts it as one check: a line with the time that it took. Of a
# failure the output follows. Fails as the command does; a caller that goes on regardless adds "|| true".
count_check() {
  local name=$1 begun=$SECONDS log=$GDBENCH_ROOT/build/check.log
  shift
  mkdir -p "$GDBENCH_ROOT/build"
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    say "-- $name: passed, $((SECONDS - begun)) s"
    return 0
  fi
  count_failure "$name" "$log"
}

# count_build PRESET ...: build_preset, as one check whose progress is shown.
count_build() {
  local begun=$SECONDS folder=$GDBENCH_ROOT/build/$1 log
  if build_preset "$@"; then
    passed=$((passed + 1))
    say "-- build of build/$1: passed, $((SECONDS - begun)) s"
    return 0
  fi
  log=$folder/build.log
  if [[ $folder/configure.log -nt $log ]]; then log=$folder/configure.log; fi
  count_failure "build of build/$1" <(begin_of_failure "$log" | head --lines=60)
}

count_failure() {
  failed=$((failed + 1))
  { say "FAILED: $1" && tail --lines=60 "$2" >&2; } 2>&1 | tee --append "$FAILURES" >&2
  return 1
}

count_skipped() {
  skipped=$((skipped + 1))
  say "-- $1: skipped"
}

# count_ctest PRESET [CTEST ARGUMENTS...]: runs the tests of a preset's build, and adds their counts.
count_ctest() {
  local preset=$1 folder=$GDBENCH_ROOT/build/$1 begun=$SECONDS
  shift
  local what="tests of build/$preset" results=$folder/test-results status=0 summary counts
  say "$what; log: $folder/tests.log"
  rm -rf "$results"
  mkdir -p "$results"
  (cd "$GDBENCH_ROOT" && ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$results/ctest.xml" \
    --no-tests=error "$@") 2>&1 | tee "$folder/tests.log" | show_progress >&2 || status=$?
  summary=$("$PYTHON" "$GDBENCH_ROOT/scripts/test-results" "$results" 2>&1) || true
  read -r counts <<<"$summary"
  # A CTest that fails without naming a test (no tests, no results) counts as one failure.
  if [[ ! $counts =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]] ||
    ((status != 0 && BASH_REMATCH[2] == 0)); then
    printf '%s\n' "$summary" >>"$folder/tests.log"
    count_failure "$what" "$folder/tests.log" || return 0
  fi
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
  skipped=$((skipped + BASH_REMATCH[3]))
  say "-- $what: $counts, $((SECONDS - begun)) s"
  sed '1d' <<<"$summary" >&2
  sed --quiet '/^FAILED: /,$p' <<<"$summary" >>"$FAILURES"
}

# print_slowest PRESETS...: the slowest tests of their builds.
print_slowest() {
  local presets=("${@/#/$GDBENCH_ROOT/build/}")
  say "Slowest tests:"
  "$PYTHON" "$GDBENCH_ROOT/scripts/test-results" --slowest "${presets[@]/%//test-results}" >&2 || true
}

# Everything that failed once more, and the last line of every script that tests, which programs read.
print_counts() {
  if ((failed)) && [[ -s $FAILURES ]]; then
    say "What failed:"
    cat "$FAILURES" >&2
  fi
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
}
