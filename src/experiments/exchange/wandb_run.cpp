#include "experiments/exchange/wandb_run.h"

#include <fmt/format.h>

#include "experiments/exchange/wandb_log.h"
#include "tracing/listen/protobuf_cursor.h"

namespace tacho {
namespace {

// Field numbers of wandb_internal.proto.
namespace record_field {
constexpr std::uint32_t kHistory = 2;
constexpr std::uint32_t kSummary = 3;
constexpr std::uint32_t kConfig = 5;
constexpr std::uint32_t kOutput = 13;
constexpr std::uint32_t kRun = 17;
constexpr std::uint32_t kExit = 18;
}  // namespace record_field
namespace run_field {
constexpr std::uint32_t kId = 1;
constexpr std::uint32_t kProject = 3;
constexpr std::uint32_t kConfig = 4;
constexpr std::uint32_t kName = 8;
constexpr std::uint32_t kNotes = 9;
constexpr std::uint32_t kTag = 10;
constexpr std::uint32_t kHost = 13;
constexpr std::uint32_t kStartTime = 17;
}  // namespace run_field

constexpr std::size_t kLongestOutput = 16 << 20;

// A key with its value, as in history, summary and config.
struct Item {
  std::string name;
  Json value;
};

Item item_of(std::string_view message) {
  Item item;
  std::string_view text;
  ProtobufCursor fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) item.name = field->bytes;
    if (field->number == 2) (item.name += item.name.empty() ? "" : ".") += field->bytes;
    if (field->number == 16) text = field->bytes;
  }
  // Python writes these without quotes, which JSON does not have.
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") {
    item.value = nullptr;
  } else {
    auto json = parse_json(text);
    item.value = json.ok() ? *std::move(json) : Json("");
  }
  return item;
}

// What W&B adds to history and summary: _step, _timestamp, _runtime, _wandb.runtime.
bool is_added_by_wandb(std::string_view name) {
  return name == "_step" || name == "_timestamp" || name == "_runtime" || name == "_wandb" ||
         name.starts_with("_wandb.");
}

double time_of(std::string_view timestamp) {
  double seconds = 0;
  ProtobufCursor fields(timestamp);
  while (const auto field = fields.next()) {
    const auto number = static_cast<double>(static_cast<std::int64_t>(field->bits));
    if (field->number == 1) seconds += number;
    if (field->number == 2) seconds += number * 1e-9;
  }
  return is_time(seconds) ? seconds : 0;
}

class WandbReader {
 public:
  void add(std::string_view record) {
    ProtobufCursor fields(record);
    while (const auto field = fields.next()) {
      switch (field->number) {
        case record_field::kHistory:
          add_history(field->bytes);
          break;
        case record_field::kSummary:
          add_summary(field->bytes);
          break;
        case record_field::kConfig:
          add_config(field->bytes);
          break;
        case record_field::kOutput:
          add_output(field->bytes);
          break;
        case record_field::kRun:
          add_run(field->bytes);
          break;
        case record_field::kExit:
          add_exit(field->bytes);
          break;
        default:
          break;
      }
    }
  }

  Result<PortableRun> done() {
    if (id_.empty()) return Error{ErrorCode::invalid, "a log of W&B without a run"};
    run_.tool = "wandb";
    // A run that is resumed has its id in several logs.
    run_.id = fmt::format("{} {:.6f}", id_, run_.began);
    run_.origin = "W&B run " + id_ + (host_.empty() ? "" : " of host " + host_);
    if (run_.described.name.empty()) run_.described.name = id_;
    place_untimed();
    cover_points(run_);
    add_end_figures();
    if (!exited_) {
      run_.outcome = Outcome::failed;
      run_.reason = "its log has no end: killed, or still running when it was imported";
    }
    if (is_time(run_.began + runtime_)) run_.ended = std::max(run_.ended, run_.began + runtime_);
    return std::move(run_);
  }

