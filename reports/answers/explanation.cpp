#include <cmath>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/explanation_sentences.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Explanation;

constexpr int kHueOfFirst = 0;   // of a
constexpr int kHueOfSecond = 1;  // of b
constexpr int kHueOfDifference = 3;
constexpr int kHueOfRest = document::kHues - 1;

// "-1.2 us"; zero without a sign.
std::string signed_time(double nanoseconds) {
  return (nanoseconds < 0 ? "-" : "") + format_duration_ns(std::abs(nanoseconds));
}

std::string share_tick(double share) { return formatted("%g%%", 100 * share); }

document::BarRow bar(std::string label, double value, std::string figure, int hue,
                     std::optional<stats::Interval> interval = {}) {
  return {.label = std::move(label),
          .look = document::look_of(hue),
          .measures = {{.value = value, .interval = interval, .bar = true}},
          .figure = std::move(figure)};
}

class ExplanationBlocks {
 public:
  explicit ExplanationBlocks(const Explanation& explanation)
      : explanation_(explanation), names_(names_of(explanation)) {}

  Blocks make() {
    steps();
    if (explanation_.differs()) {
      calls();
      phases();
      list("The largest ops, in shares of a step that the profiler slows", largest_op_sentences(explanation_, names_));
      axes();
      ceilings();
      start();
      list("What would help most", advice_sentences(explanation_, names_));
    }
    list("In a script", script_sentences(explanation_, names_));
    missing();
    return std::move(blocks_);
  }

 private:
  void list(const std::string& heading, const Sentences& sentences) {
    if (sentences.empty()) return;
    blocks_.heading(heading);
    blocks_.list(sentences);
  }

  void bars(std::string title, std::string sentence, document::Axis axis, std::vector<document::BarRow> rows,
            std::optional<double> line = {}) {
    blocks_.figure({.title = std::move(title),
                    .sentence = std::move(sentence),
                    .chart = document::Rows{.axes = {std::move(axis)}, .rows = std::move(rows), .line = line}});
  }

  // The times of both in each of several parts.
  void pair(std::vector<document::BarRow>& rows, const std::string& what, double a_ns, double b_ns) const {
    rows.push_back(bar(what + ", " + names_.a, a_ns, format_duration_ns(a_ns), kHueOfFirst));
    rows.push_back(bar(what + ", " + names_.b, b_ns, format_duration_ns(b_ns), kHueOfSecond));
  }

  void steps() {
    const auto row = [](const std::string& name, const stats::Estimate& time, int hue) {
      return bar(name, time.value, format_estimate_ns(time), hue, time.interval);
    };
    bars("Time per step", "Medians over launches with their 95% intervals.",
         {.title = "time per step, from 0", .text = &format_duration_ns},
         {row(names_.a, explanation_.a_step_ns, kHueOfFirst), row(names_.b, explanation_.b_step_ns, kHueOfSecond)});
  }

  // Of the difference: what calls into frameworks are at least, and what they are not.
  void calls() {
    list("Calls into frameworks", call_sentences(explanation_, names_));
    if (!explanation_.calls) return;
    const report::CallsShare& calls = *explanation_.calls;
    bars("Calls and what they do", "Shares of the difference, with their intervals.",
         {.title = "share of the difference, from 0", .text = &share_tick},
         {bar("calls, empty ones", calls.share, format_percent(calls.share), kHueOfDifference, calls.interval),
          bar("what they do beyond", 1 - calls.share, format_percent(1 - calls.share), kHueOfRest,
              stats::Interval{1 - calls.interval.high, 1 - calls.interval.low})});
  }

  // The times of both in each phase, whose differences add up to the whole one.
  void phases() {
    if (!explanation_.profiles) return;
    blocks_.heading("Where the difference per step is");
    if (says_phases(explanation_)) {
      std::vector<document::BarRow> rows;
      for (const report::PhasePart& phase : explanation_.profiles->phases) {
        pair(rows, phase.name(), phase.contribution.a_ns, phase.contribution.b_ns);
      }
      bars("Phases of a step",
           names_.a + " above " + names_.b + ", phases with the largest part of the difference first.",
           {.title = "time per step, from 0", .text = &format_duration_ns}, std::move(rows));
      blocks_.table("", phases_table(explanation_, names_));
    }
    blocks_.list(phase_sentences(explanation_, names_));
    list("Their ops", op_sentences(explanation_, names_));
  }

