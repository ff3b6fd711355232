#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "emit/append_file.h"
#include "emit/event_sink.h"

namespace tacho {

// The run's events.jsonl: what every record is made from, and what EventParser reads.
class JsonLinesSink final : public EventSink {
 public:
  // Appends to what earlier attempts wrote. Where one was killed in the middle of a line, that
  // line is ended first.
  static Result<std::unique_ptr<JsonLinesSink>> open(const std::filesystem::path& events_jsonl);
  explicit JsonLinesSink(AppendFile file) : file_(std::move(file)) {}

  Result<void> write(const Event& event) override { return file_.append(to_line(event) + "\n"); }

 private:
  AppendFile file_;
};

}  // namespace tacho
