#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Subnormals;
using report::Watched;
using report::WatchedBlock;
using report::WatchedLevel;

constexpr std::size_t kRows = 12;        // of the table over the steps
constexpr double kManySubnormal = 0.01;  // a share that is worth a sentence

std::string interval_words(const stats::Interval& interval) {
  return cat("[", format_number(interval.low), ", ", format_number(interval.high), "]");
}

std::string ratio_words(const WatchedLevel& level) {
  return cat(format_factor(level.ratio), " ", interval_words(level.ratio_interval));
}

// "12% of the activations are denormal": what has most of them. Empty where that is few.
std::string subnormal_words(const std::optional<Subnormals>& found) {
  if (!found) return "";
  const std::pair<double, const char*> shares[] = {{found->activations, "the activations"},
                                                   {found->gradients, "the gradients"},
                                                   {found->state, "the parameters and the optimizer's slots"}};
  const auto& [share, what] = *std::ranges::max_element(shares, {}, &std::pair<double, const char*>::first);
  return share < kManySubnormal ? "" : cat(format_percent(share), " of ", what, " are denormal");
}

std::string change_sentence(const Watched& watched) {
  const std::string within = format_percent(watched.margin);
  if (watched.levels.empty()) return "Too few steps were taken to say whether they change.";
  if (watched.levels.size() == 1) {
    return watched.change == stats::Verdict::equivalent
               ? cat("A step takes as long at the end as at the start, within ", within, ".")
               : cat("Whether a step takes longer at the end than at the start is undecided: no change of level is "
                     "found, and its times scatter too much to exclude one of ",
                     within, ".");
  }
  const WatchedLevel& first = watched.levels.front();
  const WatchedLevel& last = watched.levels.back();
  const std::string times = cat(format_duration_ns(first.step_ns), " at first, ", format_duration_ns(last.step_ns),
                                " from step ", last.first, " on");
  const std::string paces = cat("It changes its pace ", counted(watched.levels.size() - 1, "time"), ": ");
  if (watched.change == stats::Verdict::inconclusive)
    return cat("Whether a step takes longer in the end is undecided. ", paces, times, ", ", ratio_words(last),
               " as long.");
  if (watched.change == stats::Verdict::equivalent)
    return cat("A step takes as long in the end as at first, within ", within, ". ", paces, ratio_words(last),
               " as long in the end.");
  // The first of the last levels that are all beyond the margin.
  const stats::Interval same = stats::margin_range(watched.margin);
  const auto differs = [&](const WatchedLevel& level) {
    const bool slower = watched.change == stats::Verdict::slower;
    return stats::position_of(level.ratio_interval, same) == (slower ? stats::Position::above : stats::Position::below);
  };
  const WatchedLevel& changed = *std::find_if_not(watched.levels.rbegin(), watched.levels.rend(), differs).base();
  if (&changed == &last)
    return cat("A step takes ", ratio_words(last), " as long from step ", last.first, " on: ", times, ".");
  return cat("A step takes ", ratio_words(last), " as long in the end as at first: ", times, ". It is ",
             name_of(watched.change), " from step ", changed.first, " on.");
}

// What else changed with the last level, and whether it costs anything here.
std::string subnormal_sentence(const Watched& watched) {
  if (watched.levels.empty()) return "";
  std::string words = subnormal_words(watched.levels.back().subnormals);
  if (words.empty()) return "";
  const auto looked =
      std::ranges::find_if(watched.blocks, [](const WatchedBlock& block) { return block.subnormals.has_value(); });
  const bool at_first = looked != watched.blocks.end() && !subnormal_words(looked->subnormals).empty();
  words = cat("In the end ", words, at_first ? ", as at first many are" : ", at first hardly any are");
  if (watched.flushes_to_zero) words += "; the implementation computes with them as zeros";
  return words + ".";
}

std::string memory_sentence(const std::string& which, const report::MemoryCourse& memory) {
  const std::string ends = cat(format_bytes(static_cast<double>(memory.first_bytes)), " at first, ",
                               format_bytes(static_cast<double>(memory.last_bytes)), " in the end");
  if (!memory.bytes_per_step) return cat(which, " does not grow steadily: ", ends, ".");
  return cat(which, " grows by ", format_bytes(*memory.bytes_per_step), " a step: ", ends, ".");
}

std::string pauses_sentence(const Watched& watched) {
  const report::Pauses& pauses = watched.pauses;
  if (pauses.blocks == 0) return "";
  return cat(counted(pauses.blocks, "block"), " took three times as long as the others and more, ",
             format_percent(pauses.share), " of the time; the longest lost ", format_duration_ns(pauses.worst_ns),
             " after step ", pauses.worst, ".");
}

std::string compiled_sentence(const Watched& watched) {
  if (!watched.last_trace) return "";
  return cat("It compiled ", counted(watched.traces, "time"), " while it trained, the last one after step ",
             *watched.last_trace, ".");
}

