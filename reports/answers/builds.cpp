#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

bool is_version(const std::string& part) {
  const std::size_t space = part.find(' ');
  return space != std::string::npos && space + 1 < part.size() && part.find(' ', space + 1) == std::string::npos &&
         std::isdigit(static_cast<unsigned char>(part[space + 1])) != 0;
}

}  // namespace

std::string build_text(const report::Cell& cell) {
  std::string text = cell.build;
  if (!cell.runtime) return text;
  for (const auto& [key, value] : *cell.runtime) text += cat(text.empty() ? "" : "; ", key, " ", value);
  return text;
}

std::vector<std::string> build_parts(const report::Cell& cell) {
  std::vector<std::string> parts;
  std::istringstream stream(cell.build);
  for (std::string part; std::getline(stream >> std::ws, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<std::string> build_words(const report::Report& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> builds;  // in the report's order
  for (const report::Cell& cell : report.cells) {
    const std::string text = build_text(cell);
    if (!cell.summary || text.empty() || cell.arm == report::kControlArm) continue;
    std::vector<std::string>& names = entry_of(builds, text);
    if (std::ranges::find(names, cell.implementation) == names.end()) names.push_back(cell.implementation);
  }
  std::vector<std::string> lines;
  for (const auto& [text, names] : builds) lines.push_back("Build of " + joined(names) + ": " + text + ".");
  return lines;
}

std::string versions_words(const report::Report& report) {
  std::vector<std::string> versions;
  for (const report::Cell& cell : report.cells) {
    if (!cell.summary) continue;
    for (const std::string& part : build_parts(cell)) {
      if (is_version(part) && std::ranges::find(versions, part) == versions.end()) versions.push_back(part);
    }
  }
  return joined(versions);
}

}  // namespace gdbench::answers
