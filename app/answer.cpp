#include "app/answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/console.h"
#include "app/invocation.h"

namespace gdbench::app {

bool AnswerOptions::wants_stdout() const { return !quiet && std::ranges::find(files, "-") == files.end(); }

void add_forms(CLI::App& command, AnswerOptions& options, const std::string& what) {
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const document::Form& form = document::kForms[i];
    add_document(command, form.option, options.files[i], "Write " + what + " " + form.description);
  }
}

void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& what) {
  add_forms(command, options, what);
  command.add_flag("--json", options.json, "Print " + what + " as JSON");
}

std::string text_for_stdout(const document::Document& document) {
  return document::text_of(document, {.width = width_is_known() ? terminal_width() : 0, .colour = colour_wanted()});
}

Status write_forms(const AnswerOptions& options, const std::function<document::Document()>& make_document) {
  std::optional<document::Document> document;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    if (options.files[i].empty()) continue;
    if (!document) document = make_document();
    TRY(write_text(document::kForms[i].write(*document), options.files[i]));
  }
  return {};
}

Status print_answer(const AnswerOptions& options, const document::Document& document, OrderedJson record,
                    const std::string& text) {
  if (options.wants_stdout() && options.json) {
    record["document"] = document::json_of(document);
    print_text(record.dump(2) + "\n");
  } else if (options.wants_stdout()) {
    print_text(text.empty() ? text_for_stdout(document) : text);
  }
  return write_forms(options, [&] { return document; });
}

}  // namespace gdbench::app
