#include "app/answer.h"

#include "app/console.h"
#include "app/invocation.h"

namespace gdbench::app {

void add_html(CommandLine& command, std::string& path, const std::string& what) {
  command.document("--html", path, "Write " + what + " as a page for a browser, too, one file that fetches nothing");
}

Status print_answer(const std::string& answer, const std::string& html, const std::function<std::string()>& page) {
  if (html != "-") print_text(answer);
  return html.empty() ? Status() : write_text(page(), html);
}

}  // namespace gdbench::app
