// Stored surveys of memory and communication, and output of ncu.
#include <string>

#include "fuzz_loop.h"
#include "microbench/memory/comms_survey.h"
#include "microbench/memory/gpu_counts.h"
#include "microbench/memory/survey.h"

namespace tacho::bandwidth {
namespace {

std::string memory_survey() {
  Survey survey{.key = "k", .at = "2026-01-01T00:00:00Z", .device = "cpu", .machine = "a"};
  survey.theoretical_bytes_per_s = 2e10;
  for (const char* form : {"naive", "best"}) {
    survey.measurements.push_back({.form = form,
                                   .level = "memory",
                                   .element = "f32",
                                   .threads = 2,
                                   .set_bytes = 1 << 20,
                                   .necessary_bytes = 1 << 20,
                                   .moved_bytes = 3 << 20,
                                   .seconds = 0.5,
                                   .fastest_seconds = 0.4,
                                   .slowest_seconds = 0.6,
                                   .samples = 3,
                                   .waste = "lines for parts",
                                   .limit = "latency",
                                   .counts = {{"cycles", 1e6}, {"instructions", 2e6}}});
  }
  return json_text(to_json(survey));
}

std::string comms_survey() {
  CommsSurvey survey;
  survey.ranks = 2;
  const RoundTimes time{
      .seconds = 0.5, .fastest_seconds = 0.4, .slowest_seconds = 0.6, .samples = 3};
  survey.collectives = {{.bytes = 8, .time = time}, {.bytes = 1 << 20, .time = time}};
  survey.gradients = {{.payload_bytes = 1 << 20,
                       .bucket_bytes = 1 << 18,
                       .wire_bytes = 1 << 20,
                       .exchange = time,
                       .work_seconds = 0.1,
                       .overlapped_seconds = 0.55}};
  return json_text(to_json(survey));
}

constexpr const char* kCounted =
    "==PROF== Connected\n"
    "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\"\n"
    "\"\",\"\",\"byte\",\"byte\"\n"
    "\"1\",\"gpubench::case_begins()\",\"64\",\"0\"\n"
    "\"2\",\"copy\",\"1,000,000\",\"32\"\n"
    "\"3\",\"gpubench::case_ends()\",\"64\",\"0\"\n";

// An accepted survey must be equal after writing and reading.
template <class Survey, class FromJson>
void must_come_again(const Survey& survey, FromJson from_json) {
  const std::string written = json_text(to_json(survey));
  const auto again = from_json(*parse_json(written));
  if (!again.ok() || json_text(to_json(*again)) != written) std::abort();
}

bool accepted(const std::string& text) {
  if (counts_of_cases(text).ok()) return true;
  const auto json = parse_json(text);
  if (!json.ok()) return false;
  const auto memory = survey_from_json(*json);
  if (memory.ok()) must_come_again(*memory, survey_from_json);
  const auto comms = comms_survey_from_json(*json);
  if (comms.ok()) must_come_again(*comms, comms_survey_from_json);
  return memory.ok() || comms.ok();
}

}  // namespace
}  // namespace tacho::bandwidth

int main(int argc, char** argv) {
  using namespace tacho::bandwidth;
  return tacho::fuzz(argc, argv, {memory_survey(), comms_survey(), kCounted}, accepted,
                     [](std::string&) {});
}
