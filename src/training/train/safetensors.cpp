#include "training/train/safetensors.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/confined_file.h"
#include "base/json_object.h"
#include "training/weights/open_weights.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<at::ScalarType, std::string_view>, 10> kTypes = {{
    {at::kFloat, "F32"},
    {at::kDouble, "F64"},
    {at::kHalf, "F16"},
    {at::kBFloat16, "BF16"},
    {at::kLong, "I64"},
    {at::kInt, "I32"},
    {at::kShort, "I16"},
    {at::kChar, "I8"},
    {at::kByte, "U8"},
    {at::kBool, "BOOL"},
}};

std::string_view type_name(at::ScalarType type) {
  for (const auto& [known, name] : kTypes) {
    if (known == type) return name;
  }
  broken_invariant("a tensor type that safetensors does not support");
}

}  // namespace

const at::Tensor* TensorFile::find(const std::string& name) const {
  for (const auto& [known, tensor] : tensors) {
    if (known == name) return &tensor;
  }
  return nullptr;
}

Result<void> write_safetensors(const fs::path& path, const TensorFile& content) {
  Json header = Json::object();
  if (!content.metadata.empty()) header["__metadata__"] = content.metadata;
  std::size_t offset = 0;
  std::vector<at::Tensor> plain;
  for (const auto& [name, tensor] : content.tensors) {
    plain.push_back(tensor.detach().cpu().contiguous());
    const std::size_t size = plain.back().nbytes();
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text = json_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // keeps the data aligned
  const std::uint64_t length = text.size();
  std::string length_bytes(sizeof length, '\0');
  std::memcpy(length_bytes.data(), &length, sizeof length);

  TACHO_TRY(file, AtomicFile::create(path));
  TACHO_CHECK(file.write(length_bytes));
  TACHO_CHECK(file.write(text));
  for (const at::Tensor& tensor : plain) {
    TACHO_CHECK(file.write({static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()}));
  }
  return file.commit();
}

at::ScalarType scalar_type(const StoredTensor& stored) {
  for (const auto& [type, known] : kTypes) {
    if (known == stored.type) return type;
  }
  broken_invariant("a type that the reader should have refused");
}

Result<at::Tensor> read_tensor(const InputFile& file, const StoredTensor& stored) {
  const at::ScalarType type = scalar_type(stored);
  if (stored.reach == 0) return at::empty(stored.shape, type);
  const at::Tensor span = at::empty({static_cast<std::int64_t>(stored.reach)}, type);
  TACHO_CHECK(file.read(span.data_ptr(), span.nbytes(), stored.begin));
  return span.as_strided(stored.shape, stored.strides);
}

Result<TensorFile> read_safetensors(const fs::path& path) {
  TACHO_TRY(fd, open_confined(path.parent_path(), path.filename()));
  TACHO_TRY(file, InputFile::take(std::move(fd), path));
  TensorFile content;
  TACHO_TRY(tensors, read_safetensors_index(file, &content.metadata));
  for (const StoredTensor& stored : tensors) {
    TACHO_TRY(tensor, read_tensor(file, stored));
    content.tensors.emplace_back(stored.name, tensor);
  }
  return content;
}

}  // namespace tacho
