#pragma once

#include <cstdint>

#include "bandwidth/form.h"
#include "base/result.h"
#include "base/units.h"

namespace tacho::bandwidth {

// Memory straight from the system, with pages of the kind that is asked for as far as the kernel
// grants it. Nobody has touched it yet: whoever writes first decides on which node it lies.
class Pages {
 public:
  static Result<Pages> take(Bytes size, PageKind kind);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&&) = delete;
  ~Pages();

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(begin_);
  }

 private:
  Pages(void* mapped, std::size_t length, void* begin)
      : mapped_(mapped), length_(length), begin_(begin) {}

  void* mapped_;
  std::size_t length_;
  void* begin_;
};

// How much of this process's memory lies in huge pages now; 0 where the kernel does not tell.
Bytes huge_pages_held();

}  // namespace tacho::bandwidth
