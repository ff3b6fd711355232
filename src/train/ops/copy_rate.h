#pragma once

namespace tacho {

// Bytes a second, read and written both counted, that this machine's memory gives to a copy by as
// many threads as torch has now: the best of three, a tenth of a second in all.
double measure_copy_bytes_per_s();

}  // namespace tacho
