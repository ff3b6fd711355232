#include "microbench/memory/memory_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using bandwidth::Measurement;
using bandwidth::Operation;
using bandwidth::Survey;
using testing::HasSubstr;
using testing::Not;

Survey known() {
  Survey survey{.key = "20261116-041500-abcdef",
                .device = "cpu",
                .machine = "Neoverse-N1",
                .facts = "L1 64 KiB"};
  Measurement best{.operation = Operation::copy,
                   .form = "streamed",
                   .level = "memory",
                   .element = "f32",
                   .threads = 2,
                   .set_bytes = 384 << 20,
                   .necessary_bytes = 20'000'000'000,
                   .moved_bytes = 20'000'000'000,
                   .seconds = 1,
                   .fastest_seconds = 0.9,
                   .slowest_seconds = 1.1,
                   .samples = 5};
  Measurement naive = best;
  naive.form = "plain";
  naive.seconds = 2;
  naive.moved_bytes = 30'000'000'000;
  naive.waste = "a line is read first";
  survey.measurements = {naive, best};
  return survey;
}

TEST(MemoryView, ShowsTheLossOfAForm) {
  const std::string text = survey_text(known(), Terminal(-1));
  EXPECT_THAT(text, HasSubstr("ceiling 20.0 GB/s: copy, streamed"));
  EXPECT_THAT(text, HasSubstr("10.0"));
  EXPECT_THAT(text, HasSubstr("50 %"));
  EXPECT_THAT(text, HasSubstr("1.50×"));
  EXPECT_THAT(text, HasSubstr("2.00× slower; 1.50× the bytes: a line is read first"));
  EXPECT_THAT(text, HasSubstr("±10 %"));
}

TEST(MemoryView, ShowsHardwareCounters) {
  Survey survey = known();
  EXPECT_THAT(survey_text(survey, Terminal(-1)), Not(HasSubstr("counted")));
  survey.measurements[0].counts = {{"llc_misses", 781'250'000}, {"cycles", 4e9}};
  const std::string text = survey_text(survey, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("missed"));
  EXPECT_THAT(text, HasSubstr("2.50×"));
  EXPECT_THAT(text, HasSubstr("–"));  // the other form has no counters
  EXPECT_THAT(text, Not(HasSubstr("instr/cycle")));
}

TEST(MemoryView, SaysWhyThereAreNoCounters) {
  Survey survey = known();
  survey.uncounted = "perf_event_paranoid is 3; sysctl kernel.perf_event_paranoid=2";
  const std::string text = survey_text(survey, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("perf_event_paranoid is 3"));
  EXPECT_THAT(text, Not(HasSubstr("missed")));
}

TEST(MemoryView, ShowsNoShareOfAnUnknownPeak) {
  Survey survey = known();
  EXPECT_THAT(survey_text(survey, Terminal(-1)), HasSubstr("unknown"));
  EXPECT_THAT(survey_text(survey, Terminal(-1)), Not(HasSubstr("of peak")));
  survey.theoretical_bytes_per_s = 40e9;
  const std::string text = survey_text(survey, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("of peak"));
  EXPECT_THAT(text, HasSubstr("25 %"));
}

TEST(MemoryView, ListsSurveysWithTheirCeiling) {
  EXPECT_THAT(surveys_table({known()}, Terminal(-1)), HasSubstr("20.0"));
}

TEST(MemoryView, MarksAHugeSpreadAsNotMeasurable) {
  Survey survey = known();
  survey.measurements[0].slowest_seconds = 1400;
  const std::string text = survey_text(survey, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("n/a"));
  EXPECT_THAT(text, Not(HasSubstr("±34978 %")));
  EXPECT_THAT(text, HasSubstr("not measurable: the machine was busy"));
}

}  // namespace
}  // namespace tacho
