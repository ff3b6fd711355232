#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "experiments/compare/csv_view.h"
#include "experiments/compare/html_view.h"
#include "experiments/compare/made_comparison.h"
#include "experiments/compare/summary.h"
#include "experiments/compare/text_view.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(IntervalBar, ShowsTheIntervalOrThatItIsWiderThanTheAxis) {
  const Ratio ratio{1.02, Interval{1.01, 1.04}, true, 10, 10};
  EXPECT_EQ(interval_bar(ratio, 0.05, 11), "     │├●─┤ ");
  const Ratio wide{1, Interval{0.5, 2}, true, 10, 10};
  EXPECT_EQ(interval_bar(wide, 0.05, 11), "‹────●────›");
  EXPECT_EQ(interval_bar(Ratio{0.95, std::nullopt, true, 1, 1}, 0.05, 5), "● │  ");
  EXPECT_EQ(interval_bar(std::nullopt, 0.05, 5), "  │  ");
}

TEST(ComparisonText, FitsEightyColumnsAndShowsTheFinding) {
  const Comparison comparison = made_comparison();
  const std::string text = comparison_text(comparison, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("4 variants, 12 runs of each, interleaved in random blocks\n"));
  EXPECT_THAT(text, HasSubstr("── batch 64 ──"));
  EXPECT_THAT(text, HasSubstr(comparison.findings.front().words));
  EXPECT_THAT(text, HasSubstr("no difference: 0.0 % [0.0, 0.0]"));
  EXPECT_THAT(text, HasSubstr("sgemm<128>"));
  EXPECT_THAT(text, Not(HasSubstr("top-1")));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(ComparisonText, HasNoAxisBeyondAHundredPercentForAnUncertainRatio) {
  Comparison comparison = made_comparison();
  for (Finding& finding : comparison.findings) {
    finding.evidence.ratio = Ratio{0.8, Interval{0.001, 900}, true, 2, 2};
  }
  EXPECT_THAT(comparison_text(comparison, Terminal(-1)), HasSubstr("bars: −100 % to +100 %"));
  comparison.findings.front().evidence.ratio->value = 3;
  EXPECT_THAT(comparison_text(comparison, Terminal(-1)), HasSubstr("bars: −200 % to +200 %"));
}

TEST(ComparisonText, CutsLongNames) {
  Comparison comparison = made_comparison();
  comparison.variants[1].name = "an environment with a very long name\033[31m";
  const std::string text = comparison_text(comparison, Terminal(-1));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(ComparisonText, OfAnEmptyComparisonIsShort) {
  EXPECT_EQ(comparison_text(Comparison{}, Terminal(-1)), "\n0 variants, 0 runs of each\n");
}

TEST(ComparisonCsv, HasOneLinePerFindingAndValue) {
  const Comparison comparison = made_comparison();
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(findings_csv(comparison)), 1 + 4);
  EXPECT_EQ(lines(values_csv(comparison)), 1 + 2 * 2 * 13 * 2);
  EXPECT_THAT(findings_csv(comparison), HasSubstr("batch 32,podman,bare,peak_memory,12,12,3"));
}

TEST(ComparisonHtml, IsOneFileWithOneDotPerCountedRun) {
  const std::string html = comparison_html(made_comparison());
  std::size_t dots = 0;
  for (std::size_t at = 0; (at = html.find("class=\"dot\"", at)) != std::string::npos; ++at) ++dots;
  EXPECT_EQ(dots, 2U * 2 * 12 * 2);
  EXPECT_THAT(html, HasSubstr("train mnist-cnn --data &lt;fashion&gt;"));
  EXPECT_THAT(html, HasSubstr("&quot;killed&quot; &amp; repeated"));
  EXPECT_THAT(html, HasSubstr("sgemm&lt;128&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("http")));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
}

TEST(ShortPercent, HasTwoFigures) {
  EXPECT_EQ(short_percent(0.042), "4.2");
  EXPECT_EQ(short_percent(0.0035), "0.35");
  EXPECT_EQ(short_percent(1.2), "120");
}

}  // namespace
}  // namespace tacho
