// Whether an implementation can run a problem, and with which options, judged by what it says of itself.
#pragma once

#include <map>
#include <string>

#include "harness/base/result.h"
#include "harness/protocol/protocol.h"
#include "harness/scenario/problem.h"

namespace gdbench::measure {

// Why an implementation cannot run a problem; empty where it can.
std::string reason_unsupported(const protocol::ImplementationDescription& implementation,
                               const scenario::Problem& problem, bool shuffled, bool streamed, int threads);

// Options as declared, overridden by `wanted` (keys that the implementation does not declare are left out). Errors: a
// value that its declaration does not allow.
Result<std::map<std::string, std::string>> resolve_options(const protocol::ImplementationDescription& implementation,
                                                           const std::map<std::string, std::string>& wanted);

}  // namespace gdbench::measure
