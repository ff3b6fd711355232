#pragma once

namespace tacho {

// Returns the memory bandwidth of a copy, reads plus writes, in bytes per second, with torch's
// current number of threads: the best of three, a tenth of a second in total.
double measure_copy_bytes_per_s();

}  // namespace tacho
