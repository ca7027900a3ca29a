// A plugin's shared object: opened, its ABI checked, its table exposed. Used by the worker process only: the
// coordinator never loads a plugin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/base/result.h"
#include "harness/protocol/protocol.h"

namespace gdbench::worker {

class PluginLibrary {
 public:
  // Errors: not a shared object, no entry, another ABI major, a malformed table, or the entry's own refusal.
  static Result<std::unique_ptr<PluginLibrary>> open(const std::string& file);

  // Null where the plugin has no such implementation. Entries that an older plugin does not have are null.
  const gdbench_implementation* find(const std::string& id) const;
  protocol::HelloAnswer describe() const;

  // Returns the message of the last failed call and clears it; `fallback` where the plugin gave none.
  std::string take_error(const std::string& fallback);

 private:
  PluginLibrary();
  Status check_table(const std::string& file) const;

  std::string error_;  // the last message that the plugin gave to set_error
  gdbench_host host_;
  const gdbench_plugin* table_ = nullptr;
  std::vector<gdbench_implementation> implementations_;  // copied to this host's struct size
};

}  // namespace gdbench::worker
