#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

inline void put(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::create_directories(file.parent_path());
  // ext4 waits for the disk when a file is truncated and written again, but not for a new file.
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << content;
}

inline std::string gzipped(std::string_view content) {
  z_stream stream{};
  constexpr int kGzipFormat = 16;
  if (::deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + kGzipFormat, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    broken_invariant("deflateInit2");
  }
  std::string out(::deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

inline std::string idx_bytes(std::initializer_list<std::uint32_t> shape, std::string_view values) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(shape.size())};
  for (const std::uint32_t length : shape) {
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(length >> shift));
  }
  return bytes + std::string(values);
}

// Changes, inserts, removes or cuts off a few bytes.
inline std::string mutated(std::string bytes, std::mt19937& random) {
  for (auto left = random() % 3 + 1; left > 0; --left) {
    const std::size_t at = random() % (bytes.size() + 1);
    switch (random() % 4) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      case 2:
        bytes.erase(at, 1);
        break;
      default:
        bytes.resize(at);
    }
  }
  return bytes;
}

}  // namespace tacho
