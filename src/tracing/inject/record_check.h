#pragma once

namespace tacho {

// True if a record is plausible as a kernel in KernelLayout: times in order, valid grid and block
// sizes, a name that points to text. Detects a CUPTI release that moved the fields before an
// invalid pointer is dereferenced.
bool looks_like_a_kernel(const void* record);

}  // namespace tacho
