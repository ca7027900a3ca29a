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
Classes classes_of(const std::vector<std::string>& texts, const scenario::NumberFormat& numbers);

// Distinct texts, each with the place at which it was seen first.
class DistinctTexts {
 public:
  std::size_t place_of(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
  std::vector<std::string> texts_;
};

// Targets that are names. While rows are read, a target is the place of its name among those that were seen; in the end
// it is its class, or 0 or 1.
class NamedTargets {
 public:
  double place_of(std::string_view name) { return static_cast<double>(texts_.place_of(name)); }
  bool empty() const { return texts_.texts().empty(); }

  // After the last row: the table's classes.
  void be_labels(Table& table, const scenario::NumberFormat& numbers);
  // Likewise 0 and 1 from two names; `positive` is the one that is 1, or a number equal to it, or empty: the second
  // class. The error, without the file, of other names.
  Status be_shares(Table& table, const std::string& positive, const scenario::NumberFormat& numbers);
  // Rows whose targets are places.
  void complete(Table& rows) const;

 private:
  DistinctTexts texts_;
  std::vector<std::int32_t> of_place_;
  bool labels_ = false;
};

// Feature columns of names ("one-hot encoding"). While rows are read, such a column holds the place of its row's name
// among those that were seen; in the end it becomes one column for each name, in class order, that is 1 in the name's
// rows and 0 elsewhere.
class NamedColumns {
 public:
  // By their number among the features.
  void add(std::size_t feature) { names_[feature]; }
  bool any() const { return !names_.empty(); }
  bool has(std::size_t feature) const { return names_.contains(feature); }
  double place_of(std::size_t feature, std::string_view name) {
    return static_cast<double>(names_.at(feature).place_of(name));
  }

  // After the last row: the table's columns, of which new ones are called "column=name". The error, without the file,
  // where its rows would not fit into so many bytes.
  Status finish(Table& table, const scenario::NumberFormat& numbers, double most_bytes);
  // Rows whose columns of names hold places.
  void complete(Table& rows) const;

 private:
  // Where the columns of a feature begin, and which of them a place among its names is.
  struct NewColumns {
    std::size_t first = 0;
    std::vector<std::size_t> of_place;  // empty: a column of numbers
  };

  std::map<std::size_t, DistinctTexts> names_;  // of a feature
  std::vector<NewColumns> columns_;             // [features], where there are names
  std::size_t width_ = 0;                       // of all columns
};

}  // namespace gdbench::data
