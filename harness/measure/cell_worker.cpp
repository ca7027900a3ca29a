#include "harness/measure/cell_worker.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/text.h"

namespace gdbench::measure {

namespace {

double seconds_since(std::int64_t start_ns) { return static_cast<double>(monotonic_ns() - start_ns) * 1e-9; }

}  // namespace

Result<CellWorker> CellWorker::start(const PlannedScenario& planned, const PlannedCell& cell,
                                     const scenario::Problem& problem, const protocol::Limits& limits,
                                     report::Launch& launch, const Start& how) {
  CellWorker self;
  self.layout_ = protocol::state_layout(problem);
  self.dtype_ = problem.dtype;
  self.start_ = &planned.start;
  self.state_memory_ = TRY(SharedMemory::create("gdbench-state", kImages * self.layout_.image_bytes));
  for (const std::size_t purpose : {kStartImage, kWarmUpImage}) {
    protocol::write_state(planned.start, self.layout_, problem.dtype, self.image(purpose));
  }

  const std::string id = without_environment(cell.entry->implementation.id);
  launch.started_at = utc_now();
  const std::int64_t started = monotonic_ns();
  const std::string preload = how.count_allocations ? cell.entry->allocation_counter.string() : "";
  protocol::Limits own_limits = limits;
  if (cell.entry->implementation.has_capability("ranks")) {
    own_limits.permissions.network = true;  // ranks find each other by it
    own_limits.permissions.writable.emplace_back("/dev/shm");
  }
  // A folder that the user names for what an implementation writes.
  if (const auto dump = cell.options.find("dump"); dump != cell.options.end() && !dump->second.empty()) {
    std::error_code ignored;  // the implementation says what is wrong with it
    std::filesystem::create_directories(dump->second, ignored);
    own_limits.permissions.writable.emplace_back(dump->second);
  }
  self.client_ =
      TRY(cell.entry->start(cell.entry->command, &planned.dataset->memory, &self.state_memory_, own_limits, preload));
  const protocol::HelloAnswer hello = TRY(self.client_->hello());
  const bool offered = std::ranges::any_of(hello.implementations, [&](const auto& known) { return known.id == id; });
  if (!offered) return failure("the worker no longer offers " + id);
  launch.start_seconds = seconds_since(started);

  const std::int64_t loading = monotonic_ns();
  TRY(self.client_->load(id, *planned.dataset));
  launch.load_seconds = seconds_since(loading);

  const std::int64_t preparing = monotonic_ns();
  TRY(self.client_->prepare(problem, cell.options, cell.threads, self.state_memory_.size()));
  launch.prepare_seconds = seconds_since(preparing);
  if (const auto& import_ns = self.client_->preparation().import_ns) {
    launch.import_seconds = *import_ns * 1e-9;
    launch.imported_resident_bytes = self.client_->preparation().imported_resident_bytes.value_or(0);
  }
  if (how.settles) TRY(self.client_->settle());
  return self;
}

void CellWorker::set_start(const scenario::State& start) {
  protocol::write_state(start, layout_, dtype_, image(kStartImage));
}

void CellWorker::vary_start(std::size_t purpose, const Parameters& way, const StartVariation& variation) {
  std::byte* const bytes = image(purpose);
  protocol::write_state(*start_, layout_, dtype_, bytes);
  for (std::size_t tensor = 0; tensor < layout_.parameters.size() && variation.along != 0; ++tensor) {
    std::vector<double> moved = start_->parameters[tensor];
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += variation.along * way[tensor][i];
    protocol::write_numbers(dtype_, moved, bytes + layout_.parameters[tensor].offset);
  }
  for (const VariedEntry& changed : variation.entries) {
    std::byte* const entry =
        bytes + layout_.parameters[changed.tensor].offset + changed.entry * scenario::size_of(dtype_);
    double value = 0;
    protocol::read_numbers(dtype_, entry, {&value, 1});
    value += changed.change;
    protocol::write_numbers(dtype_, {&value, 1}, entry);
  }
}

double CellWorker::distance(std::size_t from, std::size_t to) const {
  double sum = 0;
  for (const protocol::StateLayout::Entry& tensor : layout_.parameters) {
    sum += protocol::squared_distance(dtype_, image(from) + tensor.offset, image(to) + tensor.offset,
                                      static_cast<std::size_t>(tensor.size()));
  }
  return std::sqrt(sum);
}

StateCopy CellWorker::copy(bool hosted) const {
  constexpr int kCopies = 3;
  std::unique_ptr<std::byte[]> copy;
  const auto least_ns = [&](bool into_new_memory) {
    double shortest_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kCopies; ++i) {
      const std::int64_t started_ns = monotonic_ns();
      if (into_new_memory) {
        copy.reset();
        copy = std::make_unique_for_overwrite<std::byte[]>(layout_.image_bytes);
      }
      std::memcpy(copy.get(), image(kStartImage), layout_.image_bytes);
      shortest_ns = std::min(shortest_ns, static_cast<double>(monotonic_ns() - started_ns));
    }
    return shortest_ns;
  };
  const double new_memory_ns = least_ns(true);
  if (!hosted || new_memory_ns <= kLongCopyNs) return {new_memory_ns, false};
  const double same_memory_ns = least_ns(false);
  return same_memory_ns > kLongCopyNs ? StateCopy{same_memory_ns, true} : StateCopy{new_memory_ns, false};
}

scenario::State CellWorker::state(std::size_t purpose, std::int64_t step) const {
  return protocol::read_state(layout_, dtype_, image(purpose), step);
}

protocol::BlockRequest CellWorker::block_request(std::uint64_t steps, std::uint64_t warm_up, std::int64_t start) const {
  return {.steps = steps,
          .warm_up = warm_up,
          .warm_up_image = places_[kWarmUpImage],
          .start_image = places_[kStartImage],
          .start_step = start,
          .end_image = places_[kEndImage]};
}

Result<protocol::BlockAnswer> CellWorker::run_block(std::uint64_t steps, std::uint64_t warm_up, std::int64_t start,
                                                    std::uint64_t added_iterations) {
  protocol::BlockRequest request = block_request(steps, warm_up, start);
  request.added_iterations = added_iterations;
  return client_->run(request);
}

Result<protocol::BlockAnswer> CellWorker::run_block_by_step(std::uint64_t steps, std::uint64_t warm_up) {
  protocol::BlockRequest request = block_request(steps, warm_up, 0);
  request.each_step = true;
  return client_->run(request);
}

Result<protocol::BlockAnswer> CellWorker::run_block_after(const std::function<Status()>& before_steps,
                                                          std::uint64_t steps, std::uint64_t warm_up) {
  protocol::BlockRequest request = block_request(steps, warm_up, 0);
  request.before_steps = before_steps;
  return client_->run(request);
}

Result<scenario::State> CellWorker::run_in_parts(const std::vector<std::uint64_t>& parts, std::int64_t start) {
  TRY(set_start_state(start));
  for (const std::uint64_t steps : parts) TRY(client_->run_on(steps));
  return state(kReplayImage, TRY(client_->get_state(places_[kReplayImage])));
}

report::CellStatus status_of(const Error& error) {
  using report::CellState;
  if (error.kind == ErrorKind::unsupported) return {CellState::unsupported, error.message};
  if (error.kind == ErrorKind::untrusted) return {CellState::untrusted, error.message};
  if (error.kind == ErrorKind::timed_out) return {CellState::timed_out, error.message};
  return {CellState::crashed, error.message};
}

}  // namespace gdbench::measure
