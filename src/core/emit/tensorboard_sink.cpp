#include "core/emit/tensorboard_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <initializer_list>
#include <numeric>
#include <string>

#include "core/emit/protobuf_wire.h"
#include "core/emit/tf_record.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Field numbers of TensorFlow's event.proto and summary.proto.
namespace event_field {
constexpr std::uint32_t kWallTime = 1;
constexpr std::uint32_t kStep = 2;
constexpr std::uint32_t kFileVersion = 3;
constexpr std::uint32_t kSummary = 5;
constexpr std::uint32_t kSessionLog = 7;
}  // namespace event_field
namespace session_field {
constexpr std::uint32_t kStatus = 1;
constexpr std::int64_t kStart = 1;
}  // namespace session_field
namespace summary_field {
constexpr std::uint32_t kValue = 1;
}
namespace value_field {
constexpr std::uint32_t kTag = 1;
constexpr std::uint32_t kSimpleValue = 2;
constexpr std::uint32_t kTensor = 8;
constexpr std::uint32_t kMetadata = 9;
}  // namespace value_field
namespace metadata_field {
constexpr std::uint32_t kPlugin = 1;
constexpr std::uint32_t kPluginName = 1;  // of the plugin
constexpr std::uint32_t kDataClass = 4;
constexpr std::int64_t kScalar = 1;
}  // namespace metadata_field
namespace tensor_field {
constexpr std::uint32_t kType = 1;
constexpr std::int64_t kDouble = 2;
constexpr std::uint32_t kShape = 2;
constexpr std::uint32_t kDoubles = 6;
}  // namespace tensor_field

struct Scalar {
  std::string_view tag;
  double value;
};

std::string version_record(double unix_seconds) {
  ProtobufMessage event;
  event.add_double(event_field::kWallTime, unix_seconds)
      .add_bytes(event_field::kFileVersion, "brain.Event:2");
  return tf_record(event.bytes());
}

std::string summary_record(double unix_seconds, std::int64_t step, const ProtobufMessage& summary) {
  ProtobufMessage event;
  event.add_double(event_field::kWallTime, unix_seconds)
      .add_int64(event_field::kStep, step)
      .add_bytes(event_field::kSummary, summary.bytes());
  return tf_record(event.bytes());
}

std::string scalars_record(double unix_seconds, std::int64_t step,
                           std::initializer_list<Scalar> scalars) {
  ProtobufMessage summary;
  for (const Scalar& scalar : scalars) {
    ProtobufMessage value;
    value.add_bytes(value_field::kTag, scalar.tag)
        .add_float(value_field::kSimpleValue, static_cast<float>(scalar.value));
    summary.add_bytes(summary_field::kValue, value.bytes());
  }
  return summary_record(unix_seconds, step, summary);
}

// Plain scalars are floats; a tensor keeps all digits.
std::string records_of(double unix_seconds, const FiguresSeen& figures) {
  ProtobufMessage plugin;
  plugin.add_bytes(metadata_field::kPluginName, "scalars");
  ProtobufMessage metadata;
  metadata.add_bytes(metadata_field::kPlugin, plugin.bytes())
      .add_int64(metadata_field::kDataClass, metadata_field::kScalar);
  ProtobufMessage summary;
  for (const auto& [name, number] : figures.values) {
    std::string packed;
    append_fixed(packed, std::bit_cast<std::uint64_t>(number));
    ProtobufMessage tensor;
    tensor.add_int64(tensor_field::kType, tensor_field::kDouble)
        .add_bytes(tensor_field::kShape, "")  // no dimensions
        .add_bytes(tensor_field::kDoubles, packed);
    ProtobufMessage value;
    value.add_bytes(value_field::kTag, name)
        .add_bytes(value_field::kTensor, tensor.bytes())
        .add_bytes(value_field::kMetadata, metadata.bytes());
    summary.add_bytes(summary_field::kValue, value.bytes());
  }
  return summary_record(unix_seconds, figures.step.value_or(0), summary);
}

