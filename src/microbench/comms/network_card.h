#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tacho {

// A network interface and its nominal rate as reported by the kernel.
struct NetworkCard {
  std::string name;  // "eth0"
  double bytes_per_s = 0;
};

// Finds the interface with a numeric address. Returns nothing if there is none or its rate is
// unknown, as for loopback and Wi-Fi.
std::optional<NetworkCard> card_with(const std::string& address,
                                     const std::filesystem::path& root = "/");

// Reads the rate from /sys, in bytes per second. Returns nothing if it is unknown.
std::optional<double> card_rate(const std::string& name, const std::filesystem::path& root);

}  // namespace tacho
