#include "microbench/comms/network_card.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <charconv>
#include <memory>

#include "base/file.h"

namespace tacho {
namespace {

struct FreeCards {
  void operator()(ifaddrs* list) const { ::freeifaddrs(list); }
};

std::string numeric(const sockaddr& address) {
  const bool is_v6 = address.sa_family == AF_INET6;
  const socklen_t size = is_v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(&address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return text.data();
}

}  // namespace

std::optional<double> card_rate(const std::string& name, const std::filesystem::path& root) {
  const auto text = read_file(root / "sys/class/net" / name / "speed");
  if (!text.ok()) return std::nullopt;
  std::int64_t megabits = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), megabits);
  // An interface that is down, and many virtual ones, report -1.
  if (error != std::errc() || megabits <= 0) return std::nullopt;
  return static_cast<double>(megabits) * 1e6 / 8;
}

std::optional<NetworkCard> card_with(const std::string& address,
                                     const std::filesystem::path& root) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, FreeCards> list(first);
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr) continue;
    const int family = at->ifa_addr->sa_family;
    if ((family != AF_INET && family != AF_INET6) || numeric(*at->ifa_addr) != address) continue;
    if (const auto rate = card_rate(at->ifa_name, root)) return NetworkCard{at->ifa_name, *rate};
  }
  return std::nullopt;
}

}  // namespace tacho
