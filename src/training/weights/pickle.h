#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// A storage of torch: the elements of one or more tensors.
struct PickledStorage {
  std::string type;  // F32, …
  std::string key;   // names its bytes in the archive
  std::int64_t elements = 0;
};

// A view of a storage, with offset and strides in elements. Checked by the caller.
struct PickledTensor {
  std::size_t storage = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

enum class PickleKind {
  none,
  boolean,
  integer,
  real,
  text,
  tuple,
  list,
  dict,
  type,
  storage,
  tensor
};

// A value refers to others by their index: a pickle may contain cycles.
struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t number = 0;                // of an integer, a storage or a tensor
  std::string text = {};                  // of a text, or of a type or function
  std::vector<std::uint32_t> items = {};  // of a tuple or list; of a dict: key, value, key, …
};

struct Pickle {
  std::vector<PickleValue> values;
  std::vector<PickledStorage> storages;
  std::vector<PickledTensor> tensors;
  std::uint32_t root = 0;

  [[nodiscard]] const PickleValue& at(std::uint32_t index) const { return values[index]; }
};

// Interprets the part of Python's pickle format that torch.save writes for a dictionary of tensors.
// Executes nothing: a type or function other than those of a state dict is an error that names it,
// and so is any other operation. Time and memory are proportional to the bytes.
Result<Pickle> read_pickle(std::string_view bytes);

}  // namespace tacho