 private:
  void add_run(std::string_view message) {
    ProtobufCursor fields(message);
    run_.described.tags.clear();  // a later record replaces them
    while (const auto field = fields.next()) {
      const std::string text(field->bytes);
      if (field->number == run_field::kId) id_ = text;
      if (field->number == run_field::kProject) run_.described.project = text;
      if (field->number == run_field::kConfig) add_config(field->bytes);
      if (field->number == run_field::kName) run_.described.name = text;
      if (field->number == run_field::kNotes && !text.empty()) run_.notes = {text};
      if (field->number == run_field::kTag) run_.described.tags.push_back(text);
      if (field->number == run_field::kHost) host_ = text;
      if (field->number == run_field::kStartTime) run_.began = time_of(text);
    }
  }

  void add_config(std::string_view message) {
    ProtobufCursor fields(message);
    while (const auto field = fields.next()) {
      if (field->number != 1) continue;
      const Item item = item_of(field->bytes);
      if (!item.name.starts_with("_wandb")) {
        add_settings(item.name, item.value, run_.described.config);
      }
    }
  }

  void add_history(std::string_view message) {
    HistoryPoint point;
    ProtobufCursor fields(message);
    while (const auto field = fields.next()) {
      if (field->number == 2) {
        point.step = 0;  // the default, which is not written
        ProtobufCursor step(field->bytes);
        while (const auto number = step.next()) {
          if (number->number == 1) point.step = static_cast<std::int64_t>(number->bits);
        }
      }
      if (field->number != 1) continue;
      const Item item = item_of(field->bytes);
      if (item.name == "_step" && step_in(item.value)) {
        point.step = step_in(item.value);
      } else if (item.name == "_timestamp" && item.value.is_number()) {
        point.unix_seconds = item.value.get<double>();
      } else if (!is_added_by_wandb(item.name)) {
        add_numbers(item.name, item.value, point.values);
      }
    }
    if (!is_time(point.unix_seconds)) point.unix_seconds = 0;
    if (!point.values.empty()) run_.points.push_back(std::move(point));
  }

  // A point without a time is as old as the one before it.
  void place_untimed() {
    double last = run_.began;
    for (HistoryPoint& point : run_.points) {
      if (point.unix_seconds == 0) point.unix_seconds = last;
      last = point.unix_seconds;
    }
  }

  void add_summary(std::string_view message) {
    ProtobufCursor fields(message);
    while (const auto field = fields.next()) {
      if (field->number != 1) continue;
      const Item item = item_of(field->bytes);
      if (!is_added_by_wandb(item.name)) add_numbers(item.name, item.value, summary_);
    }
  }

  // Figures that are only in the summary are those of the last step.
  void add_end_figures() {
    for (const HistoryPoint& point : run_.points) {
      for (const auto& [name, value] : point.values) summary_.erase(name);
    }
    if (summary_.empty()) return;
    if (run_.points.empty()) run_.points.push_back({std::nullopt, run_.ended, {}});
    run_.points.back().values.merge(summary_);
  }

  void add_output(std::string_view message) {
    ProtobufCursor fields(message);
    while (const auto field = fields.next()) {
      const bool fits = run_.output.size() + field->bytes.size() <= kLongestOutput;
      if (field->number == 3 && fits) run_.output += field->bytes;
    }
  }

  void add_exit(std::string_view message) {
    std::int32_t code = 0;
    ProtobufCursor fields(message);
    while (const auto field = fields.next()) {
      if (field->number == 1) code = static_cast<std::int32_t>(field->bits);
      if (field->number == 2) runtime_ = static_cast<std::int32_t>(field->bits);
    }
    exited_ = true;
    run_.outcome = code == 0 ? Outcome::ok : Outcome::failed;
    run_.reason = code == 0 ? "" : fmt::format("exit code {}", code);
  }

  PortableRun run_;
  std::string id_;
  std::string host_;
  std::map<std::string, double> summary_;
  bool exited_ = false;
  std::int32_t runtime_ = 0;  // seconds
};

}  // namespace

Result<PortableRun> read_wandb_run(std::string_view bytes) {
  TACHO_TRY(log, WandbLog::open(bytes));
  WandbReader reader;
  while (true) {
    TACHO_TRY(record, log.next());
    if (!record) return reader.done();
    reader.add(*record);
  }
}

}  // namespace tacho
