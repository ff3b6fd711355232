#include "training/weights/state_dict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "base/terminal.h"
#include "training/weights/pickle.h"
#include "training/weights/zip_listing.h"

namespace tacho {
namespace {

constexpr std::size_t kMostPickleBytes = 32 << 20;
constexpr int kNewestVersion = 10;  // of the archive; torch 2 writes 3
constexpr std::string_view kPickleEnd = "/data.pkl";
constexpr std::string_view kHowToSave = "save it with torch.save(model.state_dict(), FILE)";

Error wrong_state(std::string what) { return {ErrorCode::invalid, std::move(what)}; }

class Archive {
 public:
  static Result<Archive> open(const InputFile& file) {
    TACHO_TRY(entries, list_zip(file));
    Archive archive(file);
    for (ZipEntry& entry : entries) {
      const std::string& name = entry.name;
      if (name.ends_with(kPickleEnd) && name.find('/') == name.size() - kPickleEnd.size()) {
        if (!archive.root_.empty()) return wrong_state("it has two files data.pkl");
        archive.root_ = name.substr(0, name.size() - kPickleEnd.size());
      }
      archive.entries_.emplace(name, std::move(entry));
    }
    TACHO_CHECK(archive.check());
    return archive;
  }

  // nullptr if there is none.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const {
    const auto at = entries_.find(fmt::format("{}/{}", root_, name));
    return at == entries_.end() ? nullptr : &at->second;
  }
  [[nodiscard]] Result<std::string> content(const ZipEntry& entry, std::size_t most) const {
    if (entry.size > most) return wrong_state(printable(entry.name) + " is too large");
    return file_.bytes(entry.size, entry.begin);
  }

 private:
  explicit Archive(const InputFile& file) : file_(file) {}

  [[nodiscard]] Result<void> check() const {
    if (root_.empty()) {
      return wrong_state(
          fmt::format("a zip archive that torch.save did not write: it has no "
                      "data.pkl; {}",
                      kHowToSave));
    }
    if (find("constants.pkl") != nullptr) {
      return wrong_state(fmt::format("it is a TorchScript model; {}", kHowToSave));
    }
    constexpr std::size_t kMostWordBytes = 64;
    if (const ZipEntry* order = find("byteorder")) {
      TACHO_TRY(word, content(*order, kMostWordBytes));
      if (word != "little") return wrong_state("its numbers are not little-endian");
    }
    if (const ZipEntry* entry = find("version")) {
      TACHO_TRY(word, content(*entry, kMostWordBytes));
      int version = 0;
      std::from_chars(word.data(), word.data() + word.size(), version);
      if (version < 1 || version > kNewestVersion) {
        return wrong_state(fmt::format("unknown version '{}' of torch's format", printable(word)));
      }
    }
    return {};
  }

  const InputFile& file_;
  std::string root_;  // the folder of all entries, usually "archive"
  std::map<std::string, ZipEntry, std::less<>> entries_;
};

const PickleValue* find_entry(const Pickle& pickle, const PickleValue& dict, std::string_view key) {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& name = pickle.at(dict.items[i]);
    if (name.kind == PickleKind::text && name.text == key) return &pickle.at(dict.items[i + 1]);
  }
  return nullptr;
}

// The dictionary with the tensors: the whole file, or an entry of a checkpoint.
Result<const PickleValue*> find_state(const Pickle& pickle) {
  const PickleValue& root = pickle.at(pickle.root);
  if (root.kind != PickleKind::dict) {
    return wrong_state(fmt::format("it is not a dictionary; {}", kHowToSave));
  }
  for (const std::string_view key : {"state_dict", "model_state_dict", "model"}) {
    const PickleValue* inner = find_entry(pickle, root, key);
    if (inner != nullptr && inner->kind == PickleKind::dict) return inner;
  }
  return &root;
}

