// One suite for every implementation that this build has: on every problem it is right, or says why it cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "harness/measure/cell_worker.h"
#include "harness/measure/plan.h"
#include "harness/measure/verify_cell.h"
#include "tests/conformance/cases.h"
#include "tests/support/few_cases.h"
#include "tests/support/implementations/processors.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::conformance {
namespace {

namespace fs = std::filesystem;
using report::CellState;

// Problems of each slice, which has every optimizer and both tasks; of few cases, every fourth seed below 20, with five
// of the optimizers.
constexpr std::uint64_t kSlices = kFewCases ? 1 : 2;
constexpr std::uint64_t kCases = kFewCases ? 5 : 12;
constexpr std::uint64_t kSeedStride = kFewCases ? 4 : kSlices;
// Only their gradients, or their products, are their own, and some compile each.
constexpr std::uint64_t kLibraryStride = kFewCases ? 1 : 4;

protocol::Limits limits() {
  protocol::Limits limits;
  limits.request = std::chrono::seconds(60);
  return limits;
}

const fs::path kFakes = fs::path(GDBENCH_BINARY_DIR) / "tests" / "fakes";

protocol::Arm arm_with(const fs::path& folder) {
  protocol::Arm arm;
  arm.worker = fs::path(GDBENCH_BINARY_DIR) / "bin" / "gdbench";
  arm.plugin_folders = {folder};
  return arm;
}

// All plugins but frameworks in Python, which start too slowly for so many cases; tests/cli/frameworks_test.py has some
// for them. Also the strategies and kernels of the cuda plugin as host code, and the tape that docs/adding.md adds.
std::vector<protocol::CatalogueEntry> all_plugins() {
  protocol::Arm arm = arm_with(fs::path(GDBENCH_BINARY_DIR) / "lib" / "gdbench");
  for (const char* name : {"emulated", "own"}) arm.plugin_folders.push_back(kFakes / name);
  return protocol::read_catalogue(arm, limits(),
                                  protocol::Globs({"adolc/*", "sacado/*", "stan/*", "casadi/*", "own/*"}))
      .value();
}

// Those of all plugins whose ids are wanted, which are so many.
template <class Wanted>
std::vector<protocol::CatalogueEntry> plugins_with(std::size_t count, const Wanted& wanted) {
  std::vector<protocol::CatalogueEntry> catalogue = all_plugins();
  std::erase_if(catalogue, [&](const protocol::CatalogueEntry& entry) { return !wanted(entry.implementation.id); });
  EXPECT_EQ(catalogue.size(), count);
  return catalogue;
}

bool by_a_library(const protocol::CatalogueEntry& entry) {
  return entry.on_request || entry.implementation.id.find("/blas") != std::string::npos;
}

bool has_ranks(const protocol::CatalogueEntry& entry) { return entry.implementation.has_capability("ranks"); }

// Others are right in MixedConformance.
bool has_no_uniform_dtype(const protocol::CatalogueEntry& entry) {
  return std::ranges::none_of(entry.implementation.dtypes,
                              [](const std::string& name) { return name == "f32" || name == "f64"; });
}

// Layers wide enough for products of cuBLAS.
nlohmann::json wide_training(const std::string& dtype) {
  nlohmann::json scenario = nlohmann::json::parse(R"({
    "name": "wide", "loss": "mse",
    "model": {"kind": "multilayer_perceptron", "layers": [{"width": 160, "activation": "tanh", "bias": true},
                                                          {"width": 2, "activation": "identity", "bias": true}]},
    "data": {"source": "synthetic", "kind": "teacher", "rows": 64, "features": 160, "outputs": 2, "noise": 0.3,
             "seed": 1},
    "batch": "full", "optimizer": {"kind": "sgd", "learning_rate": 0.1}, "steps": 10, "initial_seed": 1})");
  scenario["dtype"] = dtype;
  return scenario;
}

// Of what this machine or its libraries cannot run.
bool is_missing(const std::string& reason) {
  return reason.starts_with("no CUDA device") || reason.starts_with("not installed: ");
}

// The state after the reference's steps in a process of its own.
Result<scenario::State> train_afresh(const measure::PlannedScenario& planned, const measure::PlannedCell& cell,
                                     const verify::ReferenceTrajectory& reference) {
  report::Launch launch;
  measure::CellWorker worker = TRY(measure::CellWorker::start(planned, cell, planned.problem, limits(), launch));
  const auto block = TRY(worker.run_block(static_cast<std::uint64_t>(reference.steps), 0, reference.start.step));
  scenario::State state = worker.state(measure::kEndImage, block.end_step);
  TRY(worker.client().bye());
  return state;
}

