#include "harness/report/implementation_name.h"

namespace gdbench::report {

ImplementationName parse_implementation(const std::string& id) {
  ImplementationName name;
  const std::size_t plus = id.find('+');
  if (plus != std::string::npos) name.policy = id.substr(plus + 1);
  const std::string pair = id.substr(0, plus);
  const std::size_t slash = pair.find('/');
  name.strategy = pair.substr(0, slash);
  if (slash != std::string::npos) name.backend = pair.substr(slash + 1);
  return name;
}

}  // namespace gdbench::report
