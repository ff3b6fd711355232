#include "tracing/report/html_page.h"

#include <gmock/gmock.h>

namespace tacho {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(HtmlPage, IsAWholePageWithItsHeadAndBody) {
  EXPECT_EQ(html_page("a < b", "<link>\n", "<p>\n"),
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>a &lt; b</title>\n<link>\n</head>\n<body>\n<p>\n</body>\n</html>\n");
}

TEST(HtmlPage, AReportContainsItsStyle) {
  const std::string page = report_page("t", ".own { }\n", "<p>\n", "by <me>");
  EXPECT_THAT(page, HasSubstr("--paper"));
  EXPECT_THAT(page, HasSubstr("\n.own { }\n</style>\n</head>"));
  EXPECT_THAT(page, EndsWith("<p>\n<footer>by &lt;me&gt;</footer>\n</body>\n</html>\n"));
}

TEST(HtmlPage, CellsOfATableAreAlignedAndEscaped) {
  EXPECT_EQ(html_table({{"name", Align::left}, {"s"}}, {{"a<b", "1"}}),
            "<div class=\"scroll\"><table>\n<tr><th class=\"left\">name</th><th>s</th></tr>\n"
            "<tr><td class=\"left\" title=\"a&lt;b\">a&lt;b</td><td>1</td></tr>\n"
            "</table></div>\n");
}

}  // namespace
}  // namespace tacho
