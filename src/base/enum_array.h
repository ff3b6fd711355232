#pragma once

#include <array>
#include <cstddef>

namespace tacho {

// An array with one element for each of an enumeration's first N enumerators, which count from 0.
// Indexed by enumerator, or by number to iterate over all elements.
template <class Enum, class T, std::size_t N>
struct EnumArray : std::array<T, N> {
  using std::array<T, N>::operator[];
  constexpr T& operator[](Enum place) { return (*this)[static_cast<std::size_t>(place)]; }
  constexpr const T& operator[](Enum place) const {
    return (*this)[static_cast<std::size_t>(place)];
  }
};

}  // namespace tacho
