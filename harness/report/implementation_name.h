// The axes that an implementation's id spells: "strategy/backend[+policy]".
#pragma once

#include <string>

namespace gdbench::report {

struct ImplementationName {
  std::string strategy;  // before the slash; a framework's name
  std::string backend;   // behind it; empty where there is no slash
  std::string policy;    // behind the plus sign; empty where there is none
};

ImplementationName parse_implementation(const std::string& id);

}  // namespace gdbench::report
