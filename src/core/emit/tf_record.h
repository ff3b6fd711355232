#pragma once

#include <string>
#include <string_view>

#include "core/emit/crc32c.h"
#include "core/emit/protobuf_wire.h"

namespace tacho {

// Returns one record of a TensorBoard file: length, its checksum, data, its checksum.
inline std::string tf_record(std::string_view data) {
  std::string framed;
  append_fixed(framed, std::uint64_t{data.size()});
  append_fixed(framed, masked_crc32c(framed));
  framed += data;
  append_fixed(framed, masked_crc32c(data));
  return framed;
}

}  // namespace tacho
