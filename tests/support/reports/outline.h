// Pages as markup, read strictly.
#pragma once

#include <string>

namespace gdbench::document {

// The same. Fails the test where an element is not closed, an id is there twice, or a link leads nowhere.
std::string parsed(const std::string& content);

// A page with its places in whole pixels.
std::string outline_of(const std::string& page);

}  // namespace gdbench::document
