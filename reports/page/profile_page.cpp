#include "reports/page/profile_page.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/page/bars.h"
#include "reports/page/parts.h"
#include "reports/page/flame_chart.h"
#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"
#include "reports/render/profile.h"

namespace gdbench::page {

namespace {

using report::Profile;

constexpr std::size_t kMostOps = 30;  // that have a bar
constexpr const char* kTimeAxis = "time per profiled step, from 0";

class ProfilePage {
 public:
  explicit ProfilePage(const Profile& profile) : profile_(profile) {}

  std::string render() const {
    std::vector<Section> sections = {{"step", "Where does a step's time go?", [this](Markup& markup) { step(markup); }},
                                     {"once", "Once, before the first step", [this](Markup& markup) { once(markup); }}};
    if (profile_.ops || profile_.no_ops) {
      sections.push_back({"framework", "Ops of its framework", [this](Markup& markup) { framework_ops(markup); }});
    }
    if (profile_.dispatches_per_step || profile_.floor) {
      sections.push_back({"calls", "Calls into the framework", [this](Markup& markup) { calls(markup); }});
    }
    return page_of("gdbench profile " + profile_.cell, sections, [this](Markup& markup) {
      add_paragraph(markup, render::profile_start_words(profile_) + ".");
      add_paragraph(markup, render::profile_allocation_words(profile_) + ".", "muted");
    });
  }

 private:
  Bar bar(std::string label, double time_ns, int hue) const {
    const double step = profile_.profiled_step_ns;
    return {.label = std::move(label),
            .value = time_ns,
            .hue = hue,
            .text = render::format_duration_ns(time_ns) +
                    (step > 0 ? ", " + render::format_percent(time_ns / step) : std::string())};
  }

  void step(Markup& markup) const {
    phases(markup);
    if (profile_.profiled_step_ns > 0) add_flame_chart(markup, profile_, "flame");
    ops(markup);
    layers(markup);
    add_table(markup, render::profile_rows(profile_), "Every phase and op of a step", {.sortable = true});
    add_paragraph(markup, render::profile_overhead_words(profile_), "muted");
  }

  void phases(Markup& markup) const {
    BarChart chart{.axis = kTimeAxis, .tick_text = &render::format_duration_ns, .bars = {}};
    for (const render::PhaseTime& phase : render::phases_of(profile_)) {
      chart.bars.push_back(bar(phase.name(), phase.time_ns, hue_of_phase(phase.phase)));
    }
    chart.bars.push_back(bar("unattributed", report::unattributed_ns(profile_), kHueOfUnclaimed));
    add_bars(markup,
             {.id = "phases",
              .title = "By phase",
              .sentence = "In the order of a step, with shares of it; unattributed is what no op claims, as loops, "
                          "calls and clock readings.",
              .data = {}},
             chart);
  }

  void ops(Markup& markup) const {
    BarChart chart{.axis = kTimeAxis, .tick_text = &render::format_duration_ns, .bars = {}};
    std::size_t count = 0;
    for (const report::ProfileRecord& record : profile_.records) {  // the largest first
      if (record.once() || ++count > kMostOps) continue;
      chart.bars.push_back(bar(name_of(record.phase) + std::string(": ") + render::op_label(record), record.time_ns,
                               hue_of_phase(record.phase)));
    }
    if (chart.bars.empty()) return;
    add_bars(
        markup,
        {.id = "ops",
         .title = "By op",
         .sentence = count > kMostOps ? cat("The ", kMostOps, " largest of ", count, " ops; the table below has all.")
                                      : std::string("The largest first."),
         .data = {}},
        chart);
  }

  // Nothing where no op says which layers it serves.
  void layers(Markup& markup) const {
    std::map<std::vector<std::int64_t>, double> times;
    for (const report::ProfileRecord& record : profile_.records) {
      if (!record.once()) times[record.layers.value_or(std::vector<std::int64_t>())] += record.time_ns;
    }
    if (times.empty() || times.rbegin()->first.empty()) return;
    BarChart chart{.axis = kTimeAxis, .tick_text = &render::format_duration_ns, .bars = {}};
    for (const auto& [layers, time_ns] : times) {
      const std::string words = render::layer_words(layers);
      chart.bars.push_back(bar(words.empty() ? "no layer" : words.substr(words.find_first_not_of(", ")), time_ns, 0));
    }
    add_bars(markup,
             {.id = "layers",
              .title = "By layer",
              .sentence = "All phases of each layer together, counted from 0; an op of several layers is theirs alone.",
              .data = {}},
             chart);
  }

  void once(Markup& markup) const {
    BarChart chart{.axis = "time, from 0", .tick_text = &render::format_duration_ns, .bars = {}};
    const auto add = [&](std::string label, double time_ns, int hue) {
      chart.bars.push_back(
          {.label = std::move(label), .value = time_ns, .hue = hue, .text = render::format_duration_ns(time_ns)});
    };
    add("load", profile_.load_seconds * 1e9, 0);
    add("prepare", profile_.prepare_seconds * 1e9, 0);
    add("first step", profile_.first_step_ns, 0);
    const render::PhaseTime compiling = render::once_of(profile_);
    for (const report::ProfileRecord* record : compiling.records) {
      if (record->time_ns > 0) add(cat(compiling.name(), ": ", record->op), record->time_ns, kHueOfUnclaimed);
    }
    add_bars(markup,
             {.id = "start",
              .title = "What happens once",
              .sentence = compiling.records.empty()
                              ? "It is no part of the steps above."
                              : "It is no part of the steps above; what compiling is made of lies within the first "
                                "three, and in part within one another.",
              .data = parts_done_once(compiling)},
             chart);
  }

  // With what took no time at all, which has no bar.
  render::TextTable parts_done_once(const render::PhaseTime& compiling) const {
    render::TextTable table = {{.title = "part", .texts = {}},
                               {.title = "calls", .right_aligned = true, .texts = {}},
                               {.title = "time", .right_aligned = true, .texts = {}}};
    add_row(table, {"load", "", render::format_duration_ns(profile_.load_seconds * 1e9)});
    add_row(table, {"prepare", "", render::format_duration_ns(profile_.prepare_seconds * 1e9)});
    add_row(table, {"first step", "", render::format_duration_ns(profile_.first_step_ns)});
    for (const report::ProfileRecord* record : compiling.records) {
      add_row(table, {cat(compiling.name(), ": ", record->op), render::format_number(record->calls),
                      render::format_duration_ns(record->time_ns)});
    }
    return table;
  }

  void framework_ops(Markup& markup) const {
    if (profile_.ops) {
      add_table(markup, render::profile_op_rows(profile_), "By " + profile_.ops->profiler, {.sortable = true});
    }
    add_paragraph(markup, render::profile_ops_words(profile_));
  }

  void calls(Markup& markup) const {
    add_paragraph(markup, render::profile_call_words(profile_));
    const render::TextTable floor = render::profile_floor(profile_);
    if (!floor.front().texts.empty()) add_table(markup, floor, "The least that the framework does", {});
  }

  const Profile& profile_;
};

}  // namespace

std::string profile_page(const Profile& profile) { return ProfilePage(profile).render(); }

}  // namespace gdbench::page
