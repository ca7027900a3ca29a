#include "reports/render/fairness.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/render/format.h"

namespace gdbench::render {

namespace {

// In the order of the rules.
constexpr std::array kSentences = {
    // broadcast
    FairnessSentence{"{side}: {value}",
                     "each prediction meets the targets of other rows, so loss and gradients are wrong[, and there are "
                     "{ratio} times as many differences]",
                     "give prediction and target of {side} one shape"},
    // shapes_do_not_fit
    FairnessSentence{"{side}: {value}", "arrays of these shapes cannot be subtracted: what was timed has others",
                     "look up which shapes {side} really has"},
    // overwritten_input
    FairnessSentence{"{side}: the update overwrites an array that is read again",
                     "BLAS's axpy takes a and overwrites y by a x + y: adding its result to y counts the "
                     "parameters twice, and a second run starts from trained ones",
                     "let the update of {side} write the parameters and nothing else read them meanwhile"},
    // no_wait
    FairnessSentence{"{side}: nothing waits for the results",
                     "work may be unfinished when the clock stops, which then has timed its submission",
                     "wait for the last parameters of {side} before the clock stops"},
    // mixed_dtypes
    FairnessSentence{"{side}: {value}",
                     "a library refuses to multiply them, or converts one in each step and computes in the wider type",
                     "convert the data of {side} to the parameters' type before the clock starts"},
    // compile_is_not_xla
    FairnessSentence{"{side}: compile() is not XLA",
                     "Keras's compile() names loss and optimizer; whether XLA compiles the step is up to jit_compile, "
                     "whose default changes with the version: the time says nothing about XLA",
                     "set jit_compile in {side}, and describe it as xla or as function"},
    // updates
    FairnessSentence{"{A} makes {a}, {B} {b}", "the times are of unequal work[: {times} times as many updates]",
                     "make as many updates in both, or divide each time by its own number"},
    // rows_of_a_step
    FairnessSentence{
        "{A} makes {a}, {B} {b}",
        "a step is another amount of work, so neither the whole nor a step can be compared[: {times} times "
        "as many updates]",
        "give both the same batch and the same number of updates"},
    // device
    FairnessSentence{"{A} runs on {a}, {B} on {b}", "the difference may be the devices' alone",
                     "run both on one device"},
    // threads
    FairnessSentence{"{A} has threads: {a}, {B}: {b}", "the difference may be the threads' alone",
                     "give both as many threads"},
    // loss
    FairnessSentence{"{A} has {a}, {B} {b}", "the passes compute different functions", "give both one loss"},
    // outputs
    FairnessSentence{"columns of the predictions: {a} in {A}, {b} in {B}", "products and loss have other sizes",
                     "give both one model and the same targets"},
    // weights_shape
    FairnessSentence{"{A} has weights {a}, {B} {b}", "the products have other sizes", "give both one model"},
    // optimizer
    FairnessSentence{"{A} updates by {a}, {B} by {b}",
                     "an update reads and writes another number of arrays, and the parameters take another path",
                     "give both one optimizer"},
    // dtype
    FairnessSentence{"{key}: {a} in {A}, {b} in {B}",
                     "other numbers of bytes to move and of entries per instruction: f64 takes about twice the time of "
                     "f32 where arithmetic or memory is the limit",
                     "give both the same {key}"},
    // casts
    FairnessSentence{"{side}: casts in each step: {value}", "a step copies data into another type before it begins",
                     "cast the data of {side} once, before the clock starts"},
    // rank_one_product
    FairnessSentence{
        "{side}: the weights in the matrix product are a vector of rank 1, {value}",
        "it is a matrix-vector product instead of a matrix product, where a library takes it (TensorFlow's "
        "matmul does not), and its prediction (N,) less targets (N, 1) is N x N",
        "give the weights of {side} a second dimension of 1"},
    // accumulated_parts
    FairnessSentence{"{A} accumulates over parts: {a}, {B}: {b}",
                     "the same update takes more and smaller products, and less memory",
                     "accumulate over as many parts in both"},
    // update_copies
    FairnessSentence{"{side} makes new arrays at each update, {other} writes in place",
                     "an update allocates memory and moves more of it", "update in place in both"},
    // shuffle
    FairnessSentence{"{side} shuffles, {other} does not",
                     "rows are gathered one by one where the other takes them as they lie, and the parameters take "
                     "another path",
                     "give both the same order of rows"},
    // tracing
    FairnessSentence{"{side}: the clock includes tracing or compiling ({value})",
                     "what happens once is charged to the steps: the fewer they are, the more",
                     "run {side} once before the clock starts, and report that time apart"},
    // clock_includes
    FairnessSentence{"{side}: the clock includes {value}, that of {other} does not",
                     "the difference holds {value}, not the steps alone", "take {value} out of the clock of {side}"},
    // no_warm_up
    FairnessSentence{"{side} runs no step before the clock starts, {other} does",
                     "first steps allocate memory, start threads and meet cold caches", "warm {side} up like {other}"},
    // gradient_factor
    FairnessSentence{
        "{A} has {a}, {B} {b}",
        "[the gradients of {A} are {ratio} times those of {B}: ]with one learning rate the parameters take "
        "another path",
        "give both one loss[, or {B} the learning rate {rate}]"},
    // undivided_accumulation
    FairnessSentence{"{side} adds the gradients of {value} parts and does not divide",
                     "its gradients are {value} times those of the whole batch",
                     "divide the sum of {side} by {value}[, or give {B} the learning rate {rate}]"},
    // learning_rate
    FairnessSentence{"learning rate: {a} in {A}, {b} in {B}",
                     "the parameters take another path: losses after as many steps say nothing of speed",
                     "give both one learning rate"},
    // initial
    FairnessSentence{"initial parameters: {a} in {A}, {b} in {B}", "steps to a target depend on where they begin",
                     "copy the initial parameters of one to the other"},
    // rows
    FairnessSentence{"rows: {a} in {A}, {b} in {B}", "an epoch is another number of steps, and the loss another",
                     "give both the same rows"},
    // normalisation
    FairnessSentence{"normalisation: {a} in {A}, {b} in {B}",
                     "the problems differ in their conditioning, so steps to a target cannot be compared; per sample "
                     "also takes away each row's size",
                     "normalise both per feature, by the same means and deviations, or neither"},
    // optimizer_constant
    FairnessSentence{"{key}: {a} in {A}, {b} in {B}", "the parameters take another path", "give both one {key}"},
};
static_assert(kSentences.size() == static_cast<std::size_t>(fairness::kLastRule) + 1);

}  // namespace

const FairnessSentence& fairness_sentence(fairness::Rule rule) { return kSentences.at(static_cast<std::size_t>(rule)); }

namespace {

using fairness::Comparison;
using fairness::Finding;
using fairness::Harm;
using fairness::Side;

using Values = std::map<std::string, std::string>;

Values values_of(const Comparison& comparison, const Finding& finding) {
  Values values = {{"A", comparison.a}, {"B", comparison.b}, {"key", finding.key}};
  const bool by_b = finding.side == Side::b;
  if (finding.side) {
    values["side"] = by_b ? comparison.b : comparison.a;
    values["other"] = by_b ? comparison.a : comparison.b;
    values["value"] = by_b ? finding.b : finding.a;
  } else {
    values["a"] = finding.a;
    values["b"] = finding.b;
  }
  if (finding.ratio) {
    values["ratio"] = format_number(*finding.ratio);
    values["times"] = format_number(std::max(*finding.ratio, 1 / *finding.ratio));
  }
  if (finding.learning_rate) values["rate"] = exact(*finding.learning_rate);
  return values;
}

// Puts the values in. Nothing where one of them is not known.
std::optional<std::string> filled(const std::string& text, const Values& values) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = text.find('}', open);
    const auto value = values.find(text.substr(open + 1, close - open - 1));
    if (value == values.end()) return std::nullopt;
    result += text.substr(at, open - at) + value->second;
    at = close + 1;
  }
  return result + text.substr(at);
}

