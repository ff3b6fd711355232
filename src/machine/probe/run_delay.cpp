#include "machine/probe/run_delay.h"

#include <string>

#include "base/split.h"
#include "machine/probe/proc_text.h"

namespace tacho {

RunDelay& RunDelay::operator+=(const RunDelay& other) {
  ran_s += other.ran_s;
  waited_s += other.waited_s;
  return *this;
}

std::optional<RunDelay> parse_schedstat(std::string_view text) {
  const auto words = split(trimmed(text), ' ');
  if (words.size() < 2) return std::nullopt;
  const auto ran = leading_number(words[0]);
  const auto waited = leading_number(words[1]);
  if (!ran || !waited || *ran < 0 || *waited < 0) return std::nullopt;
  return RunDelay{1e-9 * static_cast<double>(*ran), 1e-9 * static_cast<double>(*waited)};
}

std::optional<RunDelay> run_delay_of(const std::filesystem::path& task) {
  std::optional<RunDelay> sum;
  std::string text;
  for (const std::int64_t thread : numbered_entries(task)) {
    if (read_again(task / std::to_string(thread) / "schedstat", text) != 0) continue;
    const auto delay = parse_schedstat(text);
    if (!delay) continue;
    if (!sum) sum.emplace();
    *sum += *delay;
  }
  return sum;
}

}  // namespace tacho
