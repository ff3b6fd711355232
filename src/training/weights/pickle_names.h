#pragma once

#include <string_view>

namespace tacho {

// The types and functions that torch.save writes for a dictionary of tensors, besides storages.
inline constexpr std::string_view kOrderedDict = "collections.OrderedDict";
inline constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
inline constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";

// The element type of a storage such as torch.FloatStorage, or "".
std::string_view storage_type(std::string_view name);
// True if a state dict may contain the type or function.
bool is_known_to_pickle(std::string_view name);

// Python's name of an operation that a state dict does not contain, such as "INST"; "" if unknown.
std::string_view pickle_operation(unsigned char code);

}  // namespace tacho
