// One instance of a plugin's implementation, with the C structs that the ABI wants kept alive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/protocol/protocol.h"
#include "harness/protocol/state_image.h"
#include "harness/worker/plugin_library.h"
#include "harness/worker/profile_records.h"

namespace gdbench::worker {

// What this process has allocated, all threads since it began, where allocation_counter.c was preloaded into it;
// nothing where nothing is counted, which costs a test of a pointer.
std::optional<protocol::AllocationTotals> allocation_totals();

class Instance {
 public:
  Instance() = default;
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Each in the order of the ABI; errors carry the plugin's own message. `ranks`: null, or who this process is among
  // those that train the model together.
  Status create(PluginLibrary& library, const std::string& id);
  Status load(const protocol::DataMessage& request, SharedMemory memory);
  Status prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& options,
                 const protocol::ThreadSettings& threads, SharedMemory state_memory, const gdbench_ranks* ranks);
  Status set_state(std::size_t image, std::int64_t step);
  Result<std::int64_t> get_state(std::size_t image);  // returns the step
  Status run(std::uint64_t steps);                    // and waits
  // The last run's by the device's clock; nothing where the implementation has none.
  Result<std::optional<double>> device_ns();
  std::optional<std::int64_t> device_bytes();
  Result<double> evaluate(int split);
  Result<ProfileRecords> profile(std::uint64_t steps);

  // What the plugin says this instance has; nothing where it does not say.
  std::optional<int> helper_threads() const;
  // What the plugin's library says of itself, for the report: nothing, or a line named "library".
  std::optional<std::map<std::string, std::string>> runtime() const;
  // What loading its framework took; nothing where it has none.
  struct Import {
    double ns = 0;
    std::int64_t resident_bytes = 0;
  };
  Result<std::optional<Import>> imported();

  const scenario::Problem& problem() const { return problem_; }  // once it is prepared
  bool loaded() const { return loaded_; }
  bool prepared() const { return prepared_; }
  // What the plugin allocated in load and prepare, where that is counted.
  const std::optional<protocol::AllocationTotals>& preparation() const { return preparation_; }

 private:
  Status convert(gdbench_status status, const char* function);
  // Adds what `call` allocates to preparation_ and returns what it returns.
  template <class Call>
  gdbench_status counted(Call call);
  Status describe_resident(const protocol::DataMessage& request);
  Status describe_stream(const protocol::DataMessage& request);
  Result<gdbench_state> state_in(std::size_t image, std::int64_t step);

  PluginLibrary* library_ = nullptr;
  const gdbench_implementation* implementation_ = nullptr;
  gdbench_instance* handle_ = nullptr;
  bool loaded_ = false;
  bool prepared_ = false;
  std::optional<protocol::AllocationTotals> preparation_;

  SharedMemory data_memory_;
  gdbench_data data_{};
  data::StreamFile stream_file_;
  gdbench_stream stream_{};

  scenario::Problem problem_;
  std::vector<gdbench_layer> layers_;
  std::vector<std::int32_t> normalizations_;
  gdbench_optimizer optimizer_{};
  gdbench_problem abi_problem_{};
  protocol::ThreadSettings threads_;
  std::map<std::string, std::string> option_texts_;
  std::vector<gdbench_option_value> options_;
  gdbench_settings settings_{};

  SharedMemory state_memory_;
  protocol::StateLayout layout_;
  std::vector<gdbench_tensor> parameters_;
  std::vector<gdbench_tensor> slots_;
};

}  // namespace gdbench::worker
