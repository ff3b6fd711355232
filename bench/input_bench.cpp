// Makes the batches of one training epoch without training, and prints the rate:
//
//   input_bench DATASET FOLDER BATCH WORKERS SIDE
//
// FOLDER is that of a prepared dataset or of image files, which are resized to SIDE x SIDE. The
// first epoch, which may read from the disk, is not timed.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <span>
#include <string>

#include "base/scratch_folder.h"
#include "training/train/input/batch_source.h"

namespace tacho {
namespace {

Result<std::int64_t> read_epoch(BatchSource& source, std::int64_t epoch) {
  std::int64_t samples = 0;
  Batch batch;
  source.begin_epoch(epoch);
  while (true) {
    TACHO_TRY(more, source.next(batch));
    if (!more) return samples;
    samples += batch.size();
  }
}

Result<double> samples_per_s(const RunSpec& spec) {
  const ScratchFolder scratch;
  TACHO_TRY(input, open_input(spec, scratch.path(), RunFolder{scratch.path() / "run"}));
  TACHO_TRY(first, read_epoch(*input.train, 0));
  (void)first;
  const auto begin = std::chrono::steady_clock::now();
  TACHO_TRY(samples, read_epoch(*input.train, 1));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(samples) / passed.count();
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  if (words.size() != 6) {
    fmt::print(stderr, "usage: input_bench DATASET FOLDER BATCH WORKERS SIDE\n");
    return 2;
  }
  tacho::RunSpec spec;
  spec.model = "resnet18";
  spec.data = words[1];
  spec.data_folder = words[2];
  spec.batch = std::atoll(words[3]);
  spec.workers = std::atoll(words[4]);
  const std::int64_t side = std::atoll(words[5]);
  spec.input = tacho::InputSize{3, side, side};
  const auto rate = tacho::samples_per_s(spec);
  if (!rate.ok()) {
    fmt::print(stderr, "{}\n", rate.error().message);
    return 1;
  }
  fmt::print("{} {}, {} workers: {:.0f} samples/s\n", spec.data, words[2], words[4], *rate);
  return 0;
}
