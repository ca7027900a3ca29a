// What pages are made of besides figures.
#pragma once

#include <string>
#include <vector>

#include "reports/page/figure.h"
#include "reports/page/markup.h"
#include "reports/render/table.h"

namespace gdbench::page {

// Each adds nothing where there is nothing to say.

void add_paragraph(Markup& markup, const std::string& text, const std::string& css = "");
void add_list(Markup& markup, const std::vector<std::string>& sentences);
// A table that can be sorted.
void add_titled(Markup& markup, const std::string& title, const render::TextTable& table);

// What body() writes, to be opened by the summary.
template <class Body>
void add_folded(Markup& markup, const std::string& summary, const Body& body) {
  markup.element("details", {}, [&] {
    markup.element("summary", summary);
    body();
  });
}

}  // namespace gdbench::page
