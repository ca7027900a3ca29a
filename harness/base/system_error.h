// What the system refused, in words.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "harness/base/result.h"

namespace gdbench {

// "WHAT: the text of errno". Of the kind exhausted where a process may have no more of what every worker needs.
inline Error system_error(const std::string& what) {
  const int number = errno;
  const std::string message = what + ": " + std::strerror(number);
  if (number == EMFILE) return {ErrorKind::exhausted, message + ", expected more descriptors (ulimit -n)"};
  if (number == EAGAIN) return {ErrorKind::exhausted, message + ", expected more processes (ulimit -u)"};
  return failure(message);
}

}  // namespace gdbench
