// The keys of scenario files, each once: what reads, writes and describes them walks these lists (key.h).
#pragma once

#include <algorithm>
#include <bit>

#include "harness/base/fields.h"
#include "harness/base/key.h"
#include "harness/base/text.h"
#include "harness/scenario/constraints.h"
#include "harness/scenario/scenario.h"

namespace gdbench::scenario {

constexpr IntegerRange kRowCounts = {1, kMaxRows};
constexpr IntegerRange kRowCountsOrNone = {0, kMaxRows};
constexpr IntegerRange kColumnCounts = {1, kMaxColumns};
constexpr IntegerRange kSizes = {1, kMaxParameters};
constexpr IntegerRange kStepCounts = {1, kMaxSteps};
constexpr NumberRange kShares = {0, false, 1};  // the weight of the past in a running mean
constexpr NumberRange kPositive = {0, true};
constexpr NumberRange kParts = {.least = 0, .open = true, .most = 1};

void fields(auto& archive, Of<LinearRegression> auto& model) {
  archive.optional("bias", model.bias, {"Whether a bias is added."});
}
void fields(auto& archive, Of<MultilayerPerceptron> auto& model) {
  const auto layer_keys = [](auto& inner, auto& layer, bool is_last) {
    inner.field("width", layer.width, {"Outputs of the layer.", kColumnCounts});
    const Key activation = {"Applied to each output; leaky_relu has the slope 0.01 below 0.",
                            "identity in the last layer, required in others"};
    if (is_last) inner.optional("activation", layer.activation, activation);
    if (!is_last) inner.field("activation", layer.activation, activation);
    inner.optional("bias", layer.bias, {"Whether a bias is added."});
    if (layer.normalization != Normalization::none || !inner.kWrites) {
      inner.optional("normalization", layer.normalization,
                     {"Before the activation; layer: over each row's outputs, with a scale and a shift."});
    }
  };
  archive.objects("layers", model.layers, {"The layers, the last of which is the output."}, layer_keys);
}
void fields(auto& archive, Of<Tensors> auto& model) {
  const auto group_keys = [](auto& inner, auto& group, bool /*is_last*/) {
    inner.field("rows", group.rows, {"Rows of each tensor.", kSizes});
    inner.optional("columns", group.columns, {"Columns of each tensor.", kSizes});
    inner.optional("count", group.count, {"Tensors of this shape.", IntegerRange{1, kMaxTensors}});
  };
  archive.objects("tensors", model.groups, {"Parameters without a model, for the task update."}, group_keys);
}

void fields(auto& archive, Of<SyntheticData> auto& data) {
  archive.field(
      "kind", data.kind,
      Key::chooser(
          "linear: y = X w; teacher: a random tanh network; blobs: labels, a Gaussian for each class; gradients: "
          "for the task update."));
  if (data.kind == SyntheticKind::gradients) {  // as many features as the model has parameters: complete_gradients
    archive.start(data.rows, 1);
    archive.start(data.outputs, 0);
    archive.start(data.noise, 0);
    return archive.optional("seed", data.seed, {"Of the random numbers."});
  }
  const bool blobs = data.kind == SyntheticKind::blobs;
  archive.field("rows", data.rows, {"Rows of the data.", kRowCounts});
  archive.field("features", data.features, {"Columns of X.", kColumnCounts});
  const std::int64_t classes = std::max<std::int64_t>(2, archive.kDescribes ? kMaxRows : data.rows);
  archive.optional("outputs", data.outputs,
                   {"Columns of the targets; of blobs classes, each of which has a row.",
                    blobs ? IntegerRange{2, classes} : kColumnCounts});
  archive.optional("noise", data.noise, {"Standard deviation of what is added to the targets, or around a blob."});
  archive.optional("seed", data.seed, {"Of the random numbers."});
  if (archive.kWrites ? data.condition != 1 : data.kind == SyntheticKind::linear || archive.has("condition")) {
    archive.optional("condition", data.condition,
                     {"About the condition number of the features' covariance.", NumberRange{1, false}});
  }
  archive.check("condition", data.condition == 1 || data.kind == SyntheticKind::linear,
                "a condition with the kind " + in_quotes(name_of(data.kind)), "the kind \"linear\"");
  if (!archive.kWrites || data.density != 1)
    archive.optional("density", data.density,
                     {"Probability with which an entry of X is kept; the others are 0.", kParts});
}

constexpr IntegerRange kColumnNumbers = {0, kMaxColumns - 1};  // of an NPY file
constexpr Key kTargetColumns = {"Columns that are the targets; for a loss of labels one.", kColumnNumbers};
constexpr Key kNamedColumns = {
    "Features that hold any text: each becomes a column of 0 and 1 for each of its texts, in sorted order and in its "
    "place.",
    kColumnNumbers, "none"};
constexpr Key kFeatureColumns = {"Columns that are the features.", kColumnNumbers, "all other columns"};

void column_fields(auto& archive, auto& data, bool by_number) {
  archive.columns("features", data.features, by_number, kFeatureColumns);
  archive.columns("targets", data.targets, by_number, kTargetColumns);
  archive.check("targets", !data.targets.empty(), archive.has("targets") ? "an empty array" : "nothing",
                "at least one column");
  for (const std::string& target : data.targets) {
    archive.check("targets", std::ranges::find(data.features, target) == data.features.end(),
                  in_quotes(target) + ", which is a feature as well", "other columns than the features");
  }
}

// How a file of cells is written.
void cell_fields(auto& archive, auto& data) {
  // Written where they are not as by default: the identity of scenarios stays what it was before there were such keys.
  const auto rare = [&](const char* key, auto& value, const auto& by_default, const Key& allowed) {
    if (!archive.kWrites || value != by_default) archive.optional(key, value, allowed);
  };
  rare("separator", data.separator, Separator::automatic,
       {"What is between cells; auto: one of the others by which all of the first lines have as many cells."});
  rare("header", data.header, true,
       {"Whether the first line names the columns; otherwise features and targets are numbers of columns, from 0."});
  rare("skip", data.skip, std::int64_t{0}, {"Lines at the beginning that are left out.", kRowCountsOrNone});
  column_fields(archive, data, !data.header);
  rare("comment", data.comment, std::string(), {"Lines that begin with this text are left out.", "none"});
  rare("missing", data.missing, std::vector<std::string>(), {"Texts of cells that count as empty: \"?\", \"NA\" ..."});
  constexpr bool kResident = Of<std::remove_reference_t<decltype(data)>, CsvData>;
  if (kResident || !archive.kWrites || data.empty_cells != EmptyCells::reject) {
    archive.optional(
        "empty_cells", data.empty_cells,
        {"Whether rows with empty cells are refused or dropped, or such a number among the features becomes "
         "the mean of its column (rows without a target or a name are dropped)."});
  }
  rare("decimal", data.numbers.decimal, Decimal::point, {"Between a number's integer and its fraction."});
  rare("thousands", data.numbers.thousands, Thousands::none, {"Between each three digits of a number's integer."});
  rare("percent", data.numbers.percent, false, {"Whether 12% is read, as 0.12."});
  const bool same_sign = std::string_view(name_of(data.numbers.decimal)) == name_of(data.numbers.thousands);
  archive.check("thousands", !same_sign, in_quotes(name_of(data.numbers.thousands)) + ", as decimal is",
                "another sign than between integer and fraction");
  archive.check("thousands", data.numbers.thousands != Thousands::blank || data.separator != Separator::blanks,
                "\"blank\", as separator is", "another sign than between cells");
  rare("positive", data.positive, std::string(),
       {"Of a loss of targets from 0 to 1, where the targets are two texts: the text that is 1.",
        "the second in sorted order"});
  if (!archive.kWrites || !data.one_hot.empty()) archive.columns("one_hot", data.one_hot, !data.header, kNamedColumns);
  for (const std::string& name : data.one_hot) {
    const bool is_target = std::ranges::find(data.targets, name) != data.targets.end();
    const bool left_out = !data.features.empty() && std::ranges::find(data.features, name) == data.features.end();
    archive.check("one_hot", !is_target && !left_out, in_quotes(name) + ", which is no feature",
                  "some of the features");
  }
}

void fields(auto& archive, Of<CsvData> auto& data) {
  archive.field("path", data.path,
                {"A UTF-8 file of rows of cells, which may be compressed (.gz, .zst), from the scenario's folder."});
  cell_fields(archive, data);
}
void fields(auto& archive, Of<NpyData> auto& data) {
  archive.field("x", data.x,
                {"The features [rows, features]: numbers of any type and order, from the scenario's folder; "
                 "FILE.npz/NAME is in an archive."});
  archive.field("y", data.y, {"The targets likewise: integers where the loss takes labels."});
}
void fields(auto& archive, Of<IdxData> auto& data) {
  archive.field("x", data.x, {"The features: unsigned bytes, divided by 255, from the scenario's folder."});
  archive.field("labels", data.labels,
                {"The labels: unsigned bytes; for a loss of numbers targets of 0 and 1, a column for each class."});
}
void fields(auto& archive, Of<LibsvmData> auto& data) {
  archive.field("path", data.path,
                {"Rows of TARGET INDEX:NUMBER ..., which may be compressed (.gz, .zst), from the scenario's folder."});
}
void fields(auto& archive, Of<StreamData> auto& data) {
  archive.field(
      "path", data.path,
      {"A file as of csv, or an .npy file [rows, columns] of <f4 or <f8, whose features and targets are numbers "
       "of columns, from the scenario's folder."});
  if (data.is_npy()) {
    column_fields(archive, data, true);
  } else {
    cell_fields(archive, data);
  }
  archive.optional("memory_cap", data.memory_cap,
                   {"Bytes that a worker holds of batches and blocks.", IntegerRange{1, INT64_MAX}});
}

void fields(auto& archive, Of<Batch> auto& batch) {
  Key rows = {"Rows of a batch.", kRowCounts};
  rows.word = "full";
  archive.field("rows", batch.rows, rows);
  if (batch.rows || !archive.kWrites) {
    archive.optional("shuffle", batch.shuffle, {"Whether each epoch has an order of its own."});
    archive.optional("seed", batch.seed, {"Of the orders."});
    if (!archive.kWrites || batch.drop_last)
      archive.optional("drop_last", batch.drop_last,
                       {"Whether an epoch's last batch is left out where it is smaller."});
  }
  if (!archive.kWrites || batch.micro_batches > 1)
    archive.optional("micro_batches", batch.micro_batches,
                     {"Parts that a batch is processed in, their gradients accumulated.", kRowCounts});
}

void fields(auto& archive, Of<Schedule> auto& schedule) {
  archive.field(
      "kind", schedule.kind,
      Key::chooser(
          "constant; step: the rate times factor after each `every` steps; cosine: half a cosine to final_rate."));
  archive.optional("warm_up", schedule.warm_up,
                   {"Steps of a rate that grows linearly.", IntegerRange{0, kMaxScheduleSteps}});
  if (schedule.kind != ScheduleKind::constant) {
    const std::int64_t warm_up = archive.kDescribes ? 0 : schedule.warm_up;
    archive.optional(
        "steps", schedule.steps,
        {"The step at which it ends.", IntegerRange{warm_up + 1, kMaxScheduleSteps}, "the scenario's steps"});
  }
  if (schedule.kind == ScheduleKind::step) {
    archive.field("every", schedule.every, {"Steps of one rate.", IntegerRange{1, kMaxScheduleSteps}});
    archive.optional("factor", schedule.factor, {"From one rate to the next.", kPositive});
  }
  if (schedule.kind == ScheduleKind::cosine) {
    archive.optional("final_rate", schedule.final_rate, {"The rate at the end."});
  }
}

void optimizer_fields(auto& archive, auto& optimizer, auto& schedule) {
  using enum catalogue::EpsilonPlace;
  archive.optional("kind", optimizer.kind, Key::chooser("The update rule."));
  archive.field("learning_rate", schedule.rate, {"Of each step, or what a schedule begins with.", kPositive});
  const catalogue::OptimizerRow& row = catalogue::row_of(optimizer.kind);
  for (const auto& [constant, fallback] : row.keys) {
    archive.start(optimizer.*constant.member, fallback);
    archive.optional(constant.name, optimizer.*constant.member,
                     {constant.is_share ? "The weight of the past in a running mean." : "A constant of the rule.",
                      constant.is_share ? kShares : kPositive});
  }
  if (row.other_place != outside && (optimizer.epsilon_place != outside || !archive.kWrites)) {
    archive.optional(
        "epsilon_place", optimizer.epsilon_place,
        {"Where epsilon is added: outside the root, to the root before the correction (hat), or inside the "
         "root; own: where each implementation adds it."});
    const auto place = optimizer.epsilon_place;
    archive.check("epsilon_place", place == outside || place == row.other_place || place == own,
                  in_quotes(name_of(place)), "one of outside, " + std::string(name_of(row.other_place)) + ", own");
  }
  if (!archive.kWrites || optimizer.weight_decay != 0 || row.weight_decay != 0) {
    archive.start(optimizer.weight_decay, row.weight_decay);
    archive.start(optimizer.decoupled_weight_decay, row.always_decoupled);
    archive.optional("weight_decay", optimizer.weight_decay, {"This times the parameter is added to its gradient."});
    archive.optional("decoupled_weight_decay", optimizer.decoupled_weight_decay,
                     {"Multiplies the parameter by 1 - rate x weight_decay instead."});
    archive.check("decoupled_weight_decay", optimizer.decoupled_weight_decay || !row.always_decoupled,
                  "false with " + std::string(row.name), "true, or an optimizer whose decay may be coupled");
  }
  if (schedule.kind != ScheduleKind::constant || schedule.warm_up != 0 || !archive.kWrites) {
    const auto keys = [&](auto& inner) { fields(inner, schedule); };
    archive.object("schedule", {"How the learning rate changes.", "constant"}, keys);
  }
}

void fields(auto& archive, Of<catalogue::LossScaling> auto& scaling) {
  auto initial = static_cast<std::int64_t>(scaling.initial);
  archive.optional("initial", initial, {"The first factor, a power of two.", IntegerRange{1, std::int64_t{1} << 40}});
  archive.check("initial", std::has_single_bit(static_cast<std::uint64_t>(initial)), std::to_string(initial),
                "a power of two, by which nothing is rounded");
  archive.start(scaling.initial, static_cast<double>(initial));
  archive.optional("growth_interval", scaling.growth_interval,
                   {"Steps without overflow after which the factor doubles.", kStepCounts});
}

constexpr const char* kEitherBound = "exactly one: \"loss\", or \"relative\", a part of the initial loss";

// `steps`: the scenario's.
void target_fields(auto& archive, auto& target, std::int64_t steps) {
  // A training to a target may be this many times as long as the scenario's, with so many evaluations in its steps.
  constexpr std::int64_t kLonger = 100;
  constexpr std::int64_t kEvaluations = 10;
  const bool both = archive.has("loss") && archive.has("relative");
  archive.start(target.relative, archive.has("relative"));
  archive.check("", both || archive.has("loss") || target.relative, "neither loss nor relative", kEitherBound);
  archive.check("", !both, "both of loss and relative", kEitherBound);
  if (!target.relative) {
    archive.optional("loss", target.loss, {"The bound of the loss.", kPositive, "relative"});
  }
  if (target.relative || archive.kDescribes) {
    archive.optional("relative", target.loss,
                     {"The part of the initial loss that is the bound.", NumberRange{0, true, 1}, "loss"});
  }
  archive.start(target.max_steps, kMaxSteps / kLonger < steps ? kMaxSteps : kLonger * steps);
  archive.optional("most_steps", target.max_steps,
                   {"Steps after which it ends all the same.", kStepCounts, "100 x steps"});
  archive.start(target.evaluate_every, std::clamp<std::int64_t>(steps / kEvaluations, 1, target.max_steps));
  archive.optional("evaluate_every", target.evaluate_every,
                   {"Steps between two evaluations of the loss, at most most_steps.",
                    IntegerRange{1, archive.kDescribes ? kMaxSteps : target.max_steps}, "steps / 10, at least 1"});
}

void fields(auto& archive, Of<Initial> auto& initial) {
  const bool drawn = archive.has("distribution") || archive.has("scale");
  if (!archive.kWrites || initial.path.empty()) {
    archive.optional("distribution", initial.distribution,
                     {"Of n inputs and m outputs, biases 0: lecun: normal, variance 1 / n; glorot: in +-sqrt(6 / (n + "
                      "m)); he: normal, variance 2 / n; normal: variance 1. uniform: in +-sqrt(1 / n), biases too."});
    archive.optional("scale", initial.scale, {"By which weights and biases are multiplied."});
  }
  if (archive.kWrites ? !initial.path.empty() : archive.has("path") || archive.kDescribes) {
    archive.optional("path", initial.path,
                     {"Instead: FILE.npz of arrays w0 [inputs, outputs], b0 [outputs], w1 ..., or FILEw0.npy next to "
                      "FILEb0.npy ..., from the scenario's folder.",
                      "none"});
  }
  archive.check("path", !(archive.has("path") && drawn), "a path with a distribution or a scale", "one of them");
}

void fields(auto& archive, Of<Scenario> auto& scenario) {
  // Names are matched by globs and become parts of file names.
  archive.field("name", scenario.name, {"Letters, digits, '.', '_' and '-'."});
  archive.check("name", is_name(scenario.name) || !archive.has("name"), in_quotes(scenario.name), kExpectedName);
  archive.optional("purpose", scenario.purpose, {"The question that it answers."});
  archive.optional("favours", scenario.favours, {"Which implementations it flatters."});
  archive.optional("task", scenario.task,
                   {"train: forward, backward, update; gradients: a gradient for each output; update: the optimizer "
                    "alone; forward: the loss alone; floor: the emptiest step."});
  archive.template variant<catalogue::ModelKind>("model", scenario.model, "kind", {"What is trained."});
  archive.optional(
      "loss", scenario.loss.kind,
      Key::chooser(
          "The mean loss; softmax_cross_entropy takes labels, binary_cross_entropy logits and targets from 0 to "
          "1, of synthetic data 1 where they were above 0."));
  const bool is_huber = scenario.loss.kind == Loss::huber;
  if (is_huber) {
    archive.optional("huber_delta", scenario.loss.huber_delta,
                     {"Up to this difference the loss is a square.", kPositive});
  }
  archive.check("huber_delta", is_huber || archive.kWrites || !archive.has("huber_delta"),
                "a huber_delta with the loss " + in_quotes(name_of(scenario.loss.kind)), "the loss \"huber\"");
  archive.template variant<Source>("data", scenario.data, "source", {"What it is trained on."});
  archive.object("standardise", {"To mean 0 and standard deviation 1 of each column; a constant column becomes 0."},
                 [&](auto& inner) {
                   inner.optional("features", scenario.standardise.features, {"The features."});
                   inner.optional("targets", scenario.standardise.targets, {"The targets."});
                 });
  archive.object("batch", {"\"full\", a number of rows, or:"}, [&](auto& inner) { fields(inner, scenario.batch); });
  archive.optional("steps", scenario.steps,
                   {"A length of training that stays far from its fixed point; one that diverges within it is refused.",
                    kStepCounts});
  archive.start(scenario.schedule.steps, scenario.steps);
  archive.object(
      "optimizer", {"The update and its learning rate."},
      [&](auto& inner) { optimizer_fields(inner, scenario.optimizer, scenario.schedule); }, true);
  archive.optional("dtype", scenario.dtype,
                   {"bf16 and f16: products multiply numbers rounded to bfloat16 or binary16, all else is f32."});
  // Written where it is not as by default, as the keys of cells are.
  if (!archive.kWrites || scenario.denormals != Denormals::keep) {
    archive.optional("denormals", scenario.denormals,
                     {"flush: numbers below the least normal one count as 0, which processors are quicker with."});
  }
  // Read for dtypes without one, too, so that a scenario's dtype can be set to another.
  if (catalogue::scales_loss(scenario.dtype) || !archive.kWrites) {
    archive.object("loss_scaling", {"By which f16 scales the loss; other dtypes ignore it."},
                   [&](auto& inner) { fields(inner, scenario.loss_scaling); });
  }
  if (!archive.kWrites || !scenario.initial.is_default()) {
    archive.object("initial", {"The parameters that training starts from."},
                   [&](auto& inner) { fields(inner, scenario.initial); });
  }
  archive.optional("initial_seed", scenario.initial.seed, {"Of the initial parameters."});
  // Absent where there is none: the identity of other scenarios stays what it was before there were targets.
  if (!archive.has("target") && !archive.kDescribes) return;
  if (archive.kWrites && !scenario.target) return;
  archive.start(scenario.target, Target());
  archive.object("target", {"Trains every cell until its loss is at or below a bound.", "none"},
                 [&](auto& inner) { target_fields(inner, *scenario.target, scenario.steps); });
}

}  // namespace gdbench::scenario