  void axes() {
    for (const report::AxisPath& path : explanation_.paths) {
      const bool alone = path.parts.size() == 1;
      const bool over_a_row = path.parts.front().axis == report::kWholeImplementation;
      list(alone        ? "What they differ in"
           : over_a_row ? "No profile divides it; a row between the two does"
                        : "One axis after the other",
           path_sentences(explanation_, names_, path));
      if (alone) continue;
      std::vector<document::BarRow> rows;
      const auto add = [&](const std::string& label, const stats::Estimate& difference, int hue) {
        rows.push_back(bar(label, difference.value, format_difference_ns(difference), hue, difference.interval));
      };
      for (const report::AxisPart& part : path.parts) add(part.axis, part.difference.difference_ns, kHueOfDifference);
      rows.push_back(bar("missed by these", path.rest_ns, signed_time(path.rest_ns), kHueOfRest));
      add("the whole", explanation_.whole.difference_ns, kHueOfFirst);
      bars("One axis after the other",
           "What each changes while the others stay, " + names_.a + " less " + names_.b + ", with its 95% interval.",
           {.title = "difference per step, 0 is none", .text = &signed_time}, std::move(rows));
    }
  }

  void ceilings() {
    const Sentences sentences = ceiling_sentences(explanation_, names_);
    if (sentences.empty()) return;
    list("Against the machine's ceilings", sentences);
    const auto row = [](const std::string& name, const report::CeilingShare& ceiling, int hue) {
      return bar(name, ceiling.share, format_percent(ceiling.share) + " " + report::name_of(ceiling.bound_by), hue);
    };
    bars("Share of the ceiling", "At 100% a step takes no more than the machine must.",
         {.title = "floor of the step over its time, from 0", .text = &share_tick},
         {row(names_.a, *explanation_.a_ceiling, kHueOfFirst), row(names_.b, *explanation_.b_ceiling, kHueOfSecond)},
         1);
  }

  void start() {
    list("Before the steady steps", start_sentences(explanation_, names_));
    if (!explanation_.start) return;
    const report::StartDifference& start = *explanation_.start;
    std::vector<document::BarRow> rows;
    pair(rows, "load", start.a_load_ns, start.b_load_ns);
    pair(rows, "prepare", start.a_prepare_ns, start.b_prepare_ns);
    pair(rows, "first step", start.a_first_step_ns, start.b_first_step_ns);
    bars("What happens once", names_.a + " above " + names_.b + ", medians over launches.",
         {.title = "time, from 0", .text = &format_duration_ns}, std::move(rows));
  }

  void missing() {
    if (explanation_.missing.empty()) return;
    blocks_.heading("What was not measured");
    for (const report::MissingEvidence& missing : explanation_.missing) {
      const bool follows = &missing != &explanation_.missing.back() && missing.command == (&missing + 1)->command;
      blocks_.paragraph(missing_sentence(explanation_, names_, missing));
      if (!follows) blocks_.command(missing.command);
    }
  }

  const Explanation& explanation_;
  Names names_;
  Blocks blocks_;
};

std::string title_of(const Names& names) { return names.heading + ": " + names.a + " against " + names.b; }

}  // namespace

Document document_of(const std::vector<Explanation>& explanations) {
  Document document{.title = "Why is one faster than the other? " + counted(explanations.size(), "pair") + " of cells"};
  for (const Explanation& explanation : explanations) {
    const Names names = names_of(explanation);
    const Sentences verdict = verdict_sentences(explanation, names);
    Blocks blocks;
    if (explanations.size() == 1) {
      document.title = title_of(names);
      for (const std::string& sentence : verdict) document.answer.push_back({sentence});
    } else {
      blocks.list(verdict);
    }
    blocks.append(ExplanationBlocks(explanation).make());
    document.section(explanations.size() == 1 ? "" : title_of(names), std::move(blocks));
  }
  return document;
}

}  // namespace gdbench::answers
