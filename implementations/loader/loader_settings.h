// The options of every strategy that reads batches: how a batch is made, and how many are made ahead.
#pragma once

#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/loader/batch_plan.h"

namespace gdbench::loader {

// The values of kLoaderOption.
enum class Loader {
  automatic,  // the data as they lie where batches are contiguous, else gather; a stream is read in order
  resident,   // all batches of all epochs are laid out ahead; a step takes an address
  gather,     // rows are copied by index into a batch buffer
  sample      // one row at a time through an indirect call: fetched into a copy of its own, then collated
};

struct LoaderSettings {
  Loader loader = Loader::automatic;
  int prefetch = 0;               // batches that a helper thread makes ahead
  std::vector<int> helper_cores;  // processors that it may use
  Rank rank = {};                 // whose rows of each batch are loaded
};

constexpr int kMaxPrefetch = 8;

constexpr gdbench_option kLoaderOption = {"loader",
                                          GDBENCH_OPTION_CHOICE,
                                          0,
                                          "auto",
                                          "auto|resident|gather|sample",
                                          "how batches are made: as they lie or gathered, all laid out ahead, rows "
                                          "copied by index, or one sample at a time"};
constexpr gdbench_option kPrefetchOption = {
    "prefetch", GDBENCH_OPTION_INTEGER, 0, "0", nullptr, "batches, 0 to 8, that a helper thread makes ahead"};

// Options that the host does not give have their defaults, and without ranks all rows are this process's. Throws
// Failure (GDBENCH_UNSUPPORTED) for a value out of range and for a helper thread without a processor of its own.
LoaderSettings read_loader_settings(const gdbench_settings& settings);

inline bool is_default(const LoaderSettings& settings) {
  return settings.loader == Loader::automatic && settings.prefetch == 0;
}

}  // namespace gdbench::loader
