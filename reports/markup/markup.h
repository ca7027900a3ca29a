// A writer of HTML and of the SVG in it. What it writes is well-formed XML, too, and the same bytes for the same calls.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "reports/markup/escape.h"

namespace gdbench::markup {

// A coordinate in a picture: a tenth of a pixel, without zeros at its end.
std::string coordinate(double value);

struct Attribute {
  std::string_view name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

class Markup {
 public:
  // <tag attributes>, what body() writes, </tag>.
  template <class Body>
  requires std::is_invocable_v<Body>
  void element(std::string_view tag, Attributes attributes, const Body& body) {
    begin(tag, attributes, ">");
    body();
    end(tag);
  }
  // With a text that is escaped.
  void element(std::string_view tag, Attributes attributes, std::string_view text);
  void element(std::string_view tag, std::string_view text) { element(tag, {}, text); }
  // Without an end: <br />.
  void empty(std::string_view tag, Attributes attributes) { begin(tag, attributes, "/>"); }
  void text(std::string_view text) { out_ += escaped(text); }
  // Markup of somebody who escaped what is foreign in it.
  void raw(std::string_view markup) { out_ += markup; }

  std::string take() { return std::move(out_); }

 private:
  void begin(std::string_view tag, Attributes attributes, std::string_view close);
  void end(std::string_view tag);

  std::string out_;
};

}  // namespace gdbench::markup
