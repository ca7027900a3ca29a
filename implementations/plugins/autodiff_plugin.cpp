// The plugin of a library for automatic differentiation: the build says which header lists its rows.
#include GDBENCH_AUTODIFF_ROWS

#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "implementations/autodiff/common/trainer.h"
#include "implementations/plugins/adapter.h"

#ifdef GDBENCH_NOT_INSTALLED
#define GDBENCH_KERNEL_BUILD nullptr
#else
#define GDBENCH_NOT_INSTALLED nullptr
#endif

namespace gdbench::autodiff {
namespace {

constexpr std::size_t kCount = std::size(kRows);

const gdbench_option kOptions[] = {loader::kLoaderOption, loader::kPrefetchOption};

template <std::size_t row>
std::unique_ptr<strategies::Strategy> create(const strategies::Setup& setup) {
  return std::make_unique<GradientTrainer>(setup, kRows[row]);
}

// Of each row what the adapter reads, which lives as long as the process.
struct Offered {
  std::string id;
  strategies::OwnArithmetic own;
  strategies::StrategyDescriptor descriptor;
};

template <std::size_t row>
const strategies::StrategyDescriptor* describe() {
  static Offered offered;
  const Row& of = kRows[row];
  offered.id = std::string(of.library) + "/" + of.mode;
  offered.own = {offered.id.c_str(), of.dtypes, of.activations, of.losses, GDBENCH_KERNEL_BUILD, GDBENCH_NOT_INSTALLED};
  offered.descriptor.description = of.description;
  offered.descriptor.tasks = bit_of(catalogue::Task::train);
  offered.descriptor.capabilities = strategies::kTrainerCapabilities;
  offered.descriptor.helper_threads = strategies::kTrainerHelperThreads;
  offered.descriptor.options = kOptions;
  offered.descriptor.own = &offered.own;
  offered.descriptor.create = create<row>;
  return &offered.descriptor;
}

template <std::size_t... row>
const gdbench_plugin* open(const gdbench_host& host, std::index_sequence<row...> /*rows*/) {
  const std::array<plugins::Offer, sizeof...(row)> offers = {describe<row>()...};
  return plugins::open(host, "naive", offers);
}

}  // namespace
}  // namespace gdbench::autodiff

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return gdbench::autodiff::open(*host, std::make_index_sequence<gdbench::autodiff::kCount>());
}