// Returns the elements from the first to the last one, 0 for an empty tensor.
Result<std::size_t> reach_of(const PickledTensor& tensor, std::int64_t elements) {
  constexpr std::string_view kBeyond = "its view is not within its storage";
  if (tensor.shape.size() != tensor.strides.size() || tensor.offset < 0) {
    return wrong_state(std::string(kBeyond));
  }
  bool is_empty = false;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 0 || tensor.strides[i] < 0)
      return wrong_state("negative shape or stride");
    is_empty = is_empty || tensor.shape[i] == 0;
  }
  if (is_empty) return 0;
  std::int64_t count = 1;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const std::int64_t length = tensor.shape[i];
    const std::int64_t stride = tensor.strides[i];
    // Divisions, because products may overflow.
    if (count > elements / length || (length > 1 && stride > (elements - last) / (length - 1))) {
      return wrong_state(std::string(kBeyond) + "; save tensor.contiguous()");
    }
    count *= length;
    last += (length - 1) * stride;
  }
  if (last >= elements || tensor.offset >= elements - last) {
    return wrong_state(std::string(kBeyond));
  }
  return static_cast<std::size_t>(last + 1);
}

Result<StoredTensor> locate(const Archive& archive, const Pickle& pickle,
                            const PickledTensor& tensor) {
  const PickledStorage& storage = pickle.storages[tensor.storage];
  const ZipEntry* entry = archive.find("data/" + storage.key);
  if (entry == nullptr) return wrong_state("its data is missing");
  const std::size_t width = element_bytes(storage.type);
  if (entry->size % width != 0 ||
      entry->size / width != static_cast<std::size_t>(storage.elements)) {
    return wrong_state("its storage has another size than its data");
  }
  StoredTensor stored{.type = storage.type, .shape = tensor.shape, .strides = tensor.strides};
  TACHO_TRY(reach, reach_of(tensor, storage.elements));
  stored.reach = reach;
  if (reach > 0) stored.begin = entry->begin + static_cast<std::size_t>(tensor.offset) * width;
  return stored;
}

Result<std::vector<StoredTensor>> tensors_of(const Archive& archive, const Pickle& pickle) {
  TACHO_TRY(state, find_state(pickle));
  std::vector<StoredTensor> tensors;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 1 < state->items.size(); i += 2) {
    const PickleValue& key = pickle.at(state->items[i]);
    const PickleValue& value = pickle.at(state->items[i + 1]);
    if (key.kind != PickleKind::text || value.kind != PickleKind::tensor) {
      return wrong_state(fmt::format("not a state dict: its entry '{:.100}' is not a tensor; {}",
                                     printable(key.text), kHowToSave));
    }
    const auto quoted = fmt::format("'{:.200}'", printable(key.text));
    if (!names.insert(key.text).second) return wrong_state(quoted + " occurs twice");
    TACHO_TRY(
        tensor,
        locate(archive, pickle, pickle.tensors[static_cast<std::size_t>(value.number)]).in(quoted));
    tensor.name = key.text;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace

Result<bool> is_torch_file(const InputFile& file) {
  constexpr std::size_t kEnough = 4;
  if (file.size() < kEnough) return false;
  TACHO_TRY(begin, file.bytes(kEnough, 0));
  return begin == "PK\3\4" || begin.starts_with("\x80\x02");
}

Result<std::vector<StoredTensor>> read_state_dict(const InputFile& file) {
  TACHO_TRY(begin, file.bytes(2, 0));
  if (begin != "PK") {
    return wrong_state(
        "it is in torch's format before version 1.6; convert it with Python: "
        "torch.save(torch.load(FILE, map_location='cpu'), FILE)");
  }
  TACHO_TRY(archive, Archive::open(file));
  TACHO_TRY(bytes, archive.content(*archive.find("data.pkl"), kMostPickleBytes));
  TACHO_TRY(pickle, read_pickle(bytes));
  return tensors_of(archive, pickle);
}

}  // namespace tacho
