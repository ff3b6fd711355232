#include "training/weights/pickled_tensor.h"

#include <optional>

#include "training/weights/pickle_names.h"

namespace tacho {
namespace {

constexpr std::size_t kMostDimensions = 64;

std::optional<std::vector<std::int64_t>> integers(const Pickle& pickle, const PickleValue* tuple) {
  if (tuple == nullptr || tuple->items.size() > kMostDimensions) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const std::uint32_t index : tuple->items) {
    if (pickle.at(index).kind != PickleKind::integer) return std::nullopt;
    numbers.push_back(pickle.at(index).number);
  }
  return numbers;
}

}  // namespace

const PickleValue* pickled_item(const Pickle& pickle, const PickleValue& tuple, std::size_t at,
                                PickleKind kind) {
  if (tuple.kind != PickleKind::tuple || at >= tuple.items.size()) return nullptr;
  const PickleValue& item = pickle.at(tuple.items[at]);
  return item.kind == kind ? &item : nullptr;
}

Result<PickledStorage> pickled_storage(const Pickle& pickle, const PickleValue& id) {
  const PickleValue* tag = pickled_item(pickle, id, 0, PickleKind::text);
  const PickleValue* type = pickled_item(pickle, id, 1, PickleKind::type);
  const PickleValue* key = pickled_item(pickle, id, 2, PickleKind::text);
  const PickleValue* device = pickled_item(pickle, id, 3, PickleKind::text);
  const PickleValue* elements = pickled_item(pickle, id, 4, PickleKind::integer);
  if (tag == nullptr || tag->text != "storage" || type == nullptr || key == nullptr ||
      device == nullptr || elements == nullptr || elements->number < 0 ||
      storage_type(type->text).empty()) {
    return Error{ErrorCode::invalid, "a storage is not described as torch.save does"};
  }
  return PickledStorage{std::string(storage_type(type->text)), key->text, elements->number};
}

Result<PickledTensor> pickled_tensor(const Pickle& pickle, const PickleValue& arguments) {
  const PickleValue* storage = pickled_item(pickle, arguments, 0, PickleKind::storage);
  const PickleValue* offset = pickled_item(pickle, arguments, 1, PickleKind::integer);
  const auto shape = integers(pickle, pickled_item(pickle, arguments, 2, PickleKind::tuple));
  const auto strides = integers(pickle, pickled_item(pickle, arguments, 3, PickleKind::tuple));
  if (storage == nullptr || offset == nullptr || !shape || !strides) {
    return Error{ErrorCode::invalid, "a tensor is not described as torch.save does"};
  }
  return PickledTensor{static_cast<std::size_t>(storage->number), offset->number, *shape, *strides};
}

}  // namespace tacho
