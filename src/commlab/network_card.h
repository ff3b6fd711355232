#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tacho {

// The network card of this machine that has an address, and its rate as the system tells it.
struct NetworkCard {
  std::string name;  // "eth0"
  double bytes_per_s = 0;
};

// Nothing where no card has the address, or it does not say how fast it is: loopback, Wi-Fi.
// `address` is numeric.
std::optional<NetworkCard> card_with(const std::string& address,
                                     const std::filesystem::path& root = "/");

// As /sys tells it, in bytes; nothing where it does not.
std::optional<double> card_rate(const std::string& name, const std::filesystem::path& root);

}  // namespace tacho
