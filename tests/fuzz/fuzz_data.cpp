// Files of datasets: IDX, CIFAR, sentences, plain and gzip-compressed; prepared images.
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "fuzz_loop.h"
#include "training/data/cifar.h"
#include "training/data/gz_file.h"
#include "training/data/idx.h"
#include "training/data/image_file.h"
#include "training/data/image_file_writer.h"
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

// Three grey images of 2 x 2 pixels.
std::string prepared_images(const std::filesystem::path& file) {
  const std::vector<std::int64_t> labels = {1, 0, 1};
  auto writer = *ImageFileWriter::create(
      file, {.channels = 1, .height = 2, .width = 2, .classes = {"cat", "dog"}}, labels);
  const std::vector<std::uint8_t> pixels = {1, 2, 3, 4};
  for (const std::int64_t index : {0, 1, 2}) (void)writer.put(index, pixels).ok();
  (void)writer.finish().ok();
  return *read_file(file);
}

// Reads every label and pixel: an access outside of the file would end the program.
bool read_images(const std::filesystem::path& file) {
  const auto images = ImageFile::open(file);
  if (!images.ok()) return false;
  const auto classes = static_cast<std::int64_t>(images->header().classes.size());
  for (const std::int64_t label : images->labels()) {
    if (label < 0 || label >= classes) broken_invariant("a label without a class");
  }
  const auto pixels = images->pixels();
  if (static_cast<std::int64_t>(pixels.size()) !=
      images->header().count * images->header().image_bytes()) {
    broken_invariant("another number of pixels than the header states");
  }
  (void)images->checksum_matches();
  return true;
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
  bool any = read_images(file);
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
  const std::string prepared = prepared_images(file);
  const std::string sentences = "sentence\tlabel\na fine film\t1\nnot so fine\t0\n";
  return fuzz(argc, argv,
              {.samples = {labels, images, zipped(images), cifar, zipped(fine), sentences,
                           zipped(sentences), prepared},
               .generate = made_file},
              [&](const std::string& bytes) { return read_all(bytes, file); });
}
