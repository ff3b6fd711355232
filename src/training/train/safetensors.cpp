#include "training/train/safetensors.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/confined_file.h"
#include "base/json_object.h"
#include "base/tensor_header.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the reference reader's limit

constexpr std::array<std::pair<at::ScalarType, std::string_view>, 8> kTypes = {{
    {at::kFloat, "F32"},
    {at::kDouble, "F64"},
    {at::kHalf, "F16"},
    {at::kBFloat16, "BF16"},
    {at::kLong, "I64"},
    {at::kInt, "I32"},
    {at::kByte, "U8"},
    {at::kBool, "BOOL"},
}};

std::string_view type_name(at::ScalarType type) {
  for (const auto& [known, name] : kTypes) {
    if (known == type) return name;
  }
  broken_invariant("a tensor type that safetensors does not support");
}

Error broken(const fs::path& path, const std::string& what) {
  return {ErrorCode::invalid,
          fmt::format("{}: not a valid safetensors file: {}", path.string(), what)};
}

Result<void> read_exactly(int fd, void* out, std::size_t size, std::size_t offset,
                          const fs::path& path) {
  auto* at = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t got = ::pread(fd, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, errno);
    if (got == 0) return broken(path, "it is truncated");
    at += got;
    size -= static_cast<std::size_t>(got);
    offset += static_cast<std::size_t>(got);
  }
  return {};
}

at::ScalarType type_of(const std::string& name) {
  for (const auto& [type, known] : kTypes) {
    if (known == name) return type;
  }
  broken_invariant("a type that read_tensor_header() should have refused");
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

Result<TensorFile> read_safetensors(const fs::path& path) {
  TACHO_TRY(fd, open_confined(path.parent_path(), path.filename()));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return system_error(path, errno);
  const auto file_size = static_cast<std::size_t>(status.st_size);

  std::uint64_t length = 0;
  TACHO_CHECK(read_exactly(fd.get(), &length, sizeof length, 0, path));
  if (length > kMostHeaderBytes || length > file_size - sizeof length) {
    return broken(path, "its header is longer than the file");
  }
  std::string text(length, '\0');
  TACHO_CHECK(read_exactly(fd.get(), text.data(), length, sizeof length, path));
  const std::size_t data_begin = sizeof length + length;
  auto header = read_tensor_header(text, file_size - data_begin);
  if (!header.ok()) return broken(path, header.error().message);

  TensorFile content{.metadata = std::move(header->metadata)};
  for (const TensorEntry& entry : header->tensors) {
    const at::Tensor tensor = at::empty(entry.shape, type_of(entry.type));
    TACHO_CHECK(read_exactly(fd.get(), tensor.data_ptr(), entry.end - entry.begin,
                             data_begin + entry.begin, path));
    content.tensors.emplace_back(entry.name, tensor);
  }
  return content;
}

}  // namespace tacho
