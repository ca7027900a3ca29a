// Text in documents of markup: what is written there is somebody else's, and must neither end its place nor the
// document.
#pragma once

#include <string>
#include <string_view>

namespace gdbench::markup {

// The text with U+FFFD for bytes that are no UTF-8, for control characters but tabs and line feeds, and for U+FFFE and
// U+FFFF: what XML 1.0 (fifth edition, section 2.2) forbids or advises against.
std::string printable(std::string_view text);

// The same with references for & < > " and ': as content and as a quoted attribute of XML and of HTML.
std::string escaped(std::string_view text);

}  // namespace gdbench::markup
