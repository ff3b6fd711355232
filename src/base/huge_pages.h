#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacho {

// Room for so many, in pages of megabytes where the kernel has them: filling hundreds of megabytes
// otherwise spends as long on page faults as on the filling.
template <class T>
void reserve_in_huge_pages(std::vector<T>& list, std::size_t count) {
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
  list.reserve(count);
  const auto begin = reinterpret_cast<std::uintptr_t>(list.data());
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (begin + list.capacity() * sizeof(T)) / kPage * kPage;
  if (first >= last) return;
  // Only advice: where it is not taken, small pages do.
  (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace tacho
