#pragma once

#include "base/result.h"
#include "training/weights/pickle.h"

namespace tacho {

// Reads a persistent id: ("storage", type, key, device, number of elements).
Result<PickledStorage> pickled_storage(const Pickle& pickle, const PickleValue& id);

// Reads the arguments of _rebuild_tensor_v2: (storage, offset, shape, strides, …).
Result<PickledTensor> pickled_tensor(const Pickle& pickle, const PickleValue& arguments);

// The item of a tuple if it is of that kind, else nullptr.
const PickleValue* pickled_item(const Pickle& pickle, const PickleValue& tuple, std::size_t at,
                                PickleKind kind);

}  // namespace tacho
