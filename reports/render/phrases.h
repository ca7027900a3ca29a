// Small pieces that sentences are made of.
#pragma once

#include <string>

namespace gdbench::render {

// Appends a part to a list with commas; nothing where the part is empty.
inline void join(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

}  // namespace gdbench::render
