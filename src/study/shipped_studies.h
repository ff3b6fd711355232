#pragma once

#include <span>
#include <string_view>

namespace tacho {

// The studies of studies/, as they are compiled in.
struct ShippedStudy {
  std::string_view name;
  std::string_view yaml;
};
std::span<const ShippedStudy> shipped_studies();

// nullptr where there is none of that name.
const ShippedStudy* find_shipped_study(std::string_view name);

}  // namespace tacho
