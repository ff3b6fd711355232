#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "core/emit/append_file.h"
#include "core/emit/event_sink.h"

namespace tacho {

// Writes a run's events.jsonl, from which records are made and which EventParser reads.
class JsonLinesSink final : public EventSink {
 public:
  // Appends to the events of earlier attempts. Ends a partial line of a killed attempt first.
  static Result<std::unique_ptr<JsonLinesSink>> open(const std::filesystem::path& events_jsonl);
  explicit JsonLinesSink(AppendFile file) : file_(std::move(file)) {}

  Result<void> write(const Event& event) override { return file_.append(to_line(event) + "\n"); }

 private:
  AppendFile file_;
};

}  // namespace tacho
