#include "tracing/report/html_report.h"

#include <gtest/gtest.h>

#include <random>

#include "tracing/report/html_text.h"
#include "tracing/report/made_findings.h"
#include "tracing/report/svg_chart.h"

namespace tacho {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(HtmlText, EscapesMarkupQuotesControlsAndBrokenUtf8) {
  EXPECT_EQ(html_text("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;");
  EXPECT_EQ(html_text("µ 中 😀"), "µ 中 😀");
  EXPECT_EQ(html_text(std::string_view("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(html_text("\xC3"), "\xEF\xBF\xBD");                          // truncated
  EXPECT_EQ(html_text("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");          // overlong
  EXPECT_EQ(html_text("\xED\xA0\x80").find('\xED'), std::string::npos);  // half a surrogate pair
}

TEST(HtmlText, AnyBytesGiveTextWithoutMarkup) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string text = html_text(bytes);
    EXPECT_EQ(text.find_first_of("<>\"'\x1b"), std::string::npos);
  }
}

TEST(HtmlReport, LoadsNothingAndHasNoScripts) {
  const std::string page = html_report(made_gpu_run());
  for (const char* outside : {"http:", "https:", "src=", "@import", "url(", "<script", "<link"}) {
    EXPECT_FALSE(contains(page, outside)) << outside;
  }
}

TEST(HtmlReport, ShowsStepPartsAdviceChartsAndKernels) {
  RunFindings run = made_gpu_run();
  run.processes[0].findings.parts.input_wait = 0.012;
  const std::string page = html_report(run);
  EXPECT_TRUE(contains(page, "class=\"part-input_wait\""));
  EXPECT_TRUE(contains(page, "The GPU waits for input"));
  EXPECT_TRUE(contains(page, "Step times"));
  EXPECT_TRUE(contains(page, "Cores in use"));
  EXPECT_TRUE(contains(page, "sm90_xmma_fprop"));
  EXPECT_TRUE(contains(page, "nhwc&lt;a, b&gt;"));
}

TEST(HtmlReport, ShowsGpusThatWereSampledLaterAndLessOften) {
  RunFindings run = made_gpu_run();
  run.usage.emplace();
  for (int i = 0; i < 6; ++i) {
    UsageSample sample;
    sample.unix_seconds = 1000 + i;
    if (i % 2 == 1) sample.gpus.push_back({.index = 0, .busy = 0.5, .memory_total_bytes = 100});
    run.usage->samples.push_back(sample);
  }
  const std::string page = html_report(run);
  EXPECT_TRUE(contains(page, "GPU 0 busy"));
  EXPECT_TRUE(contains(page, "at most 50 %"));
}

TEST(HtmlReport, NamesFromTheRunCannotBecomeMarkup) {
  RunFindings run = made_gpu_run();
  const std::string evil = "<script>alert(1)</script>\"><img onerror='x'>";
  run.record.order.spec.model = evil;
  run.record.reason = evil;
  run.processes[0].findings.tables.kernels[0].time.name = evil;
  run.processes[0].findings.gpu = evil;
  run.absent.push_back({evil, evil});
  run.usage->facts->threads.push_back({evil, 1, 1});
  const std::string page = html_report(run);
  EXPECT_FALSE(contains(page, "<script"));
  EXPECT_FALSE(contains(page, "<img"));
}

TEST(HtmlReport, IsCompleteForARunWithOnlyARecord) {
  const std::string page = html_report(RunFindings{});
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_TRUE(contains(page, "no step was recorded or found"));
}

TEST(LineChart, KeepsASpikeAmongManyPoints) {
  LineChart chart{.title = "t"};
  for (int i = 0; i < 100000; ++i) {
    chart.x.push_back(i);
    chart.y.push_back(i == 54321 ? 10 : 1);
  }
  chart.y_top = 10;
  const std::string svg = line_chart(chart);
  EXPECT_TRUE(contains(svg, " 0.0L")) << "the spike reaches the top";
  EXPECT_LT(svg.size(), 40000U);
}

TEST(LineChart, IsEmptyWithFewerThanTwoPoints) {
  EXPECT_EQ(line_chart({.title = "t", .x = {1}, .y = {1}}), "");
  EXPECT_EQ(line_chart({.title = "t"}), "");
}

}  // namespace
}  // namespace tacho