std::vector<std::string> advice(const Watched& watched) {
  std::vector<std::string> advice;
  const bool slower = watched.change == stats::Verdict::slower;
  if (slower && !watched.levels.empty() && !subnormal_words(watched.levels.back().subnormals).empty()) {
    advice.emplace_back(
        "Have denormal numbers flushed to zero (torch.set_flush_denormal(True) in PyTorch, MXCSR's bits 6 and 15 in C; "
        "--set denormals=flush shows what that brings), or keep what shrinks from shrinking without end: a smaller "
        "weight decay, no momentum where gradients vanish.");
  }
  if (watched.keeps_growing()) {
    advice.emplace_back(
        "Look for what is kept of each step: a loss that is summed up with its tape or graph, a list of results, a "
        "graph to which every step adds.");
  }
  if (watched.last_trace) {
    advice.emplace_back(
        "Keep shapes the same from step to step, as a ragged last batch is a shape of its own, and hand over "
        "numbers that change as arrays.");
  }
  return advice;
}

std::string steps_words(std::int64_t first, std::int64_t end) { return cat(first, " to ", end); }

std::string share_words(const std::optional<Subnormals>& found, double Subnormals::*share) {
  return found ? format_percent(*found.*share) : "-";
}

Columns levels_table(const Watched& watched) {
  Columns table = {left("steps"),         right("blocks", 2),          right("step"),           right("interval", 1),
                   right("to the first"), right("denormal: state", 2), right("activations", 1), right("gradients", 2)};
  for (const WatchedLevel& level : watched.levels) {
    add_row(table,
            {steps_words(level.first, level.end), std::to_string(level.blocks), format_duration_ns(level.step_ns),
             cat("[", format_in_unit_of(level.interval.low, level.step_ns), ", ",
                 format_in_unit_of(level.interval.high, level.step_ns), "]"),
             &level == &watched.levels.front() ? "-" : ratio_words(level),
             share_words(level.subnormals, &Subnormals::state), share_words(level.subnormals, &Subnormals::activations),
             share_words(level.subnormals, &Subnormals::gradients)});
  }
  return table;
}

template <class ValueOf>
std::vector<double> values_of(const std::vector<WatchedBlock>& blocks, const ValueOf& value_of) {
  std::vector<double> values;
  for (const WatchedBlock& block : blocks) {
    if (const std::optional<double> value = value_of(block)) values.push_back(*value);
  }
  return values;
}

// Medians over a dozen parts of the training; of loss and memory the last value.
Columns course_table(const Watched& watched) {
  Columns table = {left("steps"),   right("step"),           right("control", 2),
                   right("memory"), right("allocations", 2), right("loss", 1)};
  const std::vector<WatchedBlock>& all = watched.blocks;
  const std::size_t rows = std::min(kRows, all.size());
  const auto at = [&](std::size_t row) { return all.begin() + static_cast<std::ptrdiff_t>(row * all.size() / rows); };
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<WatchedBlock> part(at(row), at(row + 1));
    const auto typical = [&](const auto& value_of, const auto& words_of) {
      const std::vector<double> values = values_of(part, value_of);
      return values.empty() ? std::string("-") : words_of(stats::median(values));
    };
    const std::vector<double> losses = values_of(part, [](const WatchedBlock& block) { return block.loss; });
    add_row(table, {steps_words(part.front().first, part.back().end()),
                    typical([](const WatchedBlock& block) { return std::optional(block.step_ns); }, format_duration_ns),
                    typical([](const WatchedBlock& block) { return block.control_ns; }, format_duration_ns),
                    format_bytes(static_cast<double>(part.back().own_bytes)),
                    typical([](const WatchedBlock& block) { return block.allocations; }, format_number),
                    losses.empty() ? "-" : format_number(losses.back())});
  }
  return table;
}

template <class ValueOf>
document::Series series_of(const Watched& watched, const std::string& name, int hue, const ValueOf& value_of) {
  document::Series series{.name = name, .look = document::look_of(hue), .line = document::Line::thin};
  for (const WatchedBlock& block : watched.blocks) {
    const std::optional<double> value = value_of(block);
    if (value && std::isfinite(*value)) series.points.push_back({static_cast<double>(block.end()), *value});
  }
  return series;
}

Figure figure_of(const std::string& title, const std::string& sentence, document::Axis up,
                 std::vector<document::Series> series, const Watched& watched) {
  document::Plane plane{.across = {.title = "steps", .text = &format_count},
                        .up = std::move(up),
                        .series = std::move(series),
                        .keyed = true};
  std::erase_if(plane.series, [](const document::Series& one) { return one.points.empty(); });
  for (std::size_t i = 1; i < watched.levels.size(); ++i) {
    plane.rules.push_back({.at = static_cast<double>(watched.levels[i].first)});
  }
  return {.title = title, .sentence = sentence, .chart = std::move(plane)};
}

