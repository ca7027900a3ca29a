#include "reports/page/crossover_page.h"

#include "harness/base/text.h"
#include "reports/page/crossover_figures.h"
#include "reports/page/parts.h"
#include "reports/render/crossover.h"

namespace gdbench::page {

std::string crossover_page(const report::Crossover& crossover) {
  const auto answer = [&](Markup& markup) {
    add_list(markup, render::crossover_sentences(crossover));
    if (crossover.points.empty()) return;
    add_sizes(markup, crossover);
    add_ratios(markup, crossover);
    add_paragraph(markup, render::crossover_method(crossover), "muted");
  };
  return page_of(cat("gdbench crossover ", crossover.scenario),
                  {{"answer", cat("Where is ", crossover.a, " faster than ", crossover.b, "?"), answer}},
                  [&](Markup& markup) {
                    add_paragraph(markup, cat(crossover.a, " beside ", crossover.b, ", over ", crossover.axis, "."));
                  });
}

std::string crossover_page(const report::StepsCrossover& crossover) {
  const std::string& a = crossover.sides[0].implementation;
  const std::string& b = crossover.sides[1].implementation;
  const auto answer = [&](Markup& markup) {
    add_paragraph(markup, render::crossover_sentence(crossover));
    add_steps(markup, crossover);
    add_paragraph(markup, render::crossover_method(crossover), "muted");
  };
  return page_of(cat("gdbench crossover ", crossover.scenario),
                  {{"answer", cat("From how many steps on is which of ", a, " and ", b, " ahead?"), answer}},
                  [&](Markup& markup) { add_paragraph(markup, cat(a, " beside ", b, ", over the number of steps.")); });
}

}  // namespace gdbench::page
