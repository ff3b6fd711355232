#include "cli/compare_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace tacho {

std::string compare_line(const Comparison& comparison, const ComparePoint& point, Seconds since) {
  const Variant& variant = comparison.variants[point.variant];
  std::string line =
      point.block == kWarmUpBlock
          ? "warm-up"
          : fmt::format("block {} of {}", point.block, std::max(point.block, point.last_block));
  line += "  " + (variant.group.empty() ? "" : variant.group + ", ") + variant.name;
  if (point.left) {
    line += fmt::format("  {} left", human_clock(std::max(*point.left - since, Seconds(0))));
  }
  if (point.widest && !comparison.metrics.empty()) {
    line += fmt::format("  {} {}", comparison.metrics.front().title, change_text(point.widest));
  }
  return printable(line);
}

void CompareProgress::run_begins(const Comparison& comparison, const ComparePoint& point) {
  comparison_ = &comparison;
  point_ = point;
  began_ = std::chrono::steady_clock::now();
  tick();
}

void CompareProgress::note(const std::string& sentence) {
  if (!terminal_.interactive()) return;  // the report contains it
  clear();
  fmt::print(stderr, "{} {}\n", terminal_.yellow("note:"), printable(sentence));
}

void CompareProgress::tick() {
  if (!terminal_.interactive() || comparison_ == nullptr) return;
  const Seconds since = std::chrono::steady_clock::now() - began_;
  const auto width = static_cast<std::size_t>(terminal_.columns() - 1);
  fmt::print(stderr, "\r\033[K{}", shortened(compare_line(*comparison_, point_, since), width));
  std::fflush(stderr);
  shown_ = true;
}

void CompareProgress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tacho
