// Pages as markup, read strictly, and what they show.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gdbench::document {

// An element, or a text, which has no tag.
struct Element {
  std::string tag{};
  std::string text{};
  std::vector<std::pair<std::string, std::string>> attributes{};
  std::vector<Element> children{};

  // Empty where there is none.
  std::string attribute(const std::string& name) const;
  // Of the element and all in it, with where its links lead to.
  std::string whole_text() const;
};

// Fails the test where an element is not closed, an id is there twice, or a link leads nowhere.
Element parsed(const std::string& content);

// A line for each heading, sentence and row of a table. Of a picture, a line for each kind of thing in it, with their
// places in whole pixels. What makes a page accessible or folds it is left out.
std::string outline_of(const Element& page);

}  // namespace gdbench::document
