#pragma once

namespace tacho {

// Whether a kernel's record makes sense when it is read by KernelLayout: its times in order, its
// grid and block of sizes that exist, its name a pointer to text. A release of CUPTI that moved the
// fields is found out by this before a wrong pointer is followed.
bool looks_like_a_kernel(const void* record);

}  // namespace tacho
