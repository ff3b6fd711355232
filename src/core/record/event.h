#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/record/environment_facts.h"
#include "core/record/host.h"
#include "core/record/outcome.h"
#include "core/record/ranks.h"

namespace tacho {

// Version of the JSON format, in every line. Readers refuse a higher one.
inline constexpr std::int64_t kEventVersion = 1;

// The CPU code paths of a run, without which its speed cannot be interpreted.
struct ComputePaths {
  std::int64_t threads = 0;
  std::string blas;  // "OpenBLAS 0.3.21 (OpenMP)"
  bool mkldnn_convolution = false;
  bool mkldnn_product = false;
  bool mkldnn_recurrent = false;
  std::string allocator;      // "kept" (freed memory is reused) or "stock"
  std::string why;            // "probed", "cached", "forced", "stock"
  double product_gflops = 0;  // a 512³ fp32 matrix product on those threads
  bool operator==(const ComputePaths&) const = default;
};

struct RunStarted {
  std::int64_t attempt = 1;
  std::int64_t resumed_epochs = 0;  // finished in earlier attempts; later ones are repeated
  std::string tacho_version;
  std::string tacho_commit;
  std::string torch_version;
  Host host;
  ComputePaths paths;
  bool operator==(const RunStarted&) const = default;
};

struct InputReady {
  std::int64_t train_samples = 0;
  std::int64_t eval_samples = 0;
  std::int64_t classes = 0;
  std::int64_t steps_per_epoch = 0;
  double seconds = 0;
  bool operator==(const InputReady&) const = default;
};

struct ModelReady {
  std::int64_t parameters = 0;
  double seconds = 0;
  bool operator==(const ModelReady&) const = default;
};

// Several steps in one line; the lists have one entry per step.
struct StepsDone {
  std::int64_t epoch = 1;
  std::int64_t first_step = 1;  // within the run, from 1
  std::int64_t warmup = 0;      // number of warm-up steps at the start of the lists
  std::vector<double> seconds;  // whole steps, input included
  std::vector<double> input_seconds;
  std::vector<double> loss;
  bool operator==(const StepsDone&) const = default;
};

struct EpochDone {
  std::int64_t epoch = 1;
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double learning_rate = 0;  // of its last step
  double train_loss = 0;
  double train_top1 = 0;
  double train_seconds = 0;
  double eval_loss = 0;
  double top1 = 0;
  double top5 = 0;
  double eval_seconds = 0;
  bool operator==(const EpochDone&) const = default;
};

struct CheckpointWritten {
  std::int64_t epoch = 1;
  std::string file;  // relative to the run's folder
  std::int64_t bytes = 0;
  double seconds = 0;
  bool operator==(const CheckpointWritten&) const = default;
};

// A remark for the user about this run: a slow BLAS, a skipped image.
struct Note {
  std::string text;
  bool operator==(const Note&) const = default;
};

// Figures of a watched program, from one line of its output, one TensorBoard record or one call of
// tacho.log() in Python; or one point of an imported run.
struct FiguresSeen {
  std::string from;  // "output", "tensorboard", "python", or the tool of an imported run
  std::optional<std::int64_t> step;
  std::map<std::string, double> values;
  std::optional<double> unix_seconds = {};  // in a record; an event has its own time
  bool operator==(const FiguresSeen&) const = default;
};

// The training steps of a watched program: marked with tacho.step() in Python, found in its GPU
// trace, or counted by what it printed.
struct StepsFound {
  std::int64_t process = 0;
  std::int64_t steps = 0;
  double period_s = 0;  // median
  double p25_s = 0;
  double p75_s = 0;
  std::int64_t kernels_per_step = 0;
  double confidence = 0;  // 0 … 1
  bool printed = false;
  // Unix seconds; 0 if unknown.
  double began_at = 0;
  double ended_at = 0;
  double paused_s = 0;  // between steps, such as evaluations
  bool operator==(const StepsFound&) const = default;

