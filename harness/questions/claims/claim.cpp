#include "harness/questions/claims/claim.h"

#include <algorithm>

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/scenario/matrix.h"
#include "harness/scenario/settings.h"

namespace gdbench::claims {

namespace {

// All but the ratio to a baseline: a relation is a ratio of its own.
std::vector<report::Quantity> quantities() {
  std::vector<report::Quantity> all = report::all_of<report::Quantity>();
  std::erase(all, report::Quantity::ratio);
  return all;
}

using report::ClaimRelation;
using report::PointRule;
using report::Quantity;
using report::RelationKind;

constexpr std::int64_t kMaxSteps = 1'000'000'000;

// One relation of a document.
class RelationParser {
 public:
  RelationParser(JsonDocument& document, JsonReader& reader, std::vector<std::string> keys)
      : document_(document), reader_(reader), keys_(std::move(keys)) {}

  ClaimRelation parse() {
    ClaimRelation relation;
    relation.kind = reader_.choice("kind", report::all_of<RelationKind>());
    relation.quantity = reader_.choice("quantity", quantities());
    read_steps(relation);
    relation.a = settings("a");
    relation.b = settings("b");
    if (relation.a == relation.b) reader_.fail("b", "what a is", "another choice of cells");
    read_limits(relation);
    relation.rule = reader_.choice("points", report::all_of<PointRule>(), PointRule::all);
    relation.decides = reader_.boolean("decides", true);
    read_advice(relation);
    read_along(relation);
    relation.at = places();
    reader_.finish();
    return relation;
  }

 private:
  void check_key(const std::string& pointer, const std::string& key) {
    if (std::find(keys_.begin(), keys_.end(), scenario::full_key(key)) != keys_.end()) return;
    document_.fail(pointer, in_quotes(key) + ", which no cell of the matrix has",
                   "one of " + joined(keys_) + suggestion(key, keys_));
  }

  void read_steps(ClaimRelation& relation) {
    const bool timed = relation.quantity == Quantity::time_for_steps;
    const Json* steps = reader_.member("steps");
    if (steps == nullptr) {
      if (timed) reader_.fail("steps", "an array of numbers of steps");
      return;
    }
    if (!timed) reader_.fail("steps", "steps with the quantity time_for_steps only");
    const Json list = steps->is_array() ? *steps : Json::array({*steps});
    for (const Json& entry : list) {
      const bool fits =
          entry.is_number_integer() && entry.get<std::int64_t>() >= 1 && entry.get<std::int64_t>() <= kMaxSteps;
      if (!fits) return reader_.fail("steps", describe(entry), "integers from 1 to " + std::to_string(kMaxSteps));
      relation.steps.push_back(entry.get<std::uint64_t>());
    }
    if (relation.steps.empty()) reader_.fail("steps", "at least one number of steps");
    keys_.push_back(kStepsAxis);
  }

  report::Settings settings(const std::string& key) {
    report::Settings chosen;
    const Json* value = reader_.member(key);
    if (value == nullptr || !value->is_object() || value->empty()) {
      reader_.fail(key, "an object that chooses cells");
      return chosen;
    }
    for (const auto& [name, texts] : scenario::read_values(document_, reader_.pointer(key), *value, false)) {
      const std::string place = reader_.pointer(key) + "/" + pointer_part(name);
      check_key(place, name);
      if (name == kStepsAxis) document_.fail(place, "steps", "a key of cells: both sides take as many steps");
      chosen.emplace_back(scenario::full_key(name), texts.front());
    }
    return chosen;
  }

  void read_limits(ClaimRelation& relation) {
    const bool saving = relation.kind == RelationKind::saving;
    // A saving is below 1 and may be negative; ratios are positive.
    const NumberRange range = saving ? NumberRange{-1e6, false, 1} : NumberRange{0, true};
    for (const auto& [key, limit] :
         {std::pair("at_least", &relation.at_least), std::pair("at_most", &relation.at_most)}) {
      if (reader_.has(key)) *limit = reader_.number(key, range, std::nullopt);
    }
    const bool any = relation.at_least || relation.at_most;
    if (relation.kind == RelationKind::crossover) {
      if (any) reader_.fail(relation.at_least ? "at_least" : "at_most", "no limit: a crossover is about who is ahead");
    } else if (!any) {
      reader_.fail("at_least", "at_least, at_most or both");
    } else if (relation.at_least && relation.at_most && *relation.at_least >= *relation.at_most) {
      reader_.fail("at_most", "more than at_least");
    }
  }

