// Between the C interface (gdbench/plugin.h) and strategies: everything that a plugin needs but its list of
// implementations (strategies.h).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "gdbench/plugin.h"
#include "implementations/strategies/common/strategy.h"

namespace gdbench::plugins {

// What an id's policy says beyond the strategy's own.
enum class Policy {
  none,
  tf32,  // products of floats round their operands to TF32, on a backend that can (backends::kTf32)
  // Updates in bf16 round parameters, on a backend of the processor.
  bf16_params,
  bf16_params_stochastic,
  mpi,  // one of several ranks, on a backend of the processor: gdbench_settings.ranks
};

// A row of a plugin's list.
struct Offer {
  // NOLINTNEXTLINE(google-explicit-constructor): lists are of pointers
  constexpr Offer(const strategies::StrategyDescriptor* of, Policy how = Policy::none) : strategy(of), policy(how) {}
  const strategies::StrategyDescriptor* strategy;
  Policy policy;
};

template <std::size_t first, std::size_t second>
constexpr std::array<Offer, first + second> joined(const std::array<Offer, first>& a,
                                                   const std::array<Offer, second>& b) {
  return [&]<std::size_t... i, std::size_t... j>(std::index_sequence<i...>, std::index_sequence<j...>) {
    return std::array<Offer, first + second>{a[i]..., b[j]...};
  }
  (std::make_index_sequence<first>(), std::make_index_sequence<second>());
}

// The C interface's create has no argument that says which implementation is meant, hence a function for each.
using Create = gdbench_status (*)(gdbench_instance** instance);

gdbench_status create_instance(std::size_t implementation, gdbench_instance** instance);

// Opens the kernels of `backend` and fills in the plugin's table. Null after host.set_error where they cannot be used.
const gdbench_plugin* open_plugin(const gdbench_host& host, const char* backend, std::span<const Offer> offers,
                                  std::span<const Create> creates);

template <std::size_t... implementation>
constexpr std::array<Create, sizeof...(implementation)> make_creates(std::index_sequence<implementation...>) {
  return {[](gdbench_instance** instance) { return create_instance(implementation, instance); }...};
}

// One implementation per offer on this backend, ids `strategy/backend[+policy]`. An exception does not leave it.
template <std::size_t count>
const gdbench_plugin* open(const gdbench_host& host, const char* backend, const std::array<Offer, count>& offers) {
  static constexpr std::array<Create, count> kCreates = make_creates(std::make_index_sequence<count>());
  return open_plugin(host, backend, offers, kCreates);
}

}  // namespace gdbench::plugins
