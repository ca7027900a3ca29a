// What the tests of workers share: where plugins and adapters are, a small problem, limits that do not make a test
// wait.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "harness/data/dataset.h"
#include "harness/data/initial_state.h"
#include "harness/protocol/discovery.h"
#include "harness/protocol/state_image.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::protocol {

using tests::TemporaryFolder;

inline std::filesystem::path fake_plugin(const std::string& name) {
  return std::filesystem::path(GDBENCH_BINARY_DIR) / "tests" / "fakes" / ("fake_" + name + ".so");
}

inline std::filesystem::path adapter(const std::string& folder, const std::string& name) {
  return std::filesystem::path(GDBENCH_SOURCE_DIR) / "tests" / "fakes" / folder / (name + ".adapter.json");
}

// Plugins are hosted by the gdbench of this build.
inline Arm test_arm() {
  Arm arm;
  arm.worker = std::filesystem::path(GDBENCH_BINARY_DIR) / "bin" / "gdbench";
  return arm;
}

// The project's smallest scenario: 3 rows, 2 features, full batch.
struct SmallProblem {
  explicit SmallProblem(const std::string& dtype = "f32", const std::string& name = "linreg-3x2") {
    const std::filesystem::path file = std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios" / (name + ".json");
    const auto scenario = scenario::read_scenario(file, {{"dtype", dtype}});
    EXPECT_TRUE(scenario.ok());
    auto made = data::make_dataset(scenario.value());
    EXPECT_TRUE(made.ok());
    dataset = std::move(made).value();
    problem = data::make_problem(scenario.value(), dataset).value();
    start = data::make_initial_state(problem, scenario->initial).value();
    layout = protocol::state_layout(problem);
    state_memory = SharedMemory::create("test-state", 2 * layout.image_bytes).value();
    protocol::write_state(start, layout, problem.dtype, state_memory.data());
  }

  scenario::State state(std::size_t image, std::int64_t step) const {
    return protocol::read_state(layout, problem.dtype, state_memory.data() + image * layout.image_bytes, step);
  }

  data::Dataset dataset;
  scenario::Problem problem;
  scenario::State start;
  protocol::StateLayout layout;
  SharedMemory state_memory;
};

}  // namespace gdbench::protocol
