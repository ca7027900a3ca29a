// What a launch may ask for, and the order in which its blocks and threads take turns.
#include <numeric>
#include <random>
#include <utility>

#include "tests/fakes/emulated_device/device.h"

namespace emulated {
namespace {

cudaError_t check(const EmulatedLaunch& launch) {
  constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;
  const std::size_t most = device().allowed.contains(launch.kernel) ? kSharedBytes : kSharedBytesOfAnyKernel;
  if (launch.blocks < 1 || launch.blocks > kMaxBlocks || launch.threads < 1 || launch.threads > kThreadsOfABlock ||
      launch.shared_bytes > most) {
    return cudaErrorInvalidConfiguration;
  }
  // A block has a multiprocessor for itself.
  return launch.cooperative && launch.blocks > kMultiprocessors ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

}  // namespace
}  // namespace emulated

cudaError_t emulated_launch(cudaStream_t stream, const EmulatedLaunch& launch, std::function<void()> work) {
  return emulated::called(launch.call, [&] {
    const cudaError_t error = emulated::check(launch);
    return error == cudaSuccess ? emulated::enqueue(stream, std::move(work)) : error;
  });
}

EmulatedOrder::EmulatedOrder(std::int64_t count) : count_(count) {
  if (count < 2) return;
  const std::string& order = gdbench_emulated_control()->order;
  if (order == "reversed") {
    first_ = count - 1;
    step_ = count - 1;
  } else if (order == "shuffled" || order == "ahead") {
    static std::mt19937_64 generator;  // the same in every run
    first_ = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(count));
    do {
      step_ = 1 + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(count - 1));
    } while (std::gcd(step_, count) != 1);
  }
}

bool emulated_blocks_run_ahead() { return gdbench_emulated_control()->order == "ahead"; }
