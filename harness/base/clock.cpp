#include "harness/base/clock.h"

namespace gdbench {

std::string utc_text(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[sizeof "2026-11-28T04:00:00Z" + 8];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

std::optional<std::int64_t> seconds_since_1970(const std::string& time) {
  std::tm parts{};
  const char* end = strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0' || end != time.c_str() + time.size()) return std::nullopt;
  return timegm(&parts);
}

}  // namespace gdbench
