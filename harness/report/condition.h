// What about a machine may spoil measurements: one line each, with what it does here and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"

namespace gdbench::report {

enum class Severity {
  fine,
  notice,   // worth knowing
  warning,  // spoils measurements
  unknown,  // cannot be seen from here
};
inline constexpr Named<Severity> kSeverities[] = {{Severity::fine, "fine"},
                                                  {Severity::notice, "notice"},
                                                  {Severity::warning, "warning"},
                                                  {Severity::unknown, "unknown"}};
constexpr const auto& rows_of(Severity /*any*/) { return kSeverities; }

struct Condition {
  std::string name;  // "governor"
  Severity severity = Severity::fine;
  std::string found;
  std::string effect;  // what it does here, measured where it can be; empty: nothing that matters
  std::string advice;  // empty: none
};

OrderedJson to_json(const std::vector<Condition>& conditions);

}  // namespace gdbench::report
