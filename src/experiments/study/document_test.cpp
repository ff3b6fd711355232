#include "experiments/study/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

Document made_document() {
  Document document{.title = "Is <a> faster?", .opening = {Paragraph{"Yes & no."}}};
  LinesChart lines{.title = "Speed", .x_title = "batch", .unit = Unit::per_second};
  lines.lines = {{.name = "mlp", .points = {{16, 100}, {64, 400}}}};
  DocumentTable table{.headings = {{"name", Align::left}, {"value"}}, .rows = {{"a|b", "1"}}};
  document.sections.push_back({.title = "First",
                               .blocks = {table, CommandLines{{"tacho train mlp"}}, Chart(lines),
                                          AbsentList{{{"docker", "it is not installed"}}}}});
  document.footer = "by tacho";
  return document;
}

TEST(HtmlDocument, IsOnePageThatNeedsNoNetwork) {
  const std::string html = html_of(made_document());
  EXPECT_THAT(html, HasSubstr("<h1>Is &lt;a&gt; faster?</h1>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"lead\">Yes &amp; no.</p>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"left\" title=\"a|b\">a|b</td><td>1</td>"));
  EXPECT_THAT(html, HasSubstr("<pre>tacho train mlp</pre>"));
  EXPECT_THAT(html, HasSubstr("<b>Not available: docker.</b> it is not installed"));
  EXPECT_THAT(html, HasSubstr("<svg "));
  for (const char* outside : {"src=", "href=\"http", "url(", "@import", "<script"}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
}

TEST(MarkdownDocument, PutsPicturesIntoSeparateFiles) {
  const MarkdownPage page = markdown_of(made_document(), "small");
  EXPECT_THAT(page.text, HasSubstr("# Is \\<a\\> faster?\n\nYes & no.\n\n## First\n\n"));
  EXPECT_THAT(page.text, HasSubstr("| name | value |\n|---|--:|\n| a\\|b | 1 |\n"));
  EXPECT_THAT(page.text, HasSubstr("    tacho train mlp\n"));
  EXPECT_THAT(page.text, HasSubstr("![Speed](small-1.svg)"));
  EXPECT_THAT(page.text, HasSubstr("- **Not available: docker.** it is not installed"));
  ASSERT_EQ(page.pictures.size(), 1);
  EXPECT_EQ(page.pictures[0].first, "small-1.svg");
  EXPECT_THAT(page.pictures[0].second, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(page.pictures[0].second, HasSubstr("<style>"));
}

TEST(TextDocument, ShowsTablesAndAbsentThings) {
  const std::string text = text_of(made_document(), Terminal(-1));
  EXPECT_THAT(text, HasSubstr("Is <a> faster?\nYes & no.\n"));
  EXPECT_THAT(text, HasSubstr("not available: docker: it is not installed\n"));
  EXPECT_THAT(text, HasSubstr("a|b"));
  EXPECT_THAT(text, Not(HasSubstr("svg")));
}

TEST(Chart, PlacesARatioWithinItsAxis) {
  IntervalChart chart{.title = "step", .reach = 0.1, .resolution = 0.01};
  chart.rows = {{.name = "podman", .value = "1 s", .ratio = 1.05, .interval = Interval{1.0, 1.1}}};
  const std::string svg = chart_svg(chart);
  // The axis spans 230 to 480: 1 is at 355, and 1.05 is half way to the right end.
  EXPECT_THAT(svg, HasSubstr("cx=\"417.5\""));
  EXPECT_THAT(svg, HasSubstr("M355.0 14.0L480.0 14.0"));
  EXPECT_THAT(svg, HasSubstr("−10 %"));
}

TEST(Chart, LinesHaveAnAxisOfRoundNumbersFromZero) {
  LinesChart chart{.title = "t", .x_title = "batch", .unit = Unit::count};
  chart.lines = {{.name = "a", .points = {{1, 30}, {10, 70}, {100, 35}}}};
  const std::string svg = chart_svg(chart);
  // The top is 4 × 20: 70 of 80 is 192.5 above the bottom at 230; 10 is the middle of 1 … 100.
  EXPECT_THAT(svg, HasSubstr("cx=\"325.0\" cy=\"37.5\""));
  EXPECT_EQ(chart_svg(LinesChart{}), "");
  EXPECT_EQ(chart_svg(ScatterChart{}), "");
}

TEST(Chart, AnExactPredictionIsOnTheDiagonal) {
  ScatterChart chart{.title = "t", .unit = Unit::seconds, .points = {}};
  chart.points = {{1, 1, 0.9, 1.1, "a"}, {4, 4, 3, 5, "b"}};
  const std::string svg = chart_svg(chart);
  // x and y of a value add up to the lengths of the sides: 90 + 10 + 330.
  EXPECT_THAT(svg, HasSubstr("cx=\"107.7\" cy=\"322.3\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"402.3\" cy=\"27.7\""));
}

}  // namespace
}  // namespace tacho
