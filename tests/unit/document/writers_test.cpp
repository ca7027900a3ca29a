#include "reports/document/writers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/document/drawing.h"
#include "reports/document/elements.h"
#include "tests/support/reports/golden.h"
#include "tests/support/reports/outline.h"

namespace gdbench::document {
namespace {

using tests::expect_golden;

std::string plain(double value) { return std::to_string(static_cast<int>(std::lround(value))); }

Plane example_plane() {
  return {.across = {.title = "size", .text = &plain, .logarithmic = true},
          .up = {.title = "time", .text = &plain, .logarithmic = true},
          .series = {{.name = "first",
                      .marked = true,
                      .points = {{1, 10, stats::Interval{9, 11}}, {10, 20, stats::Interval{15, 30}}, {100, 200}}},
                     {.name = "second", .look = look_of(1), .line = Line::thin, .points = {{1, 40}, {100, 50}}},
                     {.name = "behind", .look = look_of(kGrey), .named = false, .points = {{1, 80}, {10, 80}}},
                     {.name = "ideal", .line = Line::guide, .points = {{1, 10}, {100, 10}}}},
          .bands = {{.range = {10, 20}}, {.range = {15, 25}, .upright = false}},
          .rules = {{.at = 15, .text = "here"}, {.at = 30, .text = "wanted", .upright = false}},
          .notes = {{12, 30, "from 12", look_of(1)}}};
}

Rows example_rows() {
  return {
      .axes = {{.title = "ratio", .text = &plain, .logarithmic = true}, {.title = "time", .text = &plain}},
      .rows = {{.label = "one",
                .measures = {{.value = 2, .interval = stats::Interval{1, 1e6}}, {.value = 5, .axis = 1, .bar = true}},
                .dots = {1.5, 2.5},
                .wanted = stats::Interval{0, 3},
                .word = "slower",
                .figure = "2x",
                .group = "group"},
               {.label = "two",
                .look = {.hue = 1, .shape = 3},
                .measures = {{.value = 1}, {.value = -2, .axis = 1, .bar = true}},
                .word = "equal",
                .figure = "1x",
                .group = "group",
                .set_back = true}},
      .band = stats::Interval{0.9, 1.1},
      .band_name = "margin",
      .line = 1,
      .key = {{"bars", 0}}};
}

Rows example_pieces() {
  return {.axes = {{.title = "time", .text = &plain}},
          .rows = {{.label = "", .pieces = {{0, 100, 0, "", "all of it, and more", "all: 100"}}},
                   {.label = "",
                    .pieces = {{0, 99.9, 1, "", "most", "most: 99.9"}, {99.9, 100, 2, "", "rest", "rest: 0.1"}}}}};
}

// Every kind of block; texts that would be markup.
Document example_document() {
  Document document{.title = "Is <a> faster?", .answer = {{"No: *a* is slower.", Style::bad}, {"By 2x."}}};
  Blocks first;
  first.paragraph("One paragraph that is longer than a narrow terminal is wide, so that it goes on in a second line.");
  first.table("A table", {{.title = "name", .texts = {"a|b", "c"}},
                          {.title = "time", .right_aligned = true, .texts = {"1 us", "12 us"}},
                          {.title = "hidden", .rank = 2, .texts = {"what is left out first", ""}},
                          {.title = "remark",
                           .texts = {"words that go on below themselves in a narrow terminal", "-"},
                           .styles = {Style::unsure, Style::plain}}});
  first.figure({.title = "A plane", .sentence = "Shows points.", .chart = example_plane()});
  first.heading("Below a heading");
  first.list({"first item", "second item"}, Style::unsure);
  first.command("gdbench run --scenario 'x`y'");
  Blocks second;
  second.figure({.title = "Rows", .sentence = "Shows rows.", .chart = example_rows()});
  second.figure({.title = "Rows", .sentence = "Shows pieces.", .chart = example_pieces()});
  Blocks folded;
  folded.paragraph("What text leaves out.");
  second.fold("A fold", std::move(folded));
  Blocks opened;
  opened.paragraph("What text does not leave out.", Style::dim);
  second.fold("Another fold", std::move(opened), true);
  Blocks lead;
  lead.paragraph("Before all sections.", Style::dim);
  document.section("", std::move(lead));
  document.section("First", std::move(first));
  document.section("Second_section", std::move(second));
  return document;
}

TEST(Writers, HaveNotesBehindTexts) {
  Column column = left("time");
  column.texts = {"1 ns"};
  column.notes = {"wins"};
  EXPECT_EQ(markdown_table({column}), "| time |\n| --- |\n| 1 ns wins |\n\n");
}

TEST(Golden, Writers) {
  const Document document = example_document();
  expect_golden("document/wide.txt", text_of(document, {}));
  expect_golden("document/narrow.txt", text_of(document, {.width = 50, .colour = true}));
  expect_golden("document/document.md", markdown_of(document));
  expect_golden("document/document.json", json_of(document).dump(1) + "\n");
  const std::string page = html_of(document);
  const std::size_t body = page.find("<body>");
  expect_golden("document/page.txt", outline_of(parsed(page.substr(body, page.find("<script>", body) - body))));
}

TEST(Blocks, LeaveOutWhatHasNothingToSay) {
  Blocks blocks;
  blocks.paragraph("");
  blocks.list({});
  blocks.table("title", {{.title = "column"}});
  blocks.command("");
  blocks.fold("summary", Blocks());
  blocks.heading("without blocks behind it");
  blocks.heading("nor this one");
  EXPECT_TRUE(blocks.take().empty());
  Document document{.title = "nothing"};
  document.section("section", Blocks());
  EXPECT_TRUE(document.sections.empty());
  EXPECT_EQ(text_of(document, {}), "nothing\n");
}

// Sections and figures of one title have ids of their own, and links of the contents lead to them.
TEST(Html, HasIdsOfItsOwnForTitlesThatAreAlike) {
  Document document{.title = "twice"};
  for (int i = 0; i < 3; ++i) {
    Blocks blocks;
    blocks.paragraph("text");
    document.section("3x <b>", std::move(blocks));
  }
  const std::string page = html_of(document);
  for (const char* id : {"s-3x-b", "s-3x-b-2", "s-3x-b-3"}) {
    EXPECT_NE(page.find("<section id=\"" + std::string(id) + "\">"), std::string::npos) << id;
  }
}

TEST(Json, HasNullForWhatIsNoNumber) {
  Blocks blocks;
  blocks.figure({.title = "t",
                 .sentence = "s",
                 .chart = Rows{.axes = {{.title = "x", .text = &plain}},
                               .rows = {{.label = "r", .measures = {{.value = NAN}}}}}});
  Document document{.title = "null"};
  document.section("", std::move(blocks));
  const OrderedJson figure = json_of(document)["sections"][0]["blocks"][0]["figure"];
  EXPECT_TRUE(figure["chart"]["rows"][0]["values"][0]["value"].is_null());
}

TEST(Hues, AreGivenInTurnAndTheLastIsShared) {
  Hues hues;
  EXPECT_EQ(hues.of("a"), 0);
  EXPECT_EQ(hues.of("b"), 1);
  EXPECT_EQ(hues.of("a"), 0);
  for (int i = 0; i < 20; ++i) EXPECT_LT(hues.of(std::to_string(i)), kHues);
  EXPECT_EQ(stroke_class(-1), "s6") << "without a hue as the last";
  EXPECT_EQ(area_class(-1), "k6");
}

// What outlines leave out: how a picture is named, folded and scrolled.
TEST(FrameTest, IsLabelledAndHasItsNumbersInATable) {
  Markup markup;
  add_frame(markup,
            {.id = "f", .title = "T", .sentence = "S.", .height = 9, .data = {{.title = "row", .texts = {"a"}}}}, [&] {
              markup.empty("path", {{"d", "M0 0"}});
            });
  const std::string text = markup.take();
  for (const char* part :
       {R"(<figure id="f"><figcaption><b>T.</b> S.</figcaption>)",
        R"(<div class="scroll" tabindex="0" role="region" aria-label="T"><svg )",
        R"(viewBox="0 0 760 9" role="img" aria-labelledby="f-t f-d"><title id="f-t">T</title><desc id="f-d">S.</desc>)",
        R"(<path d="M0 0"/>)", R"(<details><summary>Its numbers</summary>)",
        R"(<div class="scroll" tabindex="0" role="region" aria-label="T"><table><caption>T</caption>)",
        R"(<th scope="col">row</th>)", R"(<th scope="row">a</th>)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace gdbench::document
