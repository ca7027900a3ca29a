#include "app/console.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "app/invocation.h"
#include "harness/base/text.h"
#include "reports/answers/format.h"

namespace gdbench::app {

namespace {

constexpr const char* kEraseLine = "\r\x1b[K";

std::string with_styles(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t style = answers::length_of_style(text);
    const std::size_t end = style > 0 ? style : std::min(text.find('\x1b', 1), text.size());
    result += style > 0 ? std::string(text.substr(0, end)) : escape_controls(text.substr(0, end));
    text.remove_prefix(end);
  }
  return result;
}

}  // namespace

void print_text(const std::string& text) {
  std::cout << (colour_wanted() ? with_styles(text) : escape_controls(text)) << std::flush;
}

void print_error(const std::string& line) { std::cerr << escape_controls(line) + "\n"; }

void print_progress(const std::string& line) {
  if (isatty(STDERR_FILENO) != 0) std::cerr << kEraseLine + escape_controls(line) << std::flush;
}

void clear_progress() {
  if (isatty(STDERR_FILENO) != 0) std::cerr << kEraseLine;
}

void print_warning(const std::string& warning) {
  clear_progress();
  print_error("gdbench: " + warning);
}

}  // namespace gdbench::app
