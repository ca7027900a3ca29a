// All that the program prints. Texts of plugins, reports and files are in it: what would act on a terminal is spelled
// out (escape_controls of harness/base/text.h), except the styles of reports/answers where colour is wanted.
#pragma once

#include <string>

namespace gdbench::app {

void print_text(const std::string& text);        // to stdout
void print_error(const std::string& line);       // to stderr, with a line break behind it
void print_warning(const std::string& warning);  // likewise, before the progress line where there is one

// The line on stderr that is replaced as a run goes on; only a terminal has one.
void print_progress(const std::string& line);
void clear_progress();

}  // namespace gdbench::app
