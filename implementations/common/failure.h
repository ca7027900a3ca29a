// How code on the plugin's side of the C interface reports an error: it throws a Failure, the adapter
// (plugins/adapter.h) turns it into a gdbench_status and one line for the host. None is thrown by a steady step.
#pragma once

#include <stdexcept>
#include <string>

#include "gdbench/plugin.h"

namespace gdbench::implementations {

class Failure : public std::runtime_error {
 public:
  // `reason` is one line; it reaches the report's row as it is.
  Failure(gdbench_status status, const std::string& reason) : std::runtime_error(reason), status_(status) {}
  gdbench_status status() const { return status_; }

 private:
  gdbench_status status_;
};

}  // namespace gdbench::implementations
