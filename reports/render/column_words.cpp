#include "reports/render/column_words.h"

#include "reports/render/format.h"
#include "reports/render/render.h"

namespace gdbench::render {

std::vector<std::string> column_words() {
  return {
      "time per step, time/step: median over launches of the least block of each, without its first one.",
      "95%, [low, high]: its confidence interval over launches (Student's t below six).",
      "* wins: every other column's fastest is slower by the verdict of the paired comparison; = is not told apart "
      "from the fastest. Without a mark there is no verdict, or there is no rank (in brackets).",
      "ratio, ratio to baseline: time over the baseline's in the same rounds, with its 95% interval; below 1 is "
      "faster. Without a time of the baseline, over the fastest's. On the first screen that of the place, or where "
      "there is no room, of the fastest.",
      "lead: time of the next column's fastest over that of the winner in the same rounds.",
      "verdict: faster or slower only where the whole interval is beyond the margin, equivalent where all of it is "
      "within.",
      "not ranked: policies (+NAME) and implementations without arithmetic, and rows that used more processors than "
      "they have threads.",
      "GFLOP/s: operations that the algorithm needs, over the time. launches: processes x timed blocks in each.",
      "of ceiling: the step's floor over its time. The floor is the longest of: multiply-adds of the products / FMA "
      "rate (fma); least bytes / bandwidth of the level that they come from (L1 to memory); dependent operations of a "
      "step x their latency (chain). Above 100% (!) a ceiling was measured too low; a row that is further beyond is "
      "untrusted.",
      "peak memory: resident, of a worker; own memory: anonymous, the largest reading. allocations: of the whole "
      "process in a step, counted apart.",
      "data: part of a profiled step that makes its batch, or waits for it where it is made ahead; -: below 0.5% or "
      "100 ns.",
      "CPU/wall: processor time of all threads of a framework's process over wall time. import: loading the "
      "framework, once per process. after import: resident memory by then, a part of the peak.",
      "difference per step, change: paired with the baseline's strategy on the same backend round by round, with 95% "
      "intervals; per call: the difference over the kernel calls of a step.",
      "overtakes: told to be faster per step, but ready later (load, prepare, first step, no imports); after so many "
      "steps it is "
      "ahead in all, with its 95% interval, wherever in the verdict's margin the difference of the steps lies.",
      "a, b, c: relative least squares, none negative; at most: 0 or not told from it, with a one-sided 95% interval; "
      "0 (bound): in every resample, so that no limit is known; -: cannot be told apart, or no arithmetic. worst miss: "
      "the largest error of the fit, over the measured time.",
      "time to target: ready and the steps to the target loss, with its 95% interval. ready: load, prepare (which "
      "compiles) and what the first step takes beyond a steady one; imports are counted beside. with evaluations: what "
      "a training takes that stops at the first evaluation at or below the target, the evaluations' own time included; "
      "-: the reference evaluated.",
      "control: a cell that is measured twice under two names; what it differs from itself by is the machine's doing.",
  };
}

std::string columns_help(int width) {
  std::string text;
  for (const std::string& words : column_words()) text += words + "\n";
  return wrapped(text, width);
}

}  // namespace gdbench::render