Blocks course_blocks(const Watched& watched) {
  Blocks blocks;
  blocks.table("", course_table(watched));
  const auto step = [](const WatchedBlock& block) { return std::optional(block.step_ns); };
  blocks.figure(figure_of("Time of a step",
                          "Each block of the training, and of the control next to it. A line where the level changes.",
                          {.title = "time of a step", .text = &format_duration_ns, .logarithmic = true},
                          {series_of(watched, watched.implementation, 0, step),
                           series_of(watched, watched.control.value_or(""), document::kGrey,
                                     [](const WatchedBlock& block) { return block.control_ns; })},
                          watched));
  const auto memory = [](const WatchedBlock& block) { return std::optional(static_cast<double>(block.own_bytes)); };
  constexpr double kRoom = 1.05;
  const double most = std::ranges::max(values_of(watched.blocks, memory));
  blocks.figure(figure_of("Memory", "The worker's own memory behind each block.",
                          {.title = "memory", .text = &format_bytes, .ends = stats::Interval{0, kRoom * most}},
                          {series_of(watched, "memory", 0, memory)}, watched));
  const auto of_device = [](const WatchedBlock& block) {
    return block.device_bytes ? std::optional(static_cast<double>(*block.device_bytes)) : std::nullopt;
  };
  if (watched.device_memory) {
    blocks.figure(figure_of("Memory on the device", "The most that the worker had there so far, behind each block.",
                            {.title = "memory", .text = &format_bytes},
                            {series_of(watched, "memory on the device", 0, of_device)}, watched));
  }
  const auto share = [&](const std::string& name, int hue, double Subnormals::*which) {
    return series_of(watched, name, hue, [which](const WatchedBlock& block) {
      return block.subnormals ? std::optional(*block.subnormals.*which) : std::nullopt;
    });
  };
  const auto any = [](const WatchedBlock& block) {
    const std::optional<Subnormals>& found = block.subnormals;
    return found && std::max({found->state, found->activations, found->gradients}) > 0;
  };
  if (std::ranges::any_of(watched.blocks, any)) {
    blocks.figure(
        figure_of("Denormal numbers",
                  "Shares of numbers below the least normal one; state: parameters and the optimizer's slots.",
                  {.title = "share", .text = &format_percent},
                  {share("state", 0, &Subnormals::state), share("activations", 1, &Subnormals::activations),
                   share("gradients", 2, &Subnormals::gradients)},
                  watched));
  }
  document::Series losses = series_of(watched, "loss", 0, [](const WatchedBlock& block) { return block.loss; });
  if (!losses.points.empty()) {
    blocks.figure(figure_of("Loss", "Over all rows, behind some of the blocks.",
                            {.title = "loss", .text = &format_number}, {std::move(losses)}, watched));
  }
  return blocks;
}

std::vector<std::string> remarks(const Watched& watched) {
  const auto disturbed = std::ranges::count_if(watched.blocks, &WatchedBlock::is_disturbed);
  std::vector<std::string> remarks = {
      cat(counted(watched.blocks.size(), "block"), " after ", counted(watched.warm_up_steps, "step"),
          " that warm up; the first step took ", format_duration_ns(watched.first_step_ns), ". Intervals of ",
          format_percent(watched.confidence), " are over blocks of one process and say nothing of others.")};
  remarks.push_back(watched.control
                        ? cat("Levels are at the usual pace of ", *watched.control,
                              ", which takes the same steps from the start before every block: what it has in common "
                              "with the training is the machine's.")
                        : "Without a control a change may be the machine's: other clocks, other work.");
  if (disturbed > 0) {
    remarks.push_back(cat(
        counted(disturbed, "block"), " waited for a processor, ",
        2 * disturbed > std::ssize(watched.blocks) ? "and count all the same, being most." : "and are not judged."));
  }
  remarks.emplace_back(
      "denormal: shares of numbers that are not 0 and below the least normal one; activations and gradients of a batch "
      "are the reference's, from the implementation's parameters.");
  return remarks;
}

}  // namespace

Document document_of(const Watched& watched) {
  Document document{.title = cat("gdbench watch: ", watched.scenario, ", ", watched.implementation, ", ",
                                 counted(watched.steps(), "step"))};
  if (!watched.ended.empty()) document.answer.push_back({cat("Ended before its time: ", watched.ended, ".")});
  const std::string not_finite =
      watched.first_not_finite ? cat("The loss is no finite number after step ", *watched.first_not_finite, ".") : "";
  const bool is_judged = !watched.levels.empty();
  const std::string memory = is_judged ? memory_sentence("Memory", watched.memory) : "";
  const std::string on_device =
      is_judged && watched.device_memory ? memory_sentence("Memory on the device", *watched.device_memory) : "";
  for (std::string sentence : {change_sentence(watched), subnormal_sentence(watched), memory, on_device,
                               pauses_sentence(watched), compiled_sentence(watched), not_finite}) {
    if (!sentence.empty()) document.answer.push_back({std::move(sentence)});
  }
  document.section("What to do", Blocks().list(advice(watched)));
  document.section("Levels", Blocks().table("", levels_table(watched)));
  document.section("Over the steps", course_blocks(watched));
  document.section("How to read this", Blocks().list(remarks(watched)));
  return document;
}

}  // namespace gdbench::answers
