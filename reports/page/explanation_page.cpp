#include "reports/page/explanation_page.h"

#include <cmath>
#include <utility>

#include "harness/base/text.h"
#include "reports/page/bars.h"
#include "reports/page/parts.h"
#include "reports/render/explanation_parts.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

using render::ExplanationParts;
using render::Names;
using report::Explanation;

constexpr int kHueOfFirst = 0;   // of a
constexpr int kHueOfSecond = 1;  // of b
constexpr int kHueOfDifference = 3;
constexpr int kHueOfRest = kHues - 1;

// "-1.2 us"; zero without a sign.
std::string signed_time(double nanoseconds) {
  return (nanoseconds < 0 ? "-" : "") + render::format_duration_ns(std::abs(nanoseconds));
}

std::string percent_text(double share) { return formatted("%g%%", 100 * share); }

class ExplanationSection {
 public:
  ExplanationSection(Markup& markup, const Explanation& explanation, std::string id)
      : markup_(markup),
        explanation_(explanation),
        names_(render::names_of(explanation)),
        parts_(render::explanation_parts(explanation)),
        id_(std::move(id)) {}

  void write() {
    add_list(markup_, parts_.verdict);
    steps();
    if (explanation_.differs()) {
      calls();
      phases();
      add_titled_list("The largest ops of frameworks", without_heading(parts_.ops));
      axes();
      ceilings();
      start();
      add_titled_list("What would help", parts_.advice);
    }
    add_titled_list("In a script", parts_.scripts);
    missing();
  }

 private:
  void add_titled_list(const std::string& title, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    markup_.element("h3", title);
    add_sentences(sentences);
  }

  // Lists, each behind the line that introduces it, which ends in a colon.
  void add_sentences(const std::vector<std::string>& sentences) {
    std::vector<std::string> list;
    for (const std::string& sentence : sentences) {
      if (!sentence.ends_with(':')) {
        list.push_back(sentence);
        continue;
      }
      add_list(markup_, list);
      list.clear();
      add_paragraph(markup_, sentence);
    }
    add_list(markup_, list);
  }

  Figure figure(const std::string& name, std::string title, std::string sentence) const {
    return {.id = id_ + "-" + name, .title = std::move(title), .sentence = std::move(sentence), .data = {}};
  }

  static Bar time_bar(std::string label, const stats::Estimate& time, int hue) {
    return {.label = std::move(label),
            .value = time.value,
            .interval = time.interval,
            .hue = hue,
            .text = render::format_estimate_ns(time)};
  }

  static Bar plain_bar(std::string label, double time_ns, int hue) {
    return {.label = std::move(label), .value = time_ns, .hue = hue, .text = render::format_duration_ns(time_ns)};
  }

  void steps() {
    add_bars(markup_, figure("steps", "Time per step", "Medians over launches with their 95% intervals."),
             {.axis = "time per step, from 0",
              .tick_text = &render::format_duration_ns,
              .bars = {time_bar(names_.a, explanation_.a_step_ns, kHueOfFirst),
                       time_bar(names_.b, explanation_.b_step_ns, kHueOfSecond)}});
  }

  // Of the difference: what calls into frameworks are at least, and what they are not.
  void calls() {
    add_titled_list("Calls into frameworks", parts_.calls);
    if (!explanation_.calls) return;
    const report::CallsShare& calls = *explanation_.calls;
    const auto bar = [](std::string label, double share, stats::Interval interval, int hue) {
      return Bar{.label = std::move(label),
                 .value = share,
                 .interval = interval,
                 .hue = hue,
                 .text = render::format_percent(share)};
    };
    add_bars(markup_, figure("calls", "Calls and what they do", "Shares of the difference, with their intervals."),
             {.axis = "share of the difference, from 0",
              .tick_text = &percent_text,
              .bars = {bar("calls, empty ones", calls.share, calls.interval, kHueOfDifference),
                       bar("what they do beyond", 1 - calls.share, {1 - calls.interval.high, 1 - calls.interval.low},
                           kHueOfRest)}});
  }

  // The times of both in each phase, whose differences add up to the whole one.
  void phases() {
    if (!explanation_.profiles) return;
    markup_.element("h3", "Phases");
    const std::string heading = render::phases_heading(explanation_);
    if (!heading.empty()) {
      BarChart chart{.axis = "time per step, from 0", .tick_text = &render::format_duration_ns, .bars = {}};
      for (const report::PhasePart& phase : explanation_.profiles->phases) {
        chart.bars.push_back(plain_bar(phase.name() + ", " + names_.a, phase.contribution.a_ns, kHueOfFirst));
        chart.bars.push_back(plain_bar(phase.name() + ", " + names_.b, phase.contribution.b_ns, kHueOfSecond));
      }
      Figure with_data =
          figure("phases", "Where the difference is",
                 names_.a + " above " + names_.b + ", phases with the largest part of the difference first. " +
                     heading + " " + shares());
      with_data.data = render::phases_table(explanation_, names_);
      add_bars(markup_, std::move(with_data), chart);
    }
    add_sentences(parts_.phases);
  }