// The event is written at the end of its last step, from which the ends of the others are computed.
std::string records_of(double unix_seconds, const StepsDone& steps) {
  double ended = unix_seconds - std::accumulate(steps.seconds.begin(), steps.seconds.end(), 0.0);
  std::string records;
  for (std::size_t i = 0; i < steps.seconds.size(); ++i) {
    ended += steps.seconds[i];
    records += scalars_record(ended, steps.first_step + static_cast<std::int64_t>(i),
                              {{"train/loss", steps.loss[i]},
                               {"train/step_s", steps.seconds[i]},
                               {"train/input_s", steps.input_seconds[i]}});
  }
  return records;
}

std::string records_of(double unix_seconds, const EpochDone& epoch) {
  return scalars_record(unix_seconds, epoch.epoch,
                        {{"epoch/train_loss", epoch.train_loss},
                         {"epoch/train_top1", epoch.train_top1},
                         {"epoch/learning_rate", epoch.learning_rate},
                         {"eval/loss", epoch.eval_loss},
                         {"eval/top1", epoch.top1},
                         {"eval/top5", epoch.top5}});
}

// Uses rank 0, like the other scalars. The scalars of these steps are written just before or after.
std::string records_of(double unix_seconds, const RanksDone& done) {
  const auto first = std::find_if(done.ranks.begin(), done.ranks.end(),
                                  [](const RankSteps& rank) { return rank.rank == 0; });
  if (first == done.ranks.end()) return "";
  double ended = unix_seconds - std::accumulate(first->seconds.begin(), first->seconds.end(), 0.0);
  std::string records;
  for (std::size_t i = 0; i < first->seconds.size(); ++i) {
    ended += first->seconds[i];
    records += scalars_record(
        ended, done.first_step + static_cast<std::int64_t>(i),
        {{"comm/seconds", first->comm_seconds[i]}, {"comm/exposed", first->exposed_seconds[i]}});
  }
  return records;
}

// Starts a session at a step: TensorBoard then drops what earlier sessions wrote from that step on.
std::string start_record(double unix_seconds, std::int64_t step) {
  ProtobufMessage session;
  session.add_int64(session_field::kStatus, session_field::kStart);
  ProtobufMessage event;
  event.add_double(event_field::kWallTime, unix_seconds)
      .add_int64(event_field::kStep, step)
      .add_bytes(event_field::kSessionLog, session.bytes());
  return tf_record(event.bytes());
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// Never reuses an existing file: two attempts may start within a second.
Result<AppendFile> create_event_file(const fs::path& folder, double unix_seconds) {
  const std::string name = fmt::format("events.out.tfevents.{}.{}",
                                       static_cast<std::int64_t>(unix_seconds), host_name());
  for (int n = 0;; ++n) {
    const fs::path path = folder / (n == 0 ? name : fmt::format("{}.{}", name, n));
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
    if (fd) return AppendFile(std::move(fd), path);
    if (errno != EEXIST) return system_error(path, errno);
  }
}

}  // namespace

Result<std::unique_ptr<TensorBoardSink>> TensorBoardSink::open(const fs::path& folder,
                                                               double unix_seconds) {
  TACHO_CHECK(make_folders(folder));
  TACHO_TRY(file, create_event_file(folder, unix_seconds));
  TACHO_CHECK(file.append(version_record(unix_seconds)));
  return std::make_unique<TensorBoardSink>(std::move(file));
}

Result<void> TensorBoardSink::write(const Event& event) {
  if (const auto* steps = std::get_if<StepsDone>(&event.body)) {
    return file_.append(records_of(event.unix_seconds, *steps));
  }
  if (const auto* epoch = std::get_if<EpochDone>(&event.body)) {
    return file_.append(records_of(event.unix_seconds, *epoch));
  }
  if (const auto* done = std::get_if<RanksDone>(&event.body)) {
    return file_.append(records_of(event.unix_seconds, *done));
  }
  if (const auto* figures = std::get_if<FiguresSeen>(&event.body)) {
    return file_.append(records_of(event.unix_seconds, *figures));
  }
  if (const auto* started = std::get_if<RunStarted>(&event.body)) {
    attempt_ = started->attempt;
    resumed_epochs_ = started->resumed_epochs;
  }
  const auto* input = std::get_if<InputReady>(&event.body);
  if (input == nullptr || attempt_ == 1) return {};
  return file_.append(
      start_record(event.unix_seconds, resumed_epochs_ * input->steps_per_epoch + 1));
}

}  // namespace tacho
