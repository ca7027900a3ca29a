// How often names occur, for sentences.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gdbench::render {

using NameCounts = std::map<std::string, std::size_t>;

// The largest first, equal ones in the order of their names.
std::vector<std::pair<std::string, std::size_t>> ordered(const NameCounts& counts);

// "jit 5, onednn 2, 3 more"; without a number where there is one name.
std::string counts_text(const NameCounts& counts, std::size_t most);

}  // namespace gdbench::render
