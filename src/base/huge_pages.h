#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tacho {

// Reserves room for `count` elements in huge pages if the kernel has them. With small pages,
// filling hundreds of megabytes takes twice as long because of page faults.
template <class T>
void reserve_in_huge_pages(std::vector<T>& list, std::size_t count) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  list.reserve(count);
  void* begin = list.data();
  std::size_t room = list.capacity() * sizeof(T);
  if (std::align(kPage, kPage, begin, room) == nullptr) return;
  // Only a hint: without huge pages, small ones work too.
  (void)::madvise(begin, room / kPage * kPage, MADV_HUGEPAGE);
}

}  // namespace tacho
