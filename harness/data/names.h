// Text in place of numbers: labels of classes, and columns of names as columns of 0 and 1.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/table.h"

namespace gdbench::data {

// Texts as classes: in sorted order or, where all are numbers, by value, and equal numbers are one class, which is
// called by the shortest of their spellings.
struct Classes {
  std::vector<std::string> names;
  std::vector<std::size_t> of_text;  // [texts]
};
Classes classes_of(const std::vector<std::string>& texts);

// Distinct texts, each with the place at which it was seen first.
class DistinctTexts {
 public:
  std::size_t place_of(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
  std::vector<std::string> texts_;
};

// Targets that are names, a row's after the other.
class NamedTargets {
 public:
  void add(std::string_view name) { places_.push_back(static_cast<std::int32_t>(texts_.place_of(name))); }
  bool empty() const { return places_.empty(); }

  // Labels, by the names' classes.
  void take_labels(Table& table);
  // Targets of 0 and 1 from two names; `positive` is the one that is 1, or empty: the second class. The error, without
  // the file, of other names.
  Status take_shares(Table& table, const std::string& positive) const;

 private:
  DistinctTexts texts_;
  std::vector<std::int32_t> places_;
};

// Feature columns of names ("one-hot encoding"). While rows are read, such a column holds the place of its row's name
// among those that were seen; in the end it becomes one column for each name, in class order, that is 1 in the name's
// rows and 0 elsewhere.
class NamedColumns {
 public:
  // By their number among the features.
  void add(std::size_t feature) { names_[feature]; }
  bool has(std::size_t feature) const { return names_.contains(feature); }
  double place_of(std::size_t feature, std::string_view name) {
    return static_cast<double>(names_.at(feature).place_of(name));
  }

  // Replaces them in the table, whose new columns are called "column=name". The error, without the file, where the
  // table would not fit.
  Status expand(Table& table) const;

 private:
  std::map<std::size_t, DistinctTexts> names_;  // of a feature
};

}  // namespace gdbench::data
