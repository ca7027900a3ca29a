#include "implementations/autodiff/common/trainer.h"

#include <algorithm>
#include <string>

#include "implementations/backends/common/kernel_library.h"
#include "implementations/common/failure.h"

namespace gdbench::autodiff {
namespace {

using catalogue::Phase;
using implementations::Failure;

// Of the forward pass of `rows` rows; an activation and a loss are counted as a few more.
double multiply_adds(const Network& network, std::int64_t rows) {
  constexpr std::int64_t kOfAnActivation = 4;
  double of_a_row = 0;
  for (const Layer& layer : network.layers) {
    of_a_row += static_cast<double>(layer.outputs * (layer.inputs + kOfAnActivation));
  }
  return of_a_row * static_cast<double>(rows);
}

void check_tape(const Row& row, const Network& network, std::int64_t rows) {
  const double bytes = multiply_adds(network, rows) * row.bytes_per_multiply_add;
  if (bytes <= kTapeLimitBytes) return;
  const auto megabytes = [](double value) { return std::to_string(static_cast<std::int64_t>(value / 1e6)); };
  throw Failure(GDBENCH_UNSUPPORTED, "a step would record about " + megabytes(bytes) + " MB of tape; the limit is " +
                                         megabytes(kTapeLimitBytes) + " MB");
}

Network network_of(const gdbench_problem& problem, const strategies::Parameters& parameters) {
  Network network;
  std::size_t parameter = 0;
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    const gdbench_layer& given = problem.layers[l];
    Layer layer{given.inputs, given.outputs, catalogue::activation_of(given), parameters.offset(parameter++), -1};
    if (given.has_bias != 0) layer.bias = parameters.offset(parameter++);
    network.layers.push_back(layer);
  }
  network.loss = catalogue::loss_of(problem);
  network.size = parameters.block_size();
  return network;
}

const Library& open_library(const char* name) {
  std::string error;
  const auto entry = reinterpret_cast<LibraryEntry>(
      backends::kernel_entry(name, backends::kernel_folder(), GDBENCH_AUTODIFF_ENTRY_NAME, error));
  if (entry == nullptr) throw Failure(GDBENCH_UNSUPPORTED, error);
  return *entry();
}

}  // namespace

GradientTrainer::GradientTrainer(const strategies::Setup& setup, const Row& row)
    : Trainer(setup),
      row_(row),
      values_{parameters().values(), 1, parameters().block_size()},
      gradients_(parameters().gradient(0).buffer) {
  Request request{network_of(problem(), parameters()), catalogue::dtype_of(problem()), row.mode, {}};
  check_tape(row, request.network, largest_part());
  if (problem().micro_batches > 1) {
    part_gradient_ = session().allocate(static_cast<std::size_t>(values_.columns) * catalogue::size_of(request.dtype));
  }
  full_ = make_parts(problem().batch_rows);
  partial_ = make_parts(feed().loader().partial_rows());
  for (const std::vector<Part>* parts : {&full_, &partial_}) {
    for (const Part& part : *parts) {
      if (std::ranges::find(request.rows, part.of.rows) == request.rows.end()) request.rows.push_back(part.of.rows);
    }
  }
  gradient_ = open_library(row.library).make(request);
  add_update(update_);
  parameters().follow_steps(update_);
}

std::vector<GradientTrainer::Part> GradientTrainer::make_parts(std::int64_t rows) {
  std::vector<Part> parts;
  for (const strategies::MicroBatch& of : parts_of(rows)) {
    Part& part = parts.emplace_back(Part{of, {}});
    if (part_gradient_ == nullptr) continue;
    backends::Request sum{.op = backends::Op::combine, .dtype = catalogue::dtype_of(problem())};
    sum.alpha = of.weight;
    sum.beta = of.first > 0 ? 1 : 0;
    const strategies::Matrix total{gradients_, values_.rows, values_.columns};
    strategies::ModelPart model = strategies::whole_model(problem());
    model.use = GDBENCH_COMPUTES_GRADIENTS;
    part.accumulation.add(session(), sum, Phase::backward, model,
                          {{part_gradient_, values_.rows, values_.columns}, total, total});
  }
  return parts;
}

Batch GradientTrainer::rows_of(const strategies::Batch& batch, const Part& part) const {
  const strategies::Batch rows = feed().part(batch, part.of);
  return {rows.x, rows.targets, rows.rows};
}

void GradientTrainer::run(std::uint64_t steps) {
  for_each_step(steps, [this](const strategies::Batch& batch) {
    for (const Part& part : parts_of_batch(batch.whole_rows)) {
      gradient_->forward(values_.buffer, rows_of(batch, part));
      gradient_->backward(gradient_of_part());
      part.accumulation.run();
    }
    update_.run();
  });
}

void GradientTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  strategies::CallClock clock(session());
  strategies::ModelPart reads = strategies::whole_model(problem());
  reads.use = GDBENCH_READS_PARAMETERS;
  strategies::ModelPart computes = reads;
  computes.use = GDBENCH_COMPUTES_GRADIENTS;
  const bool at_once = row_.forward == Phase::backward;
  for_each_profiled_step(steps, clock, [&](const strategies::Batch& batch) {
    for (const Part& part : parts_of_batch(batch.whole_rows)) {
      const auto forward = [&] { gradient_->forward(values_.buffer, rows_of(batch, part)); };
      if (!at_once) {
        clock.run_whole({row_.forward == Phase::record ? "record the loss" : "loss", row_.forward, {}, reads}, forward);
      }
      clock.run_whole({at_once ? "loss and gradient" : "gradient", Phase::backward, {}, computes}, [&] {
        if (at_once) forward();
        gradient_->backward(gradient_of_part());
      });
      part.accumulation.run_profiled(clock);
    }
    update_.run_profiled(clock);
  });
  clock.report(sink);
}

}  // namespace gdbench::autodiff
