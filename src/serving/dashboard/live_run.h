#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/record/run_folder.h"
#include "core/record/usage.h"
#include "experiments/runner/event_tail.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Streams a run as server-sent events by following its folder: "steps", "epoch", "usage",
// "figures", "note", and finally "end". Each event is one JSON object. Its id is the position, so
// that a client that reconnects gets exactly the events it missed.
class LiveRun final : public http::BodySource {
 public:
  struct From {
    std::int64_t step = 0;     // last step that the client has
    double usage_time = 0;     // Unix seconds of the last usage sample that the client has
    std::int64_t figures = 0;  // number of lines with figures that the client has
  };
  // Calls `on_end` once the run has ended, before "end" is sent, so that its record is stored.
  LiveRun(std::filesystem::path folder, From from, std::function<void()> on_end);

  std::optional<std::string> next() override;

 private:
  void add_events(std::string& out);
  void add_usage(std::string& out);
  void add(std::string& out, std::string_view kind, const std::string& json) const;
  [[nodiscard]] bool has_ended();

  RunFolder folder_;
  From known_;
  std::function<void()> on_end_;
  EventTail events_;
  std::int64_t figures_read_ = 0;
  std::size_t usage_position_ = 0;
  std::string usage_rest_;
  std::optional<UsageSample> last_sample_;
  int polls_ = 0;
  bool over_ = false;
};

// Parses an event's id such as "120;1763180000.5;7"; anything else is the start.
LiveRun::From live_position(const std::string& text);

}  // namespace tacho::serve
