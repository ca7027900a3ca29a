// Text of one-line messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gdbench {

// In double quotes, control characters and quotes escaped, long text shortened.
std::string in_quotes(std::string_view text);

bool is_utf8(std::string_view text);

// Control characters (line breaks) become spaces: what a message quotes must not break its line.
std::string one_line(std::string text);

// One word of a shell's command line, in single quotes where it needs any.
std::string quoted_for_shell(const std::string& word);

// As printf formats it, whole.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* pattern, ...);

std::string joined(const std::vector<std::string>& parts, std::string_view separator = ", ");

// The candidate within a third of the text's length in edits (a swap of neighbours is one), the closest first; empty
// where none is.
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

// " (did you mean X?)", or nothing where no candidate is near.
std::string suggestion(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace gdbench
