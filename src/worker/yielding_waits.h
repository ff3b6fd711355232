#pragma once

#include <thread>

namespace tacho {

// For as long as this lives, threads of this process that wait for each other give up their
// processor while other programs want it, and spin, which is faster, while none does. Looks at the
// process's own run delay four times a second; looking takes less than a thousandth of a processor.
//
// Threads that yield often would then wait for whole time slices of programs that never do. So the
// calling thread, and all that it starts from then on, ask for short slices: their share stays the
// same and comes in smaller pieces. Linux 6.12 and later heed that; without competitors it changes
// nothing.
class YieldingWaits {
 public:
  YieldingWaits();

 private:
  std::jthread watcher_;
};

}  // namespace tacho
