#include "reports/page/ablation_page.h"

#include <vector>

#include "harness/base/text.h"
#include "reports/page/parts.h"
#include "reports/page/forest_figure.h"
#include "reports/render/ablation.h"

namespace gdbench::page {

namespace {

using report::Ablation;
using report::AblationVariant;

Finding finding_of(stats::Verdict verdict) {
  switch (verdict) {
    case stats::Verdict::slower:
      return Finding::worse;
    case stats::Verdict::faster:
      return Finding::better;
    case stats::Verdict::equivalent:
      return Finding::alike;
    case stats::Verdict::inconclusive:
      break;
  }
  return Finding::open;
}

ForestRow row_of(const AblationVariant& variant) {
  ForestRow row{.label = render::variant_name(variant)};
  if (variant.comparison) {
    row.word = stats::name_of(variant.comparison->verdict);
    row.figure = render::format_ratio(variant.comparison->ratio);
    row.finding = finding_of(variant.comparison->verdict);
    row.ratio = variant.comparison->ratio;
  } else if (!variant.step_ns) {
    row.word = report::name_of(variant.status.state);
    row.finding = Finding::failed;
  } else {
    row.word = "not compared";
  }
  return row;
}

void worth(Markup& markup, const Ablation& ablation) {
  add_list(markup, render::ablation_sentences(ablation));
  const double margin = stats::VerdictOptions{}.margin;
  Forest forest{.figure = {.id = "forest",
                           .title = "Time per step without a part over that of the cell as it is",
                           .sentence = cat(kForestWords,
                                           " Where a step is slower without a part, that is what the part is worth. "
                                           "Grey is the margin, within which it does not matter."),
                           .data = {{.title = "variant", .texts = {}},
                                    {.title = "ratio", .texts = {}},
                                    {.title = "verdict", .texts = {}}}},
                .axis = "times the cell as it is",
                .band = stats::margin_range(margin),
                .band_name = "margin of " + render::format_percent(margin)};
  for (const AblationVariant& variant : ablation.variants) {
    if (variant.as_it_is() || variant.had_no_effect()) continue;
    const ForestRow row = row_of(variant);
    add_row(forest.figure.data, {row.label, row.figure.empty() ? "-" : row.figure, row.word});
    forest.rows.push_back(row);
  }
  add_forest(markup, forest);
}

void variants(Markup& markup, const Ablation& ablation) {
  add_titled(markup, "Every variant", render::by_columns(render::variants_table(ablation)));
  add_paragraph(markup, render::ablation_legend(ablation));
}

}  // namespace

std::string ablation_page(const Ablation& ablation) {
  std::vector<Section> sections = {
      {"worth", "What each part is worth", [&](Markup& markup) { worth(markup, ablation); }},
      {"variants", "Variants", [&](Markup& markup) { variants(markup, ablation); }}};
  const std::vector<std::string> descriptions = render::part_descriptions(ablation);
  if (!descriptions.empty())
    sections.push_back({"parts", "What they do", [&](Markup& markup) { add_list(markup, descriptions); }});
  return page_of("gdbench ablate " + ablation.scenario + "/" + ablation.implementation, sections,
                  [&](Markup& markup) { add_paragraph(markup, render::ablation_subject(ablation), "muted"); });
}

}  // namespace gdbench::page
