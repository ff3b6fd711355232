// The output of a watched program and its TensorBoard files.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/scratch_folder.h"
#include "core/emit/protobuf_wire.h"
#include "core/emit/tf_record.h"
#include "fuzz_loop.h"
#include "tracing/listen/figure_thinner.h"
#include "tracing/listen/output_lines.h"
#include "tracing/listen/tensorboard_tail.h"

namespace tacho {
namespace {

std::string sample_message() {
  ProtobufMessage tensor;
  tensor.add_int64(1, 1).add_bytes(4, std::string("\0\0\200\77", 4));
  ProtobufMessage scalar;
  scalar.add_bytes(1, "loss").add_float(2, 0.5F).add_bytes(8, tensor.bytes());
  ProtobufMessage summary;
  summary.add_bytes(1, scalar.bytes());
  ProtobufMessage event;
  event.add_double(1, 1000).add_int64(2, 5).add_bytes(5, summary.bytes());
  return event.bytes();
}

// Long lines, many lines, many figures in one line, and JSON that is deep or wide.
std::string made_output(Random& random) {
  const std::size_t size = fuzz_size(random, 500'000);
  constexpr std::size_t kALine = 16'000;
  std::string text;
  switch (random.below(8)) {
    case 0:
      return std::string(size, 'a') + "=1\n";
    case 1:
      return repeated("loss=0.5 ", size / 9) + "\n";
    case 2:
      return repeated("a:", size % kALine) + "\n";
    case 3:
      return repeated("x=" + std::string(size % kALine, '9') + "\n", 1 + size % 20);
    case 4:
      for (std::size_t i = 0; i < size / 20; ++i) text += "item_" + std::to_string(i) + "=1\n";
      return text;
    case 5:
      return repeated("{\"a\":", size % kALine / 5) + "1" + repeated("}", size % kALine / 5) + "\n";
    case 6:
      text = "{";
      for (std::size_t i = 0; i < size % kALine / 10; ++i)
        text += "\"k" + std::to_string(i) + "\":1,";
      return text + "\"z\":1}\n";
    default:
      return repeated("\r", size) + repeated("\x1b[", size % kALine) + "\n";
  }
}

bool read_figures(const std::string& bytes, const std::filesystem::path& file) {
  OutputLines lines;
  FigureThinner thinner;
  auto figures = lines.feed(bytes);
  for (FiguresSeen& last : lines.finish()) figures.push_back(std::move(last));
  std::size_t written = 0;
  for (FiguresSeen& seen : figures) written += thinner.add(std::move(seen)).size();
  written += thinner.finish().size();
  if (written > figures.size() || (written == 0) != figures.empty()) std::abort();
  const bool any = !figures.empty();
  std::ofstream(file, std::ios::binary) << tf_record(bytes) << bytes;
  const auto seen = TensorBoardTail(file).read_new();
  return (seen.ok() && !seen->empty()) || any;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const tacho::ScratchFolder folder;
  const auto file = folder.path() / "x.tfevents";
  return tacho::fuzz(
      argc, argv,
      {.samples = {tacho::sample_message(), tacho::tf_record(tacho::sample_message()),
                   "step=5 loss=0.25, lr: 1e-3\r{\"a\": 1}\n"
                   ":::MLLOG {\"key\": \"x\", \"value\": 1}\n"},
       .generate = tacho::made_output},
      [&](const std::string& bytes) { return tacho::read_figures(bytes, file); });
}
