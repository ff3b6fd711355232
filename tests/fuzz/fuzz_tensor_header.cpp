// The header of a safetensors file.
#include <string>

#include "base/tensor_header.h"
#include "fuzz_loop.h"
#include "generated_json.h"

namespace tacho {
namespace {

constexpr std::size_t kDataBytes = 32;

// Accepted tensors must fit into the file, each and together.
bool read(const std::string& text) {
  const auto header = read_tensor_header(text, kDataBytes);
  if (!header.ok()) return false;
  std::size_t sum = 0;
  for (const TensorEntry& entry : header->tensors) {
    if (entry.end > kDataBytes || entry.begin > entry.end) std::abort();
    sum += entry.end - entry.begin;
  }
  if (sum > kDataBytes) std::abort();
  return true;
}

// The maximum number of tensors, most of them empty.
std::string many_tensors(Random& random) {
  const std::int64_t count = 1 + random.below(std::int64_t{1} << random.below(16));
  std::string text = "{";
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string at = std::to_string(4 * random.below(9));
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
            R"(":{"dtype":"F32","shape":[0],"data_offsets":[)" + at + "," + at + "]}";
  }
  return text + "}";
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const std::string sample =
      R"({"__metadata__":{"epochs":"3"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("b":{"dtype":"I64","shape":[1],"data_offsets":[24,32]},)"
      R"("c":{"dtype":"U8","shape":[0,4],"data_offsets":[8,8]}})";
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  tacho::Random random = tacho::Random::scattered(seed + 1);
  tacho::JsonGenerator generate(tacho::Random::scattered(seed + 2));
  return tacho::fuzz(argc, argv, {sample}, tacho::read, [&](std::string& input) {
    const std::int64_t kind = random.below(16);
    if (kind == 0) input = generate();
    if (kind == 1) input = tacho::many_tensors(random);
  });
}