// Verifies the cell as `gdbench verify` does (trajectory, the same in two parts, the implementation's own loss), then
// trains in two fresh processes, which end with the same bits. Of ranks, which are slow to start and are compared with
// each other, no more than the verification.
Result<report::CellStatus> examine(const measure::PlannedScenario& planned, const measure::PlannedCell& cell,
                                   measure::ReferenceTrajectories& references) {
  measure::RunOptions options;
  options.limits = limits();
  report::Cell record;
  TRY(measure::verify_cell(planned, cell, references, options, false, record));
  if (record.status.state != CellState::ok || has_ranks(*cell.entry)) return record.status;
  const verify::ReferenceTrajectory& reference = references.of(cell).value();
  const scenario::State first = TRY(train_afresh(planned, cell, reference));
  const scenario::State second = TRY(train_afresh(planned, cell, reference));
  if (first.parameters == second.parameters) return record.status;
  return report::CellStatus{CellState::wrong, "two processes trained to different parameters"};
}

class Conformance : public testing::Test {
 protected:
  using Findings = std::map<std::string, report::CellStatus>;  // by the ids of implementations

  Conformance() { std::signal(SIGPIPE, SIG_IGN); }

  // Of every implementation of the catalogue on one scenario. Empty where the scenario is unfit for a comparison (a
  // dead network does not move).
  Findings findings(const nlohmann::json& scenario, const std::vector<protocol::CatalogueEntry>& catalogue,
                    int threads = 1, const std::map<std::string, std::string>& options = {}) {
    const fs::path file = folder_.write("case.json", scenario.dump(2));
    measure::PlanRequest request;
    for (const protocol::CatalogueEntry& entry : catalogue) {
      request.points.push_back({file.string(), file, {}, entry.implementation.id, options, threads});
    }
    request.arms.resize(1);
    request.catalogues = {catalogue};
    request.processors = allowed_processors();
    request.shares_processors = true;
    report::Report report;
    const Result<measure::Plan> plan = measure::make_plan(std::move(request), report);
    if (!plan.ok()) ADD_FAILURE() << plan.error().message;
    if (!plan.ok()) return {};
    Findings result;
    for (const report::Cell& cell : report.cells) {
      if (cell.status.state != CellState::pending) result[cell.implementation] = cell.status;
    }
    const measure::PlannedScenario& planned = *plan->scenarios.front();
    measure::ReferenceTrajectories references(planned, {});
    if (!references.status().ok()) {
      std::cout << scenario.at("name") << ": " << references.status().error().message << "\n";
      return {};
    }
    for (const measure::PlannedCell& cell : planned.cells) {
      const Result<report::CellStatus> found = examine(planned, cell, references);
      result[cell.entry->implementation.id] = found.ok() ? *found : measure::status_of(found.error());
    }
    return result;
  }

  // None of its findings is wrong. Counts in right_ who is right.
  Findings expect_right(const nlohmann::json& scenario, const std::vector<protocol::CatalogueEntry>& catalogue,
                        int threads = 1, const std::map<std::string, std::string>& options = {}) {
    Findings found = findings(scenario, catalogue, threads, options);
    for (const auto& [id, finding] : found) {
      const bool right = finding.state == CellState::ok;
      EXPECT_TRUE(right || finding.state == CellState::unsupported) << id << ": " << words_of(finding) << "\n"
                                                                    << scenario.dump();
      EXPECT_EQ(finding.reason.empty(), right) << id;
      if (is_missing(finding.reason)) {
        missing_[id] = finding.reason;
      } else {
        right_[id] += right ? 1 : 0;
      }
    }
    return found;
  }

  std::vector<protocol::CatalogueEntry> fake(const std::string& name) {
    return protocol::ask(arm_with(kFakes), kFakes / ("fake_" + name + ".so"), limits());
  }

  const tests::TemporaryFolder folder_;
  std::map<std::string, int> right_;
  std::map<std::string, std::string> missing_;  // why it cannot run here
};

// Each is right at least once in each slice of the problems.
class SliceConformance : public Conformance, public ::testing::WithParamInterface<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Slices, SliceConformance, ::testing::Range(std::uint64_t{0}, kSlices));

