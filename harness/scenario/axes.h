// The axes of a matrix that are no keys of scenarios.
#pragma once

#include <charconv>
#include <optional>
#include <string>

namespace gdbench::scenario {

constexpr const char* kScenarioAxis = "scenario";
constexpr const char* kImplementationAxis = "implementation";
constexpr const char* kThreadsAxis = "threads";
constexpr const char* kOptionPrefix = "impl.";
constexpr int kMaxThreads = 4096;

inline std::optional<int> as_threads(const std::string& text) {
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > kMaxThreads) {
    return std::nullopt;
  }
  return threads;
}

}  // namespace gdbench::scenario
