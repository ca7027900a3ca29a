// Small pieces that sentences are made of.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace gdbench::render {

// The value at a JSON pointer where it is a string, else nothing.
inline std::string text_at(const nlohmann::json& document, const char* pointer) {
  const nlohmann::json::json_pointer place(pointer);
  if (!document.is_object() || !document.contains(place)) return "";
  const nlohmann::json& value = document[place];
  return value.is_string() ? value.get<std::string>() : "";
}

// The value at a JSON pointer where it is a number, else `otherwise`.
inline double number_at(const nlohmann::json& document, const char* pointer, double otherwise) {
  const nlohmann::json::json_pointer place(pointer);
  if (!document.is_object() || !document.contains(place)) return otherwise;
  const nlohmann::json& value = document[place];
  return value.is_number() ? value.get<double>() : otherwise;
}

inline std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// Appends a part to a list with commas; nothing where the part is empty.
inline void join(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

}  // namespace gdbench::render