// The same, with what is optional.
std::string sentence(const std::string& text, const Values& values) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string::npos) return filled(text, values).value_or(text);
  const std::string optional_part = filled(text.substr(open + 1, close - open - 1), values).value_or("");
  return filled(text.substr(0, open), values).value_or("") + optional_part +
         filled(text.substr(close + 1), values).value_or("");
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

const char* heading_of(Harm harm) {
  switch (harm) {
    case Harm::wrong:
      return "One side is not what it is taken for";
    case Harm::work:
      return "The sides do not do the same work";
    case Harm::clock:
      return "The clocks do not measure the same";
    case Harm::training:
      return "Losses and steps to a target cannot be compared";
  }
  return "";
}

std::string mend_of(const Comparison& comparison, const Finding& finding) {
  return sentence(fairness_sentence(finding.rule).mend, values_of(comparison, finding));
}

std::string finding_words(const Comparison& comparison, const Finding& finding) {
  const FairnessSentence& says = fairness_sentence(finding.rule);
  const Values values = values_of(comparison, finding);
  return cat(sentence(says.what, values), ". ", capitalised(sentence(says.effect, values)), ". To mend it, ",
             sentence(says.mend, values), ".");
}

std::string unknown_words(const Comparison& comparison, const fairness::Unknown& unknown) {
  if (unknown.side) {
    return cat(unknown.key, ": ", *unknown.side == Side::a ? comparison.a : comparison.b, " does not say.");
  }
  return unknown.key + (unknown.key == "initial"
                            ? ": one seed draws other numbers in another library: \"same\" means copied."
                            : ": what both say does not prove that it is the same.");
}

std::string conclusion(const Comparison& comparison) {
  if (!comparison.findings.empty()) return "Not fair. First, " + mend_of(comparison, comparison.findings.front()) + ".";
  if (comparison.compared.empty()) return "Nothing was compared: no key is said by both.";
  return "Fair, as far as both say: " + counted(comparison.compared.size(), "point") + " compared" +
         (comparison.unknown.empty() ? "" : ", " + std::to_string(comparison.unknown.size()) + " unknown") + ".";
}

}  // namespace

document::Document document_of(const Comparison& comparison) {
  document::Document document{.title = comparison.a + " compared with " + comparison.b,
                              .answer = {{conclusion(comparison), comparison.fair() ? Style::good : Style::bad}}};
  for (const auto& harm : fairness::kHarms) {
    std::vector<std::string> findings;
    for (const Finding& finding : comparison.findings) {
      if (fairness::harm_of(finding.rule) == harm.value) findings.push_back(finding_words(comparison, finding));
    }
    document::Blocks blocks;
    blocks.list(findings);
    document.section(heading_of(harm.value), std::move(blocks));
  }
  document::Blocks unknown;
  std::vector<std::string> words;
  for (const fairness::Unknown& one : comparison.unknown) words.push_back(unknown_words(comparison, one));
  if (!comparison.unsaid.empty()) words.push_back("Neither says: " + joined(comparison.unsaid) + ".");
  unknown.list(words);
  document.section("Unknown, so not judged", std::move(unknown));
  return document;
}

}  // namespace gdbench::render
