#include "machine/probe/network_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/split.h"
#include "machine/probe/proc_text.h"

namespace tacho {

namespace fs = std::filesystem;

std::optional<NetBytes> parse_net_dev(std::string_view text) {
  // "  eth0: bytes packets errs drop fifo frame compressed multicast  bytes packets …"
  constexpr std::size_t kReceived = 0;
  constexpr std::size_t kSent = 8;
  constexpr std::uint64_t kMostPlausible = std::uint64_t{1} << 56U;
  std::optional<NetBytes> sum;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.rfind(':');  // the name of an interface may contain one
    if (colon == std::string_view::npos) continue;
    if (!sum) sum.emplace();
    if (trimmed(line.substr(0, colon)) == "lo") continue;
    std::string_view rest = line.substr(colon + 1);
    for (std::size_t field = 0; field <= kSent; ++field) {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (error != std::errc() || value > kMostPlausible) break;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
      if (field == kReceived) sum->received += static_cast<std::int64_t>(value);
      if (field == kSent) sum->sent += static_cast<std::int64_t>(value);
    }
  }
  return sum;
}

NetworkProbe::NetworkProbe(pid_t pid, const fs::path& root) {
  const fs::path file = root / "proc" / std::to_string(pid) / "net/dev";
  file_ = UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_) {
    problem_ = system_error(file, errno).message;
  } else if (const auto now = read()) {
    before_ = *now;
  } else {
    problem_ = file.string() + ": no network interfaces";
  }
}

std::optional<NetBytes> NetworkProbe::read() const {
  std::string text(16 << 10, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got =
        ::pread(file_.get(), text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  return parse_net_dev(std::string_view(text).substr(0, size));
}

void NetworkProbe::look(UsageSample& sample) {
  if (!problem_.empty()) return;
  const auto now = read();
  if (!now) return;
  // The counts of a removed interface disappear with it.
  sample.net_rx_bytes = std::max<std::int64_t>(0, now->received - before_.received);
  sample.net_tx_bytes = std::max<std::int64_t>(0, now->sent - before_.sent);
}

}  // namespace tacho
