// What a watched program prints, and the TensorBoard files it writes.
#include <filesystem>
#include <fstream>
#include <string>

#include "base/scratch_folder.h"
#include "emit/protobuf_wire.h"
#include "emit/tf_record.h"
#include "fuzz_loop.h"
#include "listen/output_lines.h"
#include "listen/tensorboard_tail.h"

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

bool heard(const std::string& bytes, const std::filesystem::path& file) {
  OutputLines lines;
  bool any = !lines.feed(bytes).empty();
  any = !lines.finish().empty() || any;
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
      {tacho::sample_message(), tacho::tf_record(tacho::sample_message()),
       "step=5 loss=0.25, lr: 1e-3\r{\"a\": 1}\n:::MLLOG {\"key\": \"x\", \"value\": 1}\n"},
      [&](const std::string& bytes) { return tacho::heard(bytes, file); }, [](std::string&) {});
}
