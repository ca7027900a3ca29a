#include "tests/support/reports/outline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

namespace gdbench::document {

namespace {

using Lines = std::vector<std::string>;

Element opened(const std::string& markup) {
  static const std::regex kAttribute(R"re( ([\w-]+)="([^"<>]*)")re");
  Element element;
  const std::size_t end = markup.find(' ');
  element.tag = markup.substr(0, end);
  for (std::sregex_iterator found(markup.begin(), markup.end(), kAttribute), last; found != last; ++found) {
    element.attributes.emplace_back((*found)[1], (*found)[2]);
  }
  return element;
}

void collect(const Element& element, std::set<std::string>& ids, Lines& links) {
  const std::string id = element.attribute("id");
  if (!id.empty() && !ids.insert(id).second) ADD_FAILURE() << "twice: " << id;
  const std::string link = element.attribute("href");
  if (!link.empty()) links.push_back(link.substr(1));
  for (const Element& child : element.children) collect(child, ids, links);
}

// "tag.class#id [name=value]", without what is the same in every such element (FigureTest has it).
std::string name_of(const Element& element) {
  static const std::set<std::string> kLeftOut = {"class", "id", "xmlns", "viewBox", "tabindex", "scope",
                                                 "x",     "y",  "d",     "width",   "height",   "aria-labelledby"};
  std::string name = element.tag;
  if (!element.attribute("class").empty()) name += "." + element.attribute("class");
  if (!element.attribute("id").empty()) name += "#" + element.attribute("id");
  for (const auto& [key, value] : element.attributes) {
    if (!kLeftOut.contains(key)) name += " [" + key + "=" + value + "]";
  }
  return name;
}

// Numbers as whole ones.
std::string rounded(const std::string& path) {
  static const std::regex kNumber(R"(-?\d+(\.\d+)?)");
  std::string text;
  std::size_t from = 0;
  for (std::sregex_iterator found(path.begin(), path.end(), kNumber), last; found != last; ++found) {
    const auto at = static_cast<std::size_t>(found->position());
    text += path.substr(from, at - from) + std::to_string(std::lround(std::stod(found->str())));
    from = at + static_cast<std::size_t>(found->length());
  }
  return text + path.substr(from);
}

std::string place_of(const Element& element) {
  std::string place;
  for (const char* name : {"x", "y", "width", "height"}) {
    const std::string value = element.attribute(name);
    if (!value.empty()) place += (place.empty() ? "" : " ") + rounded(value);
  }
  return place;
}

// Items that have one heading, on lines of about the width of a screen.
class Groups {
 public:
  void add(const std::string& heading, const std::string& item) {
    for (auto& [known, items] : groups_) {
      if (known == heading) return items.push_back(item);
    }
    groups_.push_back({heading, {item}});
  }

  void write(Lines& lines) const {
    for (const auto& [heading, items] : groups_) {
      std::string line = "  " + heading + ":";
      for (const std::string& item : items) {
        if (line.size() + item.size() > 115) lines.push_back(std::exchange(line, "   "));
        line += " " + item + (&item == &items.back() ? "" : ",");
      }
      lines.push_back(line);
    }
  }

 private:
  std::vector<std::pair<std::string, Lines>> groups_;
};

// The figures of a path, each from one M to the next: a mark by its shape and place, anything else as it goes.
void add_path(const Element& path, Groups& groups) {
  std::string d = path.attribute("d");
  for (std::size_t next = 0; !d.empty(); d = d.substr(std::min(next, d.size()))) {
    next = std::min(d.find('M', 1), d.size());
    const std::size_t shape = std::min(d.find('m'), next);
    const std::string shape_name = shape < next ? " " + d.substr(shape, next - shape) : "";
    groups.add(name_of(path) + shape_name, rounded(d.substr(1, shape - 1)));
  }
}

void add_picture(const Element& picture, Lines& lines) {
  std::string head = "svg " + picture.attribute("viewBox");
  Groups groups;
  for (const Element& part : picture.children) {
    if (part.tag == "title" || part.tag == "desc") {
      head += " " + part.tag;
    } else if (part.tag == "path") {
      add_path(part, groups);
    } else if (!part.tag.empty()) {
      const std::string text = part.whole_text();
      groups.add(name_of(part), (text.empty() ? "" : text + " @ ") + place_of(part));
    }
  }
  lines.push_back(head);
  groups.write(lines);
}

void add_row(const Element& row, Lines& lines) {
  std::string line = "  " + (row.attributes.empty() ? "" : name_of(row) + " ");
  for (const Element& cell : row.children) {
    const std::string css = cell.attribute("class");
    line += "| " + (css.empty() ? "" : "." + css + " ") + cell.whole_text() + " ";
  }
  lines.push_back(line + "|");
}

void add_lines(const Element& element, Lines& lines) {
  static const std::set<std::string> kWithoutALine = {"body",    "header", "main",  "ul",
                                                      "details", "thead",  "tbody", "div"};
  static const std::set<std::string> kHeaded = {"section", "figure", "table"};
  if (element.tag == "svg") return add_picture(element, lines);
  if (element.tag == "tr") return add_row(element, lines);
  if (element.tag == "summary" && element.whole_text() == "Its numbers") return;
  auto child = element.children.begin();
  if (kHeaded.contains(element.tag)) {
    lines.push_back(name_of(element) + ": " + (child++)->whole_text());
  } else if (element.tag == "form") {
    lines.push_back(name_of(element));
  } else if (!kWithoutALine.contains(element.tag)) {
    return lines.push_back(name_of(element) + ": " + element.whole_text());
  }
  for (; child != element.children.end(); ++child) add_lines(*child, lines);
}

}  // namespace

std::string Element::attribute(const std::string& name) const {
  for (const auto& [key, value] : attributes) {
    if (key == name) return value;
  }
  return "";
}

std::string Element::whole_text() const {
  std::string all = text;
  for (const Element& child : children) {
    const std::string part = child.whole_text();
    const bool apart = child.tag == "small" || child.tag == "option" || child.tag == "select" || child.tag == "li";
    all += (apart && !all.empty() ? " " : "") + part;
  }
  if (tag == "a") all += " [" + attribute("href") + "]";
  return all;
}

Element parsed(const std::string& content) {
  std::vector<Element> open = {{}};
  const auto close = [&open] {
    Element done = std::move(open.back());
    open.pop_back();
    open.back().children.push_back(std::move(done));
  };
  for (std::size_t at = 0; at < content.size();) {
    const bool markup = content[at] == '<';
    const std::size_t end = std::min(content.find(markup ? '>' : '<', at), content.size());
    const std::string part = content.substr(at + (markup ? 1 : 0), end - at - (markup ? 1 : 0));
    at = end + (markup ? 1 : 0);
    if (!markup) {
      if (part != "\n") open.back().children.push_back({.text = part});
    } else if (part.starts_with('/')) {
      EXPECT_EQ(part.substr(1), open.back().tag);
      if (open.size() > 1) close();
    } else {
      open.push_back(opened(part));
      if (part.ends_with('/')) close();
    }
  }
  EXPECT_EQ(open.size(), 2U) << "only the page's body goes on: its script is left out";
  close();
  std::set<std::string> ids;
  Lines links;
  collect(open.front(), ids, links);
  for (const std::string& link : links) EXPECT_TRUE(ids.contains(link)) << "no section " << link;
  return std::move(open.front().children.front());
}

std::string outline_of(const Element& page) {
  Lines lines;
  add_lines(page, lines);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace gdbench::document