TEST_P(SliceConformance, EveryImplementationIsRightOrSaysWhyNot) {
  std::vector<protocol::CatalogueEntry> catalogue = all_plugins();
  std::erase_if(catalogue, has_no_uniform_dtype);
  std::erase_if(catalogue, has_ranks);  // these in RanksAreAsRightAsOne
  ASSERT_GE(catalogue.size(), 2U) << "this build has no plugins";
  std::vector<protocol::CatalogueEntry> own = catalogue;
  std::erase_if(own, by_a_library);
  std::uint64_t unfit = 0;
  for (std::uint64_t count = 0; count < kCases; ++count) {
    const bool libraries = count % kLibraryStride == 0;
    const nlohmann::json scenario = random_scenario(GetParam() + count * kSeedStride);
    unfit += expect_right(scenario, libraries ? catalogue : own).empty() ? 1 : 0;
  }
  // What some policies are for alone, in the dtypes that some libraries have alone.
  nlohmann::json regression = random_full_batch_regression(kCases * kSeedStride + GetParam());
  regression["dtype"] = "f64";
  expect_right(regression, catalogue);
  regression["task"] = "gradients";
  regression["dtype"] = "f32";
  expect_right(regression, catalogue);
  std::cout << unfit << " of " << kCases << " unfit for comparison\n";
  for (const protocol::CatalogueEntry& entry : catalogue) {
    const std::string& id = entry.implementation.id;
    const bool missing = right_[id] == 0 && missing_.contains(id);
    std::cout << id << ": " << (missing ? "skipped: " + missing_[id] : "right in " + std::to_string(right_[id]))
              << "\n";
    if (missing || entry.implementation.has_capability("no_arithmetic")) continue;
    EXPECT_GT(right_[id], 0) << id << " was right in no case: nothing of it was checked";
  }
  EXPECT_LT(4 * unfit, kCases);
}

// Verification of a mixed dtype cannot judge every problem: lion's updates are signs.
class MixedConformance : public Conformance, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, MixedConformance, ::testing::Values("bf16", "f16"),
                         [](const auto& dtype) { return std::string(dtype.param); });

TEST_P(MixedConformance, IsRight) {
  constexpr std::uint64_t kSeeds = kFewCases ? 2 : 14;  // every other one: each optimizer
  std::vector<protocol::CatalogueEntry> catalogue = all_plugins();
  std::erase_if(catalogue, [](const protocol::CatalogueEntry& entry) {
    const auto& [id, dtypes] = std::tie(entry.implementation.id, entry.implementation.dtypes);
    const bool never = id.ends_with("+rerecord") || has_ranks(entry) || id.ends_with("+hoisted") ||
                       entry.implementation.has_capability("no_arithmetic");
    return never || std::find(dtypes.begin(), dtypes.end(), GetParam()) == dtypes.end();
  });
  EXPECT_GE(catalogue.size(), 4U);
  const std::uint64_t first = std::string("f16") == GetParam() ? 1 : 0;  // the dtypes share out the problems
  for (std::uint64_t seed = first; seed < 2 * kSeeds; seed += 2) {
    expect_right(random_mixed_training(seed, GetParam()), catalogue);
  }
  for (const auto& [id, count] : right_) {
    std::cout << id << ": right in " << count << "\n";
    EXPECT_GE(count, static_cast<int>(kSeeds) / 2) << id;
  }
}

TEST_P(MixedConformance, IsRightByCublas) {
  const auto catalogue = plugins_with(3, [](const std::string& id) {
    return id == "hand/emulated_cuda" || id == "tape/emulated_cuda" || id == "tape/emulated_cuda+replay";
  });
  for (const auto& [id, finding] : findings(wide_training(GetParam()), catalogue)) {
    EXPECT_EQ(words_of(finding), "ok") << id;
  }
}

// On batches that are large enough for two threads; the last one of an epoch is not.
TEST_F(Conformance, TwoThreadsAreAsRightAsOne) {
  if (allowed_processors().size() < 2) GTEST_SKIP() << "one processor: two threads need two";
  // Each loss, in one dtype or the other, and several gradients of one step.
  constexpr std::uint64_t kSeeds = 12;
  constexpr std::uint64_t kStride = kFewCases ? 5 : 2;
  std::vector<protocol::CatalogueEntry> catalogue = all_plugins();
  std::erase_if(catalogue, [](const protocol::CatalogueEntry& entry) {
    // The former have one thread each.
    return entry.on_request || has_ranks(entry) || has_no_uniform_dtype(entry);
  });
  for (std::uint64_t seed = 0; seed < kSeeds; seed += kStride) {
    nlohmann::json scenario = random_scenario(seed);
    scenario["data"]["rows"] = 1501;
    scenario["data"]["features"] = 67;
    scenario["batch"] = {{"rows", 1499}, {"shuffle", true}, {"seed", seed}};
    expect_right(scenario, catalogue, 2);
  }
  for (const protocol::CatalogueEntry& entry : catalogue) {
    const std::string& id = entry.implementation.id;
    if (id.ends_with("+hoisted")) continue;  // leaves nothing of a batch to be shared
    EXPECT_EQ(right_[id] > 0, entry.implementation.max_compute_threads != 1) << id;
  }
}

