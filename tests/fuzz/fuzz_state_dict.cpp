// State dicts of torch: the zip archive and the pickle in it.
#include <sys/mman.h>

#include <string>

#include "fuzz_loop.h"
#include "training/weights/made_torch_file.h"
#include "training/weights/state_dict.h"

namespace tacho {
namespace {

// Accepted tensors must be within the file.
bool read(const std::string& bytes) {
  UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (!write_all(fd.get(), bytes, "fuzz").ok()) std::abort();
  const auto file = InputFile::take(std::move(fd), "fuzz");
  const auto tensors = read_state_dict(*file);
  if (!tensors.ok()) return false;
  for (const StoredTensor& tensor : *tensors) {
    if (tensor.begin + tensor.reach * element_bytes(tensor.type) > bytes.size()) std::abort();
  }
  return true;
}

std::string archive_of(const std::string& pickle) {
  return made_torch_file(pickle, {{"0", std::string(24, 'x')}, {"1", std::string(8, 'y')}});
}

std::string sample_pickle() {
  return whole_pickle(
      pickled_state({{.name = "a", .elements = 6, .shape = {2, 3}, .strides = {3, 1}},
                     {.name = "b", .elements = 6, .offset = 1, .shape = {2, 2}, .strides = {1, 3}},
                     {.name = "c", .key = "1", .storage = "LongStorage", .elements = 1}}));
}

// A damaged pickle in a sound archive, or one with very many values.
std::string generated(Random& random) {
  constexpr std::size_t kMost = 1 << 17;
  switch (random.below(4)) {
    case 0:
      return archive_of(whole_pickle(repeated("(", fuzz_size(random, kMost))));
    case 1:
      return archive_of(whole_pickle("]" + repeated("]a", fuzz_size(random, kMost))));
    case 2:
      return archive_of(whole_pickle(repeated("]", fuzz_size(random, kMost)) +
                                     repeated("a", fuzz_size(random, kMost))));
    default:
      return archive_of(mutated(sample_pickle(), random));
  }
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  return tacho::fuzz(
      argc, argv,
      {.samples = {tacho::archive_of(tacho::sample_pickle())}, .generate = tacho::generated},
      tacho::read);
}
