#include "machine/probe/proc_stat.h"

#include <array>
#include <charconv>

#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

// Larger than any real counter; sums of a thousand still fit.
constexpr std::int64_t kMostPlausible = std::int64_t{1} << 52;

std::optional<std::int64_t> plausible(std::string_view text) {
  const auto number = leading_number(text);
  if (!number || *number > kMostPlausible || *number < -kMostPlausible) return std::nullopt;
  return number;
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  // The name may contain parentheses; the text after it does not.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  ProcStat stat;
  const auto pid = plausible(text.substr(0, open));
  if (!pid || text.size() < close + 3) return std::nullopt;
  stat.pid = *pid;
  stat.name = text.substr(open + 1, close - open - 1);
  stat.state = text[close + 2];

  // Fields are counted from 1 in proc(5): the first of these is 4, the parent.
  constexpr std::size_t kFirst = 4;
  std::array<std::int64_t, 24 - kFirst + 1> fields{};
  std::string_view rest = text.substr(close + 3);
  for (std::int64_t& field : fields) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(begin);
    // Some unused fields are unsigned or addresses.
    field = plausible(rest).value_or(-1);
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  bool whole = true;
  const auto count = [&](std::size_t number) {
    const std::int64_t field = fields.at(number - kFirst);
    whole = whole && field >= 0;
    return field;
  };
  stat.parent = count(4);
  stat.group = count(5);
  stat.session = count(6);
  stat.minor_faults = count(10);
  stat.children_minor_faults = count(11);
  stat.major_faults = count(12);
  stat.children_major_faults = count(13);
  stat.user_ticks = count(14);
  stat.system_ticks = count(15);
  stat.children_user_ticks = count(16);
  stat.children_system_ticks = count(17);
  stat.threads = count(20);
  stat.start_ticks = count(22);
  stat.resident_pages = count(24);
  return whole ? std::optional(stat) : std::nullopt;
}

std::optional<ProcIo> parse_proc_io(std::string_view text) {
  const auto read_chars = plausible(value_of(text, "rchar"));
  const auto write_chars = plausible(value_of(text, "wchar"));
  const auto read_bytes = plausible(value_of(text, "read_bytes"));
  const auto write_bytes = plausible(value_of(text, "write_bytes"));
  if (!read_chars || !write_chars || !read_bytes || !write_bytes) return std::nullopt;
  return ProcIo{*read_chars, *write_chars, *read_bytes, *write_bytes};
}

}  // namespace tacho
