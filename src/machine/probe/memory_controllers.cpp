#include "machine/probe/memory_controllers.h"

#include <array>
#include <charconv>
#include <cstdlib>

#include "base/split.h"
#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

struct KnownEvent {
  const char* file;
  const char* name;
};
constexpr std::array kKnown = {KnownEvent{"cas_count_read", "memory_read_bytes"},
                               KnownEvent{"cas_count_write", "memory_write_bytes"},
                               KnownEvent{"data_read", "memory_read_bytes"},
                               KnownEvent{"data_write", "memory_write_bytes"}};

std::optional<std::uint64_t> hex_or_decimal(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The kernel gives the scale to MiB; without a unit, one count is a cache line.
double bytes_per_count(const fs::path& event) {
  const std::string scale = read_text(event.string() + ".scale");
  const std::string unit = read_text(event.string() + ".unit");
  const double value = std::strtod(scale.c_str(), nullptr);
  if (value > 0 && unit == "MiB") return value * (1 << 20);
  constexpr double kCacheLine = 64;
  return kCacheLine;
}

}  // namespace

std::optional<std::uint64_t> event_config(std::string_view terms, const fs::path& format) {
  std::uint64_t config = 0;
  for (const std::string_view term : split(terms, ',')) {
    const auto parts = split(term, '=');
    const auto value =
        parts.size() == 2 ? hex_or_decimal(parts[1]) : std::optional<std::uint64_t>(1);
    const std::string where = read_text(format / std::string(parts[0]));
    const std::string_view bits = value_of(where, "config");
    const auto low = leading_number(bits);
    if (!value || !low || *low < 0 || *low > 63) return std::nullopt;
    config |= *value << static_cast<unsigned>(*low);
  }
  return config;
}

std::vector<MemoryEvent> memory_events(const fs::path& root) {
  std::vector<MemoryEvent> found;
  for (const fs::path& device : entries(root / "sys/bus/event_source/devices")) {
    if (!device.filename().string().starts_with("uncore_imc")) continue;
    const auto type = leading_number(read_text(device / "type"));
    const auto cpu = leading_number(read_text(device / "cpumask"));
    if (!type || !cpu) continue;
    for (const KnownEvent& known : kKnown) {
      const fs::path event = device / "events" / known.file;
      const std::string terms = read_text(event);
      const auto config = event_config(terms, device / "format");
      if (terms.empty() || !config) continue;
      // A cpumask names one processor of each socket: "0,28".
      const std::string mask = read_text(device / "cpumask");
      for (const std::string_view socket : split(mask, ',')) {
        found.push_back({.name = known.name,
                         .type = static_cast<std::uint32_t>(*type),
                         .config = *config,
                         .cpu = static_cast<int>(leading_number(socket).value_or(*cpu)),
                         .bytes = bytes_per_count(event)});
      }
    }
  }
  return found;
}

}  // namespace tacho
