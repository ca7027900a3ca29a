#include "reports/render/name_counts.h"

#include <algorithm>

#include "reports/render/phrases.h"

namespace gdbench::render {

std::vector<std::pair<std::string, std::size_t>> ordered(const NameCounts& counts) {
  std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return order;
}

std::string counts_text(const NameCounts& counts, std::size_t most) {
  std::string text;
  std::size_t told = 0;
  for (const auto& [name, count] : ordered(counts)) {
    if (told++ == most) {
      join(text, std::to_string(counts.size() - most) + " more");
      break;
    }
    join(text, name + (counts.size() > 1 ? " " + std::to_string(count) : ""));
  }
  return text;
}

}  // namespace gdbench::render