// Sanitized processes would have to bear two implementations of MPI; ranks within one are sanitized in strategies_test.
#ifndef __SANITIZE_ADDRESS__
TEST_F(Conformance, RanksAreAsRightAsOne) {
  std::vector<protocol::CatalogueEntry> catalogue = all_plugins();
  std::erase_if(catalogue, [](const protocol::CatalogueEntry& entry) {
    return !has_ranks(entry) || !entry.implementation.unavailable.empty();
  });
  if (catalogue.empty()) GTEST_SKIP() << "no MPI is installed";
  constexpr std::uint64_t kSeeds = 3;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    nlohmann::json scenario = random_scenario(seed);
    scenario.erase("task");  // ranks train
    const std::map<std::string, std::string> options = {{"ranks", std::array{"2", "3", "1", "5"}[seed % 4]},
                                                        {"mpi", seed % 2 == 0 ? "openmpi" : "mpich"}};
    expect_right(scenario, catalogue, 1, options);
  }
  for (const protocol::CatalogueEntry& entry : catalogue) {
    EXPECT_GT(right_[entry.implementation.id], 0) << entry.implementation.id;
  }
}
#endif

// The suite can fail: implementations with one fault each, on problems that an honest one of their kind solves. A
// refusal is taken for what it is.
TEST_F(Conformance, RefusesWhatIsWrong) {
  const std::pair<const char*, std::string> rows[] = {{"wrong", "wrong: "},
                                                      {"nan", "wrong: "},
                                                      {"crash", "crashed: "},
                                                      {"exit", "crashed: "},
                                                      {"throw", "crashed: "},
                                                      {"delay", "ok"},
                                                      {"unsupported", "unsupported: only problems of another kind"}};
  for (const auto& [name, words] : rows) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      for (const auto& [id, finding] : findings(random_linear_regression(seed), fake(name))) {
        ++compared;
        EXPECT_EQ(words_of(finding).substr(0, words.size()), words) << id << ", seed " << seed;
      }
    }
    EXPECT_GT(compared, 0) << name;
  }
}

// Products of cuBLAS are what uses TF32.
TEST_F(Conformance, Tf32HasToBeDeclared) {
  const nlohmann::json scenario = wide_training("f32");
  auto catalogue = plugins_with(
      2, [](const std::string& id) { return id.find("/emulated_cuda") != std::string::npos && id.ends_with("+tf32"); });
  for (const auto& [id, finding] : findings(scenario, catalogue)) {
    EXPECT_EQ(words_of(finding), "ok") << id;
  }
  for (protocol::CatalogueEntry& entry : catalogue) {
    EXPECT_EQ(std::erase(entry.implementation.capabilities, "tf32_products"), 1U);
  }
  for (const auto& [id, finding] : findings(scenario, catalogue)) {
    EXPECT_EQ(finding.state, CellState::wrong) << id << ": " << words_of(finding);
  }
}

// Master weights in place of bfloat16 parameters, one way to round them in place of the other, and either undeclared.
TEST_F(Conformance, RoundedParametersHaveToBeDeclared) {
  const std::map<std::string, std::string> capabilities = {
      {"hand/eigen", ""},
      {"hand/eigen+bf16-params", "rounds_parameters"},
      {"hand/eigen+bf16-params-stochastic", "rounds_stochastically"}};
  for (const auto& [id, own] : capabilities) {
    for (const auto& [other, declared] : capabilities) {
      auto catalogue = plugins_with(1, [&wanted = id](const std::string& one) { return one == wanted; });
      std::vector<std::string>& names = catalogue.at(0).implementation.capabilities;
      std::erase(names, own);
      if (!declared.empty()) names.push_back(declared);
      const auto found = findings(wide_training("bf16"), catalogue);
      EXPECT_EQ(found.at(id).state == CellState::ok, id == other)
          << id << " as " << other << ": " << words_of(found.at(id));
    }
  }
}

}  // namespace
}  // namespace gdbench::conformance
