// Parts of pages that tests look at.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/reports/golden.h"
#include "tests/support/reports/outline.h"

namespace gdbench::page {

// A page without its style and script, which are no concern of what it says.
inline std::string content_of(const std::string& page) {
  const std::size_t begin = page.find("<body>");
  return page.substr(begin, page.find("<script>", begin) - begin);
}

// The outline of the page `name` in tests/golden/page, without the list of what columns mean. The whole page goes to
// the folder GDBENCH_PAGES, where there is one: for a browser (tests/pages).
inline void expect_golden_page(const std::string& name, const std::string& page) {
  const std::string outline = document::outline_of(document::parsed(content_of(page)));
  tests::expect_golden("page/" + name + ".txt",
                       outline.substr(0, outline.find("summary: What columns and words mean")));
  if (const char* folder = std::getenv("GDBENCH_PAGES")) {
    tests::write_text(std::filesystem::path(folder) / (name + ".html"), page);
  }
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace gdbench::page
