// Text in documents of markup: what is written there is somebody else's, and must neither end its place nor the
// document.
#pragma once

#include <string>
#include <string_view>

namespace gdbench::markup {

// The text as content and as a quoted attribute of XML (1.0, fifth edition) and of HTML: references for & < > " and ',
// and nothing that section 2.2 forbids or advises against (escape_controls of harness/base/text.h).
std::string escaped(std::string_view text);

}  // namespace gdbench::markup
