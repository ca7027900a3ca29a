#include "tests/support/reports/answers.h"

#include <cstdlib>
#include <variant>

#include "reports/document/writers.h"
#include "tests/support/reports/golden.h"

namespace gdbench::tests {

namespace {

// Figures as a sentence and a table; folds opened.
std::vector<document::Block> unfolded(const std::vector<document::Block>& blocks) {
  document::Blocks out;
  for (const document::Block& block : blocks) {
    if (const auto* figure = std::get_if<document::Figure>(&block.content)) {
      out.paragraph("figure: " + figure->title + ". " + figure->sentence);
      out.table("", document::data_of(*figure));
    } else if (const auto* fold = std::get_if<document::Fold>(&block.content)) {
      document::Blocks content;
      for (const document::Block& one : unfolded(fold->blocks)) content.add(one);
      out.fold("fold: " + fold->summary, std::move(content), true);
    } else {
      out.add(block);
    }
  }
  return out.take();
}

}  // namespace

std::string outline_of(const document::Document& document) {
  document::Document whole = document;
  for (document::Section& section : whole.sections) section.blocks = unfolded(section.blocks);
  return document::text_of(whole, {});
}

void expect_golden_answer(const std::string& name, const document::Document& document) {
  expect_golden("answers/" + name + ".txt", outline_of(document));
  if (const char* folder = std::getenv("GDBENCH_PAGES")) {
    write_text(std::filesystem::path(folder) / (name + ".html"), document::html_of(document));
  }
}

}  // namespace gdbench::tests
