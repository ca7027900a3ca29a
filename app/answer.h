// What a command that answers a question puts out: its answer on stdout, as text or as JSON, and the same in the forms
// of document::kForms where these are wanted.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "app/command_line.h"
#include "harness/base/json.h"
#include "harness/base/result.h"
#include "reports/document/writers.h"

namespace gdbench::app {

struct AnswerOptions {
  std::array<std::string, std::size(document::kForms)> files;  // "-" is stdout, which then has nothing else
  bool json = false;
  bool quiet = false;  // no text on stdout

  // Whether text or JSON is wanted there.
  bool wants_stdout() const;
};

// An option for each form of `what`: "the verdicts".
void add_forms(CLI::App& command, AnswerOptions& options, const std::string& what);
// These and --json.
void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& what = "the answer");

// The document is made where a form is wanted. Errors: a file cannot be written.
Status write_forms(const AnswerOptions& options, const std::function<document::Document()>& make_document);

// JSON is `record` with its document under the key "document"; `text`, where there is one, stands for the document's on
// stdout. Errors: a file cannot be written.
Status print_answer(const AnswerOptions& options, const document::Document& document, OrderedJson record,
                    const std::string& text = "");

// As text for stdout: as wide as the terminal, of any width where there is none.
std::string text_for_stdout(const document::Document& document);

}  // namespace gdbench::app