  void read_advice(ClaimRelation& relation) {
    relation.advice = reader_.text("advice", "");
    if (relation.advice.empty()) return;
    if (relation.decides) reader_.fail("advice", "advice with decides: false only");
    const bool compares = relation.kind == RelationKind::ratio || relation.kind == RelationKind::saving;
    if (!compares) reader_.fail("advice", "advice with a ratio or a saving only");
  }

  void read_along(ClaimRelation& relation) {
    const bool required = report::goes_along(relation.kind);
    relation.along = required ? reader_.text("along") : reader_.text("along", "");
    if (relation.along.empty()) return;
    check_key(reader_.pointer("along"), relation.along);
    relation.along = scenario::full_key(relation.along);
    for (const report::Settings* side : {&relation.a, &relation.b}) {
      for (const auto& [key, value] : *side) {
        if (key == relation.along) reader_.fail("along", in_quotes(key) + ", which a or b chooses", "another axis");
      }
    }
  }

  std::vector<std::pair<std::string, std::vector<std::string>>> places() {
    std::vector<std::pair<std::string, std::vector<std::string>>> result;
    const Json* value = reader_.member("at");
    if (value == nullptr) return result;
    if (!value->is_object() || value->empty()) {
      reader_.fail("at", "an object of keys with their values");
      return result;
    }
    for (auto& [name, texts] : scenario::read_values(document_, reader_.pointer("at"), *value, true)) {
      check_key(reader_.pointer("at") + "/" + pointer_part(name), name);
      result.emplace_back(scenario::full_key(name), texts);
    }
    return result;
  }

  JsonDocument& document_;
  JsonReader& reader_;
  std::vector<std::string> keys_;
};

Experiment read_experiment(JsonDocument& document, JsonReader& reader, const Claim& claim) {
  Experiment experiment;
  JsonReader matrix = reader.object("matrix");
  experiment.matrix.name = claim.id;
  experiment.matrix.file = claim.file;
  scenario::read_cells(document, matrix, experiment.matrix);
  if (scenario::depends_on_machine(experiment.matrix)) {
    matrix.fail("axes", cat("threads ", in_quotes(scenario::kPowersOfTwo)),
                "numbers of threads: a claim is about the same cells everywhere");
  }
  matrix.finish();
  for (JsonReader& relation : reader.objects("relations")) {
    experiment.relations.push_back(RelationParser(document, relation, scenario::keys_of(experiment.matrix)).parse());
  }
  reader.finish();
  return experiment;
}

void read_question(JsonReader& root, Claim& claim) {
  claim.question = root.text("question", "");
  for (const char* const key : {"setting", "posted"}) {
    if (claim.question.empty() && root.has(key)) root.fail(key, cat(key, " with a question only"));
  }
  claim.setting = root.text("setting", "");
  for (const std::string& file : root.texts("posted", std::vector<std::string>())) {
    claim.posted.push_back(claim.file.parent_path() / file);
  }
  if (!claim.posted.empty() && claim.posted.size() != 2) {
    root.fail("posted", std::to_string(claim.posted.size()), "two files, one for each code");
  }
}

bool decides(const Claim& claim) {
  return std::any_of(claim.experiments.begin(), claim.experiments.end(), [](const Experiment& experiment) {
    return std::any_of(experiment.relations.begin(), experiment.relations.end(),
                       [](const ClaimRelation& relation) { return relation.decides; });
  });
}

}  // namespace

Result<Claim> read_claim(const std::filesystem::path& file) {
  try {
    JsonDocument document = TRY(JsonDocument::read(file, "a claim (a JSON object)"));
    JsonReader root(document);
    Claim claim;
    claim.file = file;
    claim.id = root.text("id");
    claim.sentence = root.text("sentence");
    claim.source = root.text("source");
    claim.purpose = root.text("purpose");
    read_question(root, claim);
    std::vector<JsonReader> experiments = root.objects("experiments");
    root.finish();
    for (JsonReader& experiment : experiments)
      claim.experiments.push_back(read_experiment(document, experiment, claim));
    if (document.ok() && !decides(claim)) document.fail("/experiments", "no relation that decides", "at least one");
    if (document.ok() && claim.id != file.stem()) {
      document.fail("/id", in_quotes(claim.id), "the file's own name, " + in_quotes(file.stem().string()));
    }
    if (!document.ok()) return document.error();
    return claim;
  } catch (const std::exception& error) {
    return failure(one_line(file.string() + ": cannot be read: " + error.what()));
  }
}

}  // namespace gdbench::claims
