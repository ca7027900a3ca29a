// Parts of pages that tests look at.
#pragma once

#include <cstddef>
#include <string>

namespace gdbench::page {

// A page without its style and script, which are no concern of what it says.
inline std::string content_of(const std::string& page) {
  const std::size_t begin = page.find("<body>");
  return page.substr(begin, page.find("<script>", begin) - begin);
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace gdbench::page