  [[nodiscard]] bool on_gpu() const { return kernels_per_step > 0; }
  // The higher, the more is known about the steps.
  [[nodiscard]] int rank() const { return printed ? 0 : on_gpu() ? 1 : 2; }
};

// What a watched program says about itself with tacho.init() in Python. A later one adds to it.
struct RunDescribed {
  std::string name;
  std::string project;
  std::vector<std::string> tags;
  std::map<std::string, std::string> config;
  bool operator==(const RunDescribed&) const = default;
};

struct RunEnded {
  Outcome outcome = Outcome::ok;
  std::string reason;  // "" when ok; "reached the target" also when ok
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  std::int64_t peak_memory_bytes = 0;
  std::int64_t device_memory_bytes = 0;  // peak on a GPU; 0 without one
  std::int64_t minor_faults = 0;         // page faults without storage access
  std::int64_t major_faults = 0;         // page faults that read from storage
  bool operator==(const RunEnded&) const = default;
};

// Start and end of an environment, as seen by the tacho process that started it. Unix seconds; with
// several ranks, those of rank 0.
struct EnvironmentExited {
  double began = 0;               // just before the engine was started
  std::optional<double> entered;  // first instruction inside; absent: it never got there
  std::optional<double> ended;    // end of the program; absent: it was killed
  double left = 0;                // end of the engine
  bool operator==(const EnvironmentExited&) const = default;
};

// The run is being stopped because it reached its time limit.
struct TimeLimitReached {
  double seconds = 0;
  bool operator==(const TimeLimitReached&) const = default;
};

// The result of a load test, without its warm-up.
struct LoadMeasured {
  std::string url;
  std::string load;  // "open loop, 200 requests/s", "closed loop, 16 connections"
  std::int64_t connections = 0;
  double seconds = 0;
  double warmup_seconds = 0;
  bool steady = true;
  std::string remark;  // why the results need care; "" if they do not
  double requests_per_s = 0;
  double offered_per_s = 0;  // 0 in a closed loop
  std::int64_t requests = 0;
  std::int64_t ok = 0;
  std::int64_t refused = 0;   // 503
  std::int64_t rejected = 0;  // other 4xx
  std::int64_t server_errors = 0;
  std::int64_t timeouts = 0;
  std::int64_t broken = 0;
  std::int64_t cached = 0;
  // Latency from the time a request was due; service_* from the time it was sent.
  double p50_s = 0;
  double p90_s = 0;
  double p99_s = 0;
  double p999_s = 0;
  double longest_s = 0;
  double service_p50_s = 0;
  double service_p99_s = 0;
  std::string slo;                         // "p99=50ms"; "" without one
  std::optional<double> fails_from_per_s;  // lowest tried rate that misses the SLO
  std::string machine;                     // instance of the catalog for the price, or ""
  std::optional<double> usd_per_hour;
  bool operator==(const LoadMeasured&) const = default;

  [[nodiscard]] std::int64_t failed() const {
    return refused + rejected + server_errors + timeouts + broken;
  }
  // Price of a million requests at the measured rate.
  [[nodiscard]] std::optional<double> usd_per_million() const {
    if (!usd_per_hour || requests_per_s <= 0) return std::nullopt;
    return *usd_per_hour / 3600 / requests_per_s * 1e6;
  }
};

using EventBody =
    std::variant<RunStarted, InputReady, ModelReady, StepsDone, EpochDone, CheckpointWritten, Note,
                 RunEnded, RanksReady, RanksDone, FiguresSeen, StepsFound, EnvironmentFacts,
                 EnvironmentExited, TimeLimitReached, LoadMeasured, RunDescribed>;

// One line of events.jsonl.
struct Event {
  double unix_seconds = 0;
  EventBody body;
  bool operator==(const Event&) const = default;
};

std::string to_line(const Event& event);  // without the newline
Result<Event> event_from_line(std::string_view line);

}  // namespace tacho
