#include "implementations/strategies/graph/passes/pipeline.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "implementations/common/failure.h"
#include "implementations/common/options.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/graph/ir/verify.h"

namespace gdbench::strategies::graph {
namespace {

using implementations::Failure;

constexpr Pass kPasses[] = {
    {"constants", "computes what depends on constants alone", fold_constants},
    {"algebra", "x * 1, x + 0, double scaling, identity activations", simplify_algebra},
    {"transposes", "transposes become attributes of products", fold_transposes},
    {"common-subexpressions", "equal computations become one", merge_common_subexpressions},
    {"dead-code", "removes what nothing needs", remove_dead_code},
    {"fusion", "scaling and adding in the product that precedes", fuse_elementwise},
    {"product-epilogues", "bias, activation and gradients in the product that precedes", form_product_epilogues},
    {"update-epilogues", "the update of a layer in the product of its gradient", form_update_epilogues},
    {"merge-updates", "one update for all parameters", merge_updates},
};

// More rounds than rewriting a rewritten graph can take; a pass that fires forever is a fault.
constexpr int kMaximumRounds = 16;

void verify(const Graph& graph, const char* after) {
  const std::string error = graph_error(graph, Stage::rewriting);
  if (!error.empty()) throw Failure(GDBENCH_FAILED, std::string("the graph is broken after ") + after + ": " + error);
}

[[noreturn]] void refuse(const std::string& name, const std::string& others) {
  std::string names;
  for (const Pass& pass : kPasses) names += std::string(pass.name) + ", ";
  std::istringstream more(others);
  for (std::string other; std::getline(more, other, '|');) names += other + ", ";
  throw Failure(GDBENCH_UNSUPPORTED,
                "passes: found \"" + name + "\", expected all, none, or -NAME or +NAME of " + names + kBufferReuse);
}

void switch_by(Selection& selection, const std::string& word, const std::string& others) {
  if (word == "all" || word == "none") {
    selection.passes.assign(std::size(kPasses), word == "all");
    selection.buffer_reuse = word == "all";
    return;
  }
  if (word[0] != '-' && word[0] != '+') refuse(word, others);
  const bool on = word[0] == '+';
  const std::string_view name = std::string_view(word).substr(1);
  if (name == kBufferReuse) {
    selection.buffer_reuse = on;
    return;
  }
  const auto* pass =
      std::find_if(std::begin(kPasses), std::end(kPasses), [&](const Pass& p) { return p.name == name; });
  if (pass == std::end(kPasses)) {
    if (!implementations::is_among(others, name)) refuse(word, others);
    return;
  }
  selection.passes[static_cast<std::size_t>(pass - kPasses)] = on;
}

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

Selection parse_selection(const std::string& text, const std::string& others) {
  Selection selection{std::vector<bool>(std::size(kPasses), true), true};
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (!word.empty()) switch_by(selection, word, others);
  }
  return selection;
}

const char* switch_names() {
  static const std::string names = [] {
    std::string text;
    for (const Pass& pass : kPasses) text += std::string(pass.name) + "|";
    return text + kBufferReuse;
  }();
  return names.c_str();
}

const char* switch_description() {
  static const std::string words = [] {
    std::string text = "which passes run: all, none, or changes to all such as -fusion,-buffer-reuse";
    for (const Pass& pass : kPasses) text += std::string("\n") + pass.name + ": " + pass.description;
    return text + "\n" + kBufferReuse + ": lets results share memory when their times do not overlap";
  }();
  return words.c_str();
}

std::vector<PassReport> run_passes(Graph& graph, std::span<const Pass> passes, const std::vector<bool>& selected,
                                   const Target& target, const Observer& observer) {
  verify(graph, "building");
  if (observer) observer(graph, nullptr);
  std::vector<PassReport> reports;
  for (const Pass& pass : passes) reports.push_back({pass.name, 0, 0});
  for (int round = 0; round < kMaximumRounds; ++round) {
    std::int64_t fired_in_round = 0;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (!selected[i]) continue;
      const double start = now_ns();
      const std::int64_t fired = passes[i].run(graph, target);
      verify(graph, passes[i].name);
      reports[i].nanoseconds += now_ns() - start;
      reports[i].fired += fired;
      fired_in_round += fired;
      if (fired != 0 && observer) observer(graph, &passes[i]);
    }
    if (fired_in_round == 0) return reports;
  }
  throw Failure(GDBENCH_FAILED, "the passes do not come to an end");
}

}  // namespace gdbench::strategies::graph
