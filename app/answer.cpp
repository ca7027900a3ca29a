#include "app/answer.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/console.h"
#include "app/invocation.h"
#include "reports/document/writers.h"

namespace gdbench::app {

void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& what) {
  add_document(command, "--markdown", options.markdown, "Write " + what + " as GitHub Markdown, too");
  add_html(command, options.html, what);
  command.add_flag("--json", options.json, "Print " + what + " as JSON");
}

void add_html(CLI::App& command, std::string& path, const std::string& what) {
  add_document(command, "--html", path,
               "Write " + what + " as a page for a browser, too, one file that fetches nothing");
}

std::string text_for_stdout(const document::Document& document) {
  return document::text_of(document, {.width = width_is_known() ? terminal_width() : 0, .colour = colour_wanted()});
}

Status print_answer(const AnswerOptions& options, const document::Document& document, OrderedJson record,
                    const std::string& text) {
  if (options.html != "-" && options.markdown != "-") {
    if (options.json) {
      record["document"] = document::json_of(document);
      print_text(record.dump(2) + "\n");
    } else if (!options.quiet) {
      print_text(text.empty() ? text_for_stdout(document) : text);
    }
  }
  if (!options.markdown.empty()) TRY(write_text(document::markdown_of(document), options.markdown));
  return options.html.empty() ? Status() : write_text(document::html_of(document), options.html);
}

}  // namespace gdbench::app