  // "backward 90% [85, 95], update ...".
  std::string shares() const {
    const render::TextTable table = render::phases_table(explanation_, names_);
    std::string text;
    for (std::size_t i = 0; i < table.front().texts.size(); ++i) {
      render::join(text, table.front().texts[i] + " " + table.back().texts[i]);
    }
    return text + ".";
  }

  void axes() {
    add_titled_list("What they differ in", parts_.axes);
    for (std::size_t i = 0; i < explanation_.paths.size(); ++i) {
      const report::AxisPath& path = explanation_.paths[i];
      if (path.parts.size() < 2) continue;
      BarChart chart{.axis = "difference per step, 0 is none", .tick_text = &signed_time, .bars = {}};
      const auto add = [&](std::string label, const stats::Estimate& difference, int hue) {
        chart.bars.push_back({.label = std::move(label),
                              .value = difference.value,
                              .interval = difference.interval,
                              .hue = hue,
                              .text = render::format_difference_ns(difference)});
      };
      for (const report::AxisPart& part : path.parts) add(part.axis, part.difference.difference_ns, kHueOfDifference);
      chart.bars.push_back(
          {.label = "missed by these", .value = path.rest_ns, .hue = kHueOfRest, .text = signed_time(path.rest_ns)});
      add("the whole", explanation_.whole.difference_ns, kHueOfFirst);
      add_bars(markup_,
               figure("axes" + std::to_string(i + 1), "One axis after the other",
                      "What each changes while the others stay, " + names_.a + " less " + names_.b +
                          ", with its 95% interval."),
               chart);
    }
  }

  void ceilings() {
    add_titled_list("Beside the machine's ceilings", without_heading(parts_.ceilings));
    if (parts_.ceilings.empty()) return;
    const auto bar = [](const std::string& name, const report::CeilingShare& ceiling, int hue) {
      return Bar{.label = name,
                 .value = ceiling.share,
                 .hue = hue,
                 .text = render::format_percent(ceiling.share) + " " + report::name_of(ceiling.bound_by)};
    };
    add_bars(markup_, figure("ceilings", "Share of the ceiling", "At 100% a step takes no more than the machine must."),
             {.axis = "floor of the step over its time, from 0",
              .tick_text = &percent_text,
              .bars = {bar(names_.a, *explanation_.a_ceiling, kHueOfFirst),
                       bar(names_.b, *explanation_.b_ceiling, kHueOfSecond)},
              .line = 1});
  }

  void start() {
    add_titled_list("Before the steady steps", without_heading(parts_.start));
    if (!explanation_.start) return;
    const report::StartDifference& start = *explanation_.start;
    BarChart chart{.axis = "time, from 0", .tick_text = &render::format_duration_ns, .bars = {}};
    const auto add = [&](const std::string& what, double a_ns, double b_ns) {
      chart.bars.push_back(plain_bar(what + ", " + names_.a, a_ns, kHueOfFirst));
      chart.bars.push_back(plain_bar(what + ", " + names_.b, b_ns, kHueOfSecond));
    };
    add("load", start.a_load_ns, start.b_load_ns);
    add("prepare", start.a_prepare_ns, start.b_prepare_ns);
    add("first step", start.a_first_step_ns, start.b_first_step_ns);
    add_bars(markup_,
             figure("start", "What happens once", names_.a + " above " + names_.b + ", medians over launches."), chart);
  }

  // The first line says what the title does.
  static std::vector<std::string> without_heading(const std::vector<std::string>& lines) {
    return lines.empty() ? lines : std::vector<std::string>(lines.begin() + 1, lines.end());
  }

  void missing() {
    if (explanation_.missing.empty()) return;
    markup_.element("h3", "What was not measured");
    for (const report::MissingEvidence& missing : explanation_.missing) {
      markup_.element("p", {}, [&] {
        markup_.text(render::missing_sentence(explanation_, names_, missing));
        if (missing.command.empty()) return;
        markup_.text(" ");
        markup_.element("code", missing.command);
      });
    }
  }

  Markup& markup_;
  const Explanation& explanation_;
  Names names_;
  ExplanationParts parts_;
  std::string id_;
};

}  // namespace

std::string explanation_page(const std::vector<Explanation>& explanations) {
  std::vector<Section> sections;
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    const Explanation& explanation = explanations[i];
    const Names names = render::names_of(explanation);
    const std::string id = "e" + std::to_string(i + 1);
    sections.push_back({id, cat(names.heading, ": ", names.a, " beside ", names.b),
                        [&explanation, id](Markup& markup) { ExplanationSection(markup, explanation, id).write(); }});
  }
  return page_of("gdbench explain", sections, [&](Markup& markup) {
    add_paragraph(markup, "Why is one faster than the other? " + render::counted(explanations.size(), "pair") +
                              " of cells; what a sentence rests on stands in brackets behind it.");
  });
}

}  // namespace gdbench::page
