// What a command that answers a question puts out: its answer on stdout, as text or as JSON, and the same as Markdown
// and as a page where these are wanted.
#pragma once

#include <string>

#include "app/command_line.h"
#include "harness/base/json.h"
#include "harness/base/result.h"
#include "reports/document/document.h"

namespace gdbench::app {

struct AnswerOptions {
  std::string markdown;  // files; "-" is stdout, which then has nothing else
  std::string html;
  bool json = false;
  bool quiet = false;  // no text on stdout
};

// --markdown, --html and --json of `what`: "the verdicts".
void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& what = "the answer");
// --html alone, for a command whose report is one of several things that it writes.
void add_html(CLI::App& command, std::string& path, const std::string& what = "the answer");

// JSON is `record` with its document under the key "document"; `text`, where there is one, stands for the document's on
// stdout. Errors: a file cannot be written.
Status print_answer(const AnswerOptions& options, const document::Document& document, OrderedJson record,
                    const std::string& text = "");

// As text for stdout: as wide as the terminal, of any width where there is none.
std::string text_for_stdout(const document::Document& document);

}  // namespace gdbench::app
