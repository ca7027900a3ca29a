// How somebody timed one training, in their own words: what DESCRIPTION.md says a file may hold.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/text.h"

namespace gdbench::fairness {

// What is known of one side, as it is shown: by the keys of the file ("optimizer/kind": "adam"), and by names behind a
// key what follows from it ("batch.rows": "32", which is min(batch, rows)). What is not known is absent.
struct Description {
  std::string name;
  std::map<std::string, std::string> facts;

  bool says(const std::string& fact) const { return facts.contains(fact); }
  std::string text(const std::string& fact) const { return says(fact) ? facts.at(fact) : ""; }
  template <class Number>
  std::optional<Number> number(const std::string& fact) const {
    return number_of<Number>(text(fact));
  }
};

constexpr std::int64_t kMostRows = 1'000'000'000'000;

enum class Form { text, choice, whole, positive, number, share, yes_no, items, shape, object };

// compared: what one side alone says is unknown. if_said: the same, of one kind of optimizer and where a side says it.
enum class Use { compared, if_said, helps, required };

// A key of a file. Its `names` are values as well as those of its form.
struct Field {
  const char* key;  // "optimizer/kind" is `kind` in the object `optimizer`
  Form form;
  Use use = Use::compared;
  std::vector<std::string> names = {};
  std::int64_t least = 1;  // of a whole number
  std::int64_t most = kMostRows;
  const char* expected = "";  // instead of a value that is neither of the form nor a name
};
const std::vector<Field>& description_fields();

// One-line errors: file, JSON pointer, found, expected. Updates that contradict rows, batch and epochs are one.
Result<Description> read_description(const std::filesystem::path& file);

}  // namespace gdbench::fairness
