// What a hostile worker answers to each request, and what a hostile coordinator asks, read as messages.
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "harness/base/json_reader.h"
#include "harness/protocol/message_fields.h"
#include "tests/fuzz/target.h"

namespace {

template <class... Request>
void read_all(const gdbench::Json& object, std::tuple<Request...>* /*all*/) {
  (static_cast<void>(gdbench::protocol::message_from<Request>(object, Request::kName)), ...);
  (static_cast<void>(gdbench::protocol::message_from<typename Request::Answer>(object, Request::kName)), ...);
  static_cast<void>(gdbench::protocol::message_from<gdbench::protocol::Outcome>(object, "answer"));
}

}  // namespace

GDBENCH_FUZZ_TARGET(message) {
  const auto object = gdbench::parse_json(std::string(reinterpret_cast<const char*>(data), size));
  if (!object.ok() || !object->is_object()) return 0;
  read_all(*object, static_cast<gdbench::protocol::Requests*>(nullptr));
  return 0;
}
