#include "tests/support/reports/outline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <vector>

namespace gdbench::document {

namespace {

// What a function of the match has in place of each match.
template <class Function>
std::string replaced(const std::string& text, const std::regex& expression, const Function& function) {
  std::string result;
  auto from = text.begin();
  for (std::sregex_iterator found(text.begin(), text.end(), expression), last; found != last; ++found) {
    result.append(from, (*found)[0].first) += function(*found);
    from = (*found)[0].second;
  }
  return result.append(from, text.end());
}

std::vector<std::string> values_of(const char* attribute, const std::string& content) {
  std::vector<std::string> values;
  const std::regex expression(std::string(" ") + attribute + R"re(="([^"]*)")re");
  for (std::sregex_iterator found(content.begin(), content.end(), expression), last; found != last; ++found) {
    values.push_back((*found)[1]);
  }
  return values;
}

}  // namespace

std::string parsed(const std::string& content) {
  std::vector<std::string> open;
  for (std::size_t at = content.find('<'); at != content.npos; at = content.find('<', at + 1)) {
    const std::string markup = content.substr(at + 1, content.find('>', at) - at - 1);
    const std::string tag = markup.substr(0, markup.find(' '));
    if (tag.starts_with('/')) {
      EXPECT_EQ(tag.substr(1), open.empty() ? "" : open.back());
      if (!open.empty()) open.pop_back();
    } else if (!markup.ends_with('/')) {
      open.push_back(tag);
    }
  }
  EXPECT_EQ(open, std::vector<std::string>{"body"}) << "which goes on: its script is left out";
  std::set<std::string> ids;
  for (const std::string& id : values_of("id", content)) EXPECT_TRUE(ids.insert(id).second) << "twice: " << id;
  for (const std::string& link : values_of("href", content)) EXPECT_TRUE(ids.contains(link.substr(1))) << link;
  return content;
}

std::string outline_of(const std::string& page) {
  static const std::regex kPlaces(R"re( (d|x|y|width|height)="[^"]*")re");
  static const std::regex kNumber(R"(-?\d+(\.\d+)?)");
  return replaced(page, kPlaces, [](const std::smatch& places) {
    return replaced(places.str(), kNumber,
                    [](const std::smatch& number) { return std::to_string(std::lround(std::stod(number.str()))); });
  });
}

}  // namespace gdbench::document
