#include "reports/page/markup.h"

#include <gtest/gtest.h>

#include <string>

#include "reports/page/figure.h"

namespace gdbench::page {
namespace {

TEST(CoordinateTest, IsShort) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.34), "12.3");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(1e5), "100000");
}

TEST(MarkupTest, ClosesWhatItOpens) {
  Markup markup;
  markup.element("p", {{"class", "a\"b"}, {"", "left out"}}, [&] {
    markup.text("1 < 2");
    markup.element("b", "x");
    markup.empty("br", {});
  });
  EXPECT_EQ(markup.take(), "<p class=\"a&quot;b\">1 &lt; 2<b>x</b><br/>\n</p>\n");
}

// What outlines leave out: how a figure is named, folded and scrolled.
TEST(FigureTest, IsLabelledAndHasItsNumbersInATable) {
  Markup markup;
  add_figure(markup,
             {.id = "f", .title = "T", .sentence = "S.", .height = 9, .data = {{.title = "row", .texts = {"a"}}}}, [&] {
               markup.empty("path", {{"d", "M0 0"}});
             });
  const std::string expected = R"(<figure id="f"><figcaption><b>T.</b> S.</figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="T"><svg xmlns="http://www.w3.org/2000/svg" )"
                               R"(viewBox="0 0 760 9" role="img" aria-labelledby="f-t f-d"><title id="f-t">T</title>)"
                               R"(<desc id="f-d">S.</desc>
<path d="M0 0"/>
</svg>
</div>
<details><summary>Its numbers</summary>
<div class="scroll" tabindex="0" role="region" aria-label="T"><table><caption>T</caption>
<thead><tr><th scope="col">row</th>
</tr>
</thead>
<tbody><tr><th scope="row">a</th>
</tr>
</tbody>
</table>
</div>
</details>
</figure>
)";
  EXPECT_EQ(markup.take(), expected);
}

}  // namespace
}  // namespace gdbench::page
