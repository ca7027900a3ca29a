#include "harness/protocol/state_image.h"

#include <gtest/gtest.h>

#include <vector>

#include "gdbench/plugin.h"

namespace gdbench::protocol {
namespace {

using scenario::Activation;
using scenario::Dtype;
using scenario::OptimizerKind;
using scenario::Problem;

Problem layers_of(Dtype dtype, OptimizerKind optimizer) {
  Problem problem;
  problem.dtype = dtype;
  problem.layers = {{.inputs = 3, .outputs = 5, .activation = Activation::tanh, .bias = true},
                    {.inputs = 5, .outputs = 2, .activation = Activation::identity, .bias = false}};
  problem.optimizer = {optimizer, {0.5, 0.25}};
  return problem;
}

TEST(StateLayout, AlignsEveryTensorAndKeepsThemApart) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const StateLayout layout = state_layout(layers_of(dtype, OptimizerKind::adam));
    ASSERT_EQ(layout.parameters.size(), 3U);  // w0 b0 w1
    ASSERT_EQ(layout.slots.size(), 6U);       // two slots of each
    std::vector<StateLayout::Entry> all = layout.parameters;
    all.insert(all.end(), layout.slots.begin(), layout.slots.end());
    std::size_t end = 0;
    for (const StateLayout::Entry& entry : all) {
      EXPECT_EQ(entry.offset % GDBENCH_ALIGNMENT, 0U);
      EXPECT_GE(entry.offset, end);
      end = entry.offset + static_cast<std::size_t>(entry.size()) * scenario::size_of(dtype);
    }
    EXPECT_GE(layout.image_bytes, end);
    EXPECT_EQ(layout.image_bytes % GDBENCH_ALIGNMENT, 0U);
  }
}

scenario::State counted_state(const Problem& problem) {
  scenario::State state;
  double value = 0.5;
  const auto shapes = scenario::parameter_shapes(problem);
  for (std::size_t block = 0; block < 1 + scenario::slot_count(problem.optimizer.kind); ++block) {
    for (const scenario::ParameterShape& shape : shapes) {
      std::vector<double> tensor(static_cast<std::size_t>(shape.size()));
      for (double& entry : tensor) entry = value += 1.25;
      (block == 0 ? state.parameters : state.slots).push_back(tensor);
    }
  }
  return state;
}

TEST(StateLayout, StateSurvivesItsImage) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Problem problem = layers_of(dtype, OptimizerKind::adam);
    const StateLayout layout = state_layout(problem);
    scenario::State written = counted_state(problem);
    written.parameters[0][0] = dtype == Dtype::f64 ? 0.1 : static_cast<double>(0.1F);  // is rounded no further
    std::vector<std::byte> image(layout.image_bytes);
    write_state(written, layout, dtype, image.data());
    const scenario::State read = read_state(layout, dtype, image.data(), 17);
    EXPECT_EQ(read.step, 17);
    EXPECT_EQ(read.parameters, written.parameters);
    EXPECT_EQ(read.slots, written.slots);
  }
}

}  // namespace
}  // namespace gdbench::protocol
