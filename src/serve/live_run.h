#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "http/message.h"
#include "lab/event_tail.h"
#include "record/run_folder.h"
#include "record/usage.h"

namespace tacho::serve {

// A run as server-sent events, by following its folder: "steps", "epoch", "usage", "figures",
// "note", and "end" as the last. Each is one JSON object. Its id says how far it goes, so that a
// client that lost the connection gets what it missed and nothing twice.
class LiveRun final : public http::BodySource {
 public:
  struct From {
    std::int64_t step = 0;  // the last one that is known
    double usage_time = 0;  // Unix seconds of the last usage sample that is known
  };
  // `settle` is called once the run has ended, before "end" is sent: its record is to be stored.
  LiveRun(std::filesystem::path folder, From from, std::function<void()> settle);

  std::optional<std::string> next() override;

 private:
  void add_events(std::string& out);
  void add_usage(std::string& out);
  void add(std::string& out, std::string_view kind, const std::string& json) const;
  [[nodiscard]] bool has_ended();

  RunFolder folder_;
  From known_;
  std::function<void()> settle_;
  EventTail events_;
  std::size_t usage_position_ = 0;
  std::string usage_rest_;
  std::optional<UsageSample> last_sample_;
  int looks_ = 0;
  bool over_ = false;
};

// "120;1763180000.5" as an event's id has it; what is not one is the begin.
LiveRun::From live_position(const std::string& text);

}  // namespace tacho::serve
