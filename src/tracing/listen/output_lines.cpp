#include "tracing/listen/output_lines.h"

#include "tracing/listen/line_figures.h"

namespace tacho {
namespace {

// Longer lines are data, not text.
constexpr std::size_t kLongestLine = 16 << 10;

}  // namespace

std::vector<FiguresSeen> OutputLines::feed(std::string_view bytes) {
  std::vector<FiguresSeen> seen;
  while (!bytes.empty()) {
    const auto end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > kLongestLine) too_long_ = true;
    if (!too_long_) line_.append(piece);
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (!too_long_) {
      if (auto figures = figures_of_line(line_)) seen.push_back(*std::move(figures));
      number(line_);
    }
    line_.clear();
    too_long_ = false;
  }
  if (line_.ends_with(']')) number(line_);  // a progress bar
  return seen;
}

void OutputLines::number(std::string_view line) {
  const auto plain = plain_text(line);
  if (!plain) return;
  if (auto found = step_number_of(*plain)) numbers_.push_back(*std::move(found));
}

}  // namespace tacho
