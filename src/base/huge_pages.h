#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tacho {

// Room for so many, in pages of megabytes where the kernel has them: filling hundreds of megabytes
// otherwise spends as long on page faults as on the filling.
template <class T>
void reserve_in_huge_pages(std::vector<T>& list, std::size_t count) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  list.reserve(count);
  void* begin = list.data();
  std::size_t room = list.capacity() * sizeof(T);
  if (std::align(kPage, kPage, begin, room) == nullptr) return;
  // Only advice: where it is not taken, small pages do.
  (void)::madvise(begin, room / kPage * kPage, MADV_HUGEPAGE);
}

}  // namespace tacho
