#pragma once

#include <span>
#include <string_view>

namespace tacho {

// The studies in studies/, compiled into the binary.
struct ShippedStudy {
  std::string_view name;
  std::string_view yaml;
};
std::span<const ShippedStudy> shipped_studies();

// Returns nullptr for an unknown name.
const ShippedStudy* find_shipped_study(std::string_view name);

}  // namespace tacho
