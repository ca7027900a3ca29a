// A page as a whole: one file that fetches nothing and that only its own style and script may act in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/document/document.h"
#include "reports/markup/markup.h"

namespace gdbench::document {

using markup::Markup;

// What every page begins with.
constexpr std::string_view kBegin = "<!DOCTYPE html>\n<!-- A page of gdbench. -->\n";

// A part of it, which its list of contents leads to.
struct PagePart {
  std::string id;
  std::string title;
  std::function<void(Markup&)> write;
};

// The page with that title, below links to others; `introduction` writes what stands above the list of sections.
std::string page_of(const std::string& title, const std::vector<Link>& links, const std::vector<PagePart>& sections,
                    const std::function<void(Markup&)>& introduction);

}  // namespace gdbench::document
