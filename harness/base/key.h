// What people may write under a key, and what it means. Lists of fields (fields.h) whose keys have one are read by
// JsonReader, written by RecordWriter and described by KeyDescriber. Such an archive has fields.h's methods and
//   start      gives a member the default that it has from here on; only where nothing is written
//   columns    names of columns, or numbers of columns
//   object     an object whose keys a list names
//   objects    at least one of them: list(archive, element, whether it is the last)
//   variant    an object whose keys depend on its alternative
//   check      what a reader refuses
// and kWrites and kDescribes, true of RecordWriter and KeyDescriber. A file's path is based on the document's folder.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace gdbench {

struct IntegerRange {
  std::int64_t least;
  std::int64_t most;
  bool contains(std::int64_t value) const { return value >= least && value <= most; }
};

// Finite numbers only.
struct NumberRange {
  double least;
  bool open;                                               // `least` itself is outside
  double below = std::numeric_limits<double>::infinity();  // numbers are less than that
  double most = std::numeric_limits<double>::max();
  bool contains(double value) const {
    return (open ? value > least : value >= least) && value < below && value <= most;
  }
};

// "an integer from 1 to 8", "a positive number".
std::string expectation_of(IntegerRange range);
std::string expectation_of(NumberRange range);

struct Key {
  constexpr Key(const char* text = "", IntegerRange range = {0, INT64_MAX}, const char* otherwise_text = nullptr)
      : about(text), integers(range), otherwise(otherwise_text) {}
  constexpr Key(const char* text, NumberRange range, const char* otherwise_text = nullptr)
      : about(text), numbers(range), otherwise(otherwise_text) {}
  constexpr Key(const char* text, const char* otherwise_text) : about(text), otherwise(otherwise_text) {}
  static constexpr Key chooser(const char* text) {
    Key key(text);
    key.chooses = true;
    return key;
  }

  const char* about;
  IntegerRange integers = {0, INT64_MAX};
  NumberRange numbers = {0, false};
  const char* otherwise = nullptr;  // in words, where the default is no value
  bool chooses = false;             // an enumerator on which the object's other keys depend: the first of them
  const char* word = "";            // that stands for none
};

}  // namespace gdbench
