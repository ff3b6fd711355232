#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "training/weights/stored_tensor.h"

namespace tacho {

// Makes files as torch.save writes them, for tests.

// A tensor that views a storage; several may share one.
struct MadeTensor {
  std::string name;
  std::string key = "0";
  std::string storage = "FloatStorage";
  std::int64_t elements = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};
};

inline std::string little_endian(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFFU);
  return bytes;
}

inline std::string pickled_text(std::string_view text) {
  return "X" + little_endian(text.size(), 4) + std::string(text);
}

inline std::string pickled_integer(std::int64_t value) {
  if (value >= 0 && value < 256) return "K" + little_endian(static_cast<std::uint64_t>(value), 1);
  if (value == static_cast<std::int32_t>(value)) {
    return "J" + little_endian(static_cast<std::uint64_t>(value), 4);
  }
  return "\x8a\x08" + little_endian(static_cast<std::uint64_t>(value), 8);
}

inline std::string pickled_tuple(const std::vector<std::int64_t>& numbers) {
  std::string bytes = "(";
  for (const std::int64_t number : numbers) bytes += pickled_integer(number);
  return bytes + "t";
}

inline std::string pickled(const MadeTensor& tensor) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_text("storage") + "ctorch\n" +
         tensor.storage + "\n" + pickled_text(tensor.key) + pickled_text("cpu") +
         pickled_integer(tensor.elements) + "tQ" + pickled_integer(tensor.offset) +
         pickled_tuple(tensor.shape) + pickled_tuple(tensor.strides) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}

// An OrderedDict with its metadata.
inline std::string pickled_state(const std::vector<MadeTensor>& tensors) {
  std::string bytes = "ccollections\nOrderedDict\n)Rq";
  bytes += '\0';
  bytes += "(";
  for (const MadeTensor& tensor : tensors) bytes += pickled_text(tensor.name) + pickled(tensor);
  return bytes + "u}" + pickled_text("_metadata") + "ccollections\nOrderedDict\n)Rsb";
}

inline std::string whole_pickle(const std::string& value) { return "\x80\x02" + value + "."; }

// Stored entries, aligned to 64 bytes.
inline std::string made_zip(const std::vector<std::pair<std::string, std::string>>& entries,
                            bool zip64 = true) {
  std::string bytes;
  std::string directory;
  for (const auto& [name, content] : entries) {
    const std::string size = little_endian(content.size(), 4);
    const std::size_t header = bytes.size();
    const std::size_t padding = 64 - (header + 30 + name.size() + 4) % 64;
    const std::string facts = little_endian(0, 4) + little_endian(0, 8) + size + size;
    bytes += "PK\3\4" + little_endian(0, 2) + facts + little_endian(name.size(), 2) +
             little_endian(padding + 4, 2) + name + "FB" + little_endian(padding, 2) +
             std::string(padding, 'Z') + content;
    directory += "PK\1\2" + little_endian(0, 4) + facts + little_endian(name.size(), 2) +
                 little_endian(0, 12) + little_endian(header, 4) + name;
  }
  const std::size_t begin = bytes.size();
  bytes += directory;
  const std::size_t end = bytes.size();
  if (zip64) {
    bytes += "PK\6\6" + little_endian(44, 8) + little_endian(0, 12) +
             little_endian(entries.size(), 8) + little_endian(entries.size(), 8) +
             little_endian(directory.size(), 8) + little_endian(begin, 8) + "PK\6\7" +
             little_endian(0, 4) + little_endian(end, 8) + little_endian(1, 4);
  }
  const bool hidden = zip64;  // the 32-bit fields need not be used
  return bytes + "PK\5\6" + little_endian(0, 4) + little_endian(entries.size(), 2) +
         little_endian(entries.size(), 2) +
         little_endian(hidden ? 0xFFFFFFFF : directory.size(), 4) +
         little_endian(hidden ? 0xFFFFFFFF : begin, 4) + little_endian(0, 2);
}

// `data`: the key and bytes of each storage.
inline std::string made_torch_file(const std::string& pickle,
                                   const std::vector<std::pair<std::string, std::string>>& data) {
  std::vector<std::pair<std::string, std::string>> entries = {{"archive/data.pkl", pickle},
                                                              {"archive/byteorder", "little"}};
  for (const auto& [key, bytes] : data) entries.emplace_back("archive/data/" + key, bytes);
  entries.emplace_back("archive/version", "3\n");
  return made_zip(entries);
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

}  // namespace tacho
