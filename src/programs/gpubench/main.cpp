// Measures a GPU's memory and writes the results as a survey. 'tacho bench memory --device cuda'
// starts it and stores the survey; it needs a CUDA driver but not torch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/parse_number.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "base/version.h"
#include "core/record/statistics.h"
#include "microbench/memory/survey.h"
#include "programs/gpubench/survey.h"

namespace tacho {
namespace {

constexpr const char* kHelp =
    "tacho-gpubench measures a GPU's memory. 'tacho bench memory --device cuda' starts it for "
    "you.\n"
    "\n"
    "  tacho-gpubench --out FILE [--quick] [--quiet] [--size BYTES]\n"
    "                             write a survey as JSON; --size is per array, of four\n"
    "  tacho-gpubench --once [--size BYTES]\n"
    "                             run each form in memory once, for a profiler\n";

struct Words {
  std::filesystem::path out;
  gpubench::GpuRequest request;
  bool quiet = false;
};

Result<Words> read_words(const std::vector<std::string_view>& words) {
  Words read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if (words[i] == "--quick") {
      read.request.quick = true;
    } else if (words[i] == "--once") {
      read.request.once = true;
    } else if (words[i] == "--quiet") {
      read.quiet = true;
    } else if (words[i] == "--out" && more) {
      read.out = words[++i];
    } else if (words[i] == "--size" && more) {
      constexpr std::int64_t kLeast = 64 << 20;
      read.request.array_bytes = parse_number<std::int64_t>(words[++i]).value_or(0);
      if (read.request.array_bytes < kLeast) {
        return Error{ErrorCode::usage,
                     "--size: must be at least 64 MiB, so that no cache holds it"};
      }
    } else {
      return Error{ErrorCode::usage,
                   fmt::format("'{}' is not a valid option; see --help", words[i])};
    }
  }
  if (read.out.empty() && !read.request.once)
    return Error{ErrorCode::usage, "--out FILE is required"};
  return read;
}

Result<bandwidth::Measurement> measurement_of(const gpubench::GpuMeasured& measured) {
  const gpubench::GpuForm& form = measured.form;
  TACHO_TRY(operation, bandwidth::kOperations.parse(form.operation));
  const auto [fastest, slowest] = std::ranges::minmax(measured.seconds);
  return bandwidth::Measurement{.operation = operation,
                                .form = form.form,
                                .level = form.level,
                                .element = form.element,
                                .set_bytes = form.set_bytes,
                                .necessary_bytes = form.necessary_bytes,
                                .moved_bytes = form.moved_bytes,
                                .seconds = median(measured.seconds),
                                .fastest_seconds = fastest,
                                .slowest_seconds = slowest,
                                .samples = std::ssize(measured.seconds),
                                .waste = form.waste,
                                .limit = form.limit,
                                .is_ceiling = form.is_ceiling};
}

Result<void> survey(const Words& words) {
  const Terminal terminal(2);
  const bool shows = !words.quiet && terminal.interactive();
  const auto found = gpubench::survey_memory(
      words.request, interrupts(), [&](int done, int all, const std::string& what) {
        if (!shows) return;
        const auto width = static_cast<std::size_t>(terminal.columns() - 1);
        fmt::print(stderr, "\r\033[K{}",
                   shortened(fmt::format("{} of {}: {}", done, all, what), width));
        std::fflush(stderr);
      });
  if (shows) fmt::print(stderr, "\r\033[K");
  if (!found.problem.empty()) return Error{ErrorCode::unavailable, found.problem};
  if (words.request.once) return {};
  bandwidth::Survey made{.tacho_commit = kCommit,
                         .device = "cuda",
                         .machine = found.gpu,
                         .facts = found.facts,
                         .quick = words.request.quick,
                         .complete = found.complete};
  if (found.theoretical_bytes_per_s > 0) {
    made.theoretical_bytes_per_s = found.theoretical_bytes_per_s;
  }
  for (const auto& one : found.measured) {
    TACHO_TRY(measurement, measurement_of(one));
    made.measurements.push_back(std::move(measurement));
  }
  return write_file_atomically(words.out, json_text(to_json(made), 1) + "\n", Outlives::kill);
}

int run(const std::vector<std::string_view>& words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  catch_interrupts();
  const auto read = read_words(words);
  const Result<void> done = read.ok() ? survey(*read) : Result<void>(read.error());
  if (done.ok()) return 0;
  fmt::print(stderr, "tacho-gpubench: {}\n", done.error().message);
  return done.error().code == ErrorCode::usage ? 2 : 1;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  return tacho::run(std::vector<std::string_view>(argv + 1, argv + argc));
}
