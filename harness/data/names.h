// Text in place of numbers: labels of classes, and columns of names as columns of 0 and 1.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/table.h"

namespace gdbench::data {

// Distinct texts in sorted order, by value where all are integers.
std::vector<std::string> in_class_order(std::vector<std::string> texts);

// Feature columns of names ("one-hot encoding"). While rows are read, such a column holds the place of its row's name
// among those that were seen; in the end it becomes one column for each name, in class order, that is 1 in the name's
// rows and 0 elsewhere.
class NamedColumns {
 public:
  // By their number among the features.
  void add(std::size_t feature) { names_[feature]; }
  bool has(std::size_t feature) const { return names_.contains(feature); }
  double place_of(std::size_t feature, const std::string& name);

  // Replaces them in the table, whose new columns are called "column=name". The error, without the file, where the
  // table would not fit.
  Status expand(Table& table) const;

 private:
  std::map<std::size_t, std::map<std::string, std::size_t>> names_;  // of a feature: its names and their places
};

}  // namespace gdbench::data
