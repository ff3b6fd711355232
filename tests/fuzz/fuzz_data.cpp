// Files of datasets: IDX, CIFAR, sentences; plain and gzip-compressed.
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/scratch_folder.h"
#include "fuzz_loop.h"
#include "training/data/cifar.h"
#include "training/data/gz_file.h"
#include "training/data/idx.h"
#include "training/data/sentences.h"

namespace tacho {
namespace {

constexpr std::int64_t kCifarRecord = 1 + 3 * 32 * 32;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFFU);
  return bytes;
}

std::string idx(std::initializer_list<std::uint32_t> shape, std::size_t values) {
  std::string bytes = big_endian(0x0800 + static_cast<std::uint32_t>(shape.size()));
  for (const std::uint32_t length : shape) bytes += big_endian(length);
  return bytes + std::string(values, '\7');
}

std::string zipped(const std::string& content) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Headers that claim more data than the file has, and data that compresses well.
std::string made_file(Random& random) {
  const auto any_length = [&] {
    return static_cast<std::uint32_t>(random.next() >> random.below(64));
  };
  const std::size_t size = fuzz_size(random, 16 << 20);
  switch (random.below(5)) {
    case 0:
      return idx({any_length()}, size % 4096);
    case 1:
      return idx({any_length(), any_length(), any_length()}, size % 4096);
    case 2:
      return zipped(idx({static_cast<std::uint32_t>(size)}, size));
    case 3:
      return repeated(zipped("word\t1\n"), size % 20'000);
    default: {
      const std::string line = repeated("word ", 1 + size % 50) + "\t1\n";
      return repeated(line, size / 8 / line.size());
    }
  }
}

bool read_all(const std::string& bytes, const std::filesystem::path& file) {
  std::ofstream(file, std::ios::binary) << bytes;
  bool any = false;
  for (const std::size_t dimensions : {1, 3}) any = read_idx(file, dimensions).ok() || any;
  for (const CifarLabels labels : {CifarLabels::one, CifarLabels::coarse_and_fine}) {
    ImageSet set;
    const std::int64_t record = kCifarRecord + (labels == CifarLabels::one ? 0 : 1);
    any = append_cifar(file, 2 * record, labels, set).ok() || any;
  }
  any = read_content(file, Bytes{64 << 20}).ok() || any;
  return read_sentences(file).ok() || any;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  using namespace tacho;
  const ScratchFolder folder;
  const auto file = folder.path() / "file";
  const std::string labels = idx({5}, 5);
  const std::string images = idx({2, 3, 4}, 24);
  const std::string cifar(2 * kCifarRecord, '\3');
  const std::string fine(2 * kCifarRecord + 2, '\3');
  const std::string sentences = "sentence\tlabel\na fine film\t1\nnot so fine\t0\n";
  return fuzz(argc, argv,
              {.samples = {labels, images, zipped(images), cifar, zipped(fine), sentences,
                           zipped(sentences)},
               .generate = made_file},
              [&](const std::string& bytes) { return read_all(bytes, file); });
}
