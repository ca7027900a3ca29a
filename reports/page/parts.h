// Pages that are not documents yet, on what documents are written with.
#pragma once

#include "reports/document/elements.h"
#include "reports/document/page.h"
#include "reports/document/picture.h"
#include "reports/render/table.h"

namespace gdbench::page {

using namespace document;
using markup::coordinate;
using Figure = document::Frame;
using Section = document::PagePart;
using TickText = std::string (*)(double value);

inline void add_figure(Markup& markup, const Frame& frame, const std::function<void()>& draw) {
  add_frame(markup, frame, draw);
}

}  // namespace gdbench::page
