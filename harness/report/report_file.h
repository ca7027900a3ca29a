// Text of a report and files that are written whole or not at all.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/report/fields.h"

namespace gdbench::report {

// Indented by two; what holds no other object or array, such as a sample, takes one line.
std::string to_text(const OrderedJson& json);

// The whole text of a report or a journal, which may be compressed. Errors name the path and the reason.
Result<std::string> read_text(const std::string& path);

// "PATH: cannot be written: REASON".
Error cannot_be_written(const std::string& path, const std::string& reason);

// Replaces a file by `text`, or leaves it as it is. Errors name the path and the reason.
Status write_whole(const std::string& text, const std::string& path);

// All of `text` to an open descriptor. Errors: errno's text, without the path.
Status write_all(int descriptor, const std::string& text);

}  // namespace gdbench::report
