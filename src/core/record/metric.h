#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

enum class Unit { none, share, seconds, bytes, bytes_per_second, per_second, count };
enum class Better { higher, lower, neither };

// One metric of a run. The store's columns, tables and exports take names, units and help texts
// from here.
struct Metric {
  std::string_view key;
  Unit unit;
  Better better;
  std::string_view title;  // column heading
  std::string_view help;
};

namespace metric {
inline constexpr Metric kTop1{"top1", Unit::share, Better::higher, "top-1",
                              "evaluation accuracy of the best class, last epoch"};
inline constexpr Metric kTop5{"top5", Unit::share, Better::higher, "top-5",
                              "evaluation accuracy of the best five classes, last epoch"};
inline constexpr Metric kEvalLoss{"eval_loss", Unit::none, Better::lower, "eval loss",
                                  "mean evaluation loss, last epoch"};
inline constexpr Metric kTrainLoss{"train_loss", Unit::none, Better::lower, "train loss",
                                   "mean training loss, last epoch"};
inline constexpr Metric kSamplesPerS{"samples_per_s", Unit::per_second, Better::higher, "samples/s",
                                     "training samples per second in the steady state"};
inline constexpr Metric kPerplexity{"perplexity", Unit::none, Better::lower, "perplexity",
                                    "exp(evaluation loss) of a language model, last epoch"};
inline constexpr Metric kTokensPerS{"tokens_per_s", Unit::per_second, Better::higher, "tokens/s",
                                    "training tokens per second of a language model in the steady "
                                    "state"};
inline constexpr Metric kStepS{"step_s", Unit::seconds, Better::lower, "step",
                               "median time of a training step in the steady state"};
inline constexpr Metric kStepP25S{"step_p25_s", Unit::seconds, Better::lower, "step p25",
                                  "lower quartile of the step time in the steady state"};
inline constexpr Metric kStepP75S{"step_p75_s", Unit::seconds, Better::lower, "step p75",
                                  "upper quartile of the step time in the steady state"};
inline constexpr Metric kFirstStepS{"first_step_s", Unit::seconds, Better::lower, "first step",
                                    "time of the very first step, warm-up included"};
inline constexpr Metric kInputShare{"input_share", Unit::share, Better::lower, "input",
                                    "share of the steady step time spent waiting for input"};
inline constexpr Metric kInputS{"input_s", Unit::seconds, Better::lower, "input wait",
                                "median wait for input of a step in the steady state"};
inline constexpr Metric kRanks{"ranks", Unit::count, Better::neither, "ranks",
                               "processes that trained together"};
inline constexpr Metric kCommS{"comm_s", Unit::seconds, Better::lower, "comm",
                               "median time per step in which gradients were exchanged, rank 0"};
inline constexpr Metric kCommHidden{"comm_hidden", Unit::share, Better::higher, "hidden",
                                    "share of that time hidden behind the backward pass"};
inline constexpr Metric kSentBytes{"sent_bytes", Unit::bytes, Better::lower, "sent",
                                   "bytes sent per step by rank 0"};
inline constexpr Metric kBusBytesPerS{"bus_bytes_per_s", Unit::bytes_per_second, Better::higher,
                                      "bus", "bytes sent per second of communication by rank 0"};
inline constexpr Metric kSlowestWaitS{
    "slowest_wait_s", Unit::seconds, Better::lower, "waiting",
    "median time per step that the others wait for the slowest rank"};
inline constexpr Metric kImageStartS{"image_start_s", Unit::seconds, Better::lower, "image start",
                                     "from starting the environment's engine to the first "
                                     "instruction of a process inside"};
inline constexpr Metric kProcessStartS{"process_start_s", Unit::seconds, Better::lower,
                                       "process start",
                                       "from there to the first line of the worker: loading its "
                                       "libraries"};
inline constexpr Metric kImageEndS{
    "image_end_s", Unit::seconds, Better::lower, "image end",
    "from the end of the program to the end of the environment's engine"};
inline constexpr Metric kTotalS{"total_s", Unit::seconds, Better::lower, "total",
                                "from starting the engine to its end, all attempts added"};
inline constexpr Metric kStartupS{"startup_s", Unit::seconds, Better::lower, "start-up",
                                  "from the worker's start to its first step"};
inline constexpr Metric kTrainS{"train_s", Unit::seconds, Better::lower, "training",
                                "time in training epochs, without evaluation"};
inline constexpr Metric kEvalS{"eval_s", Unit::seconds, Better::lower, "evaluation",
                               "time in evaluation"};
inline constexpr Metric kWallS{"wall_s", Unit::seconds, Better::lower, "wall",
                               "from the worker's start to its end, all attempts added"};
inline constexpr Metric kUserS{"user_s", Unit::seconds, Better::lower, "user",
                               "processor time in the program, all attempts added"};
inline constexpr Metric kSystemS{"system_s", Unit::seconds, Better::lower, "system",
                                 "processor time in the kernel, all attempts added"};
inline constexpr Metric kPeakMemory{"peak_memory", Unit::bytes, Better::lower, "peak memory",
                                    "largest resident memory of the worker"};
inline constexpr Metric kDeviceMemory{"device_memory", Unit::bytes, Better::lower, "GPU memory",
                                      "largest memory in use on the GPU at once"};
inline constexpr Metric kMinorFaults{"minor_faults", Unit::count, Better::lower, "minor faults",
                                     "page faults served from memory, all attempts added"};
inline constexpr Metric kMajorFaults{"major_faults", Unit::count, Better::lower, "major faults",
                                     "page faults that read from storage, all attempts added"};
inline constexpr Metric kParameters{"parameters", Unit::count, Better::neither, "parameters",
                                    "trainable parameters of the model"};
inline constexpr Metric kEpochsDone{"epochs_done", Unit::count, Better::neither, "epochs done",
                                    "epochs finished"};
inline constexpr Metric kStepsDone{"steps_done", Unit::count, Better::neither, "steps",
                                   "training steps finished"};
inline constexpr Metric kProductGflops{"product_gflops", Unit::none, Better::higher, "GFLOP/s",
                                       "512x512x512 fp32 matrix product on the run's threads"};

inline constexpr Metric kCores{"cores_used", Unit::count, Better::neither, "cores",
                               "processors kept busy on average, by all processes of the run"};
inline constexpr Metric kTreeMemory{"run_memory", Unit::bytes, Better::lower, "run memory",
                                    "largest resident memory of all processes of the run"};
inline constexpr Metric kReadBytes{"read_bytes", Unit::bytes, Better::lower, "read",
                                   "bytes read from storage"};
inline constexpr Metric kWriteBytes{"write_bytes", Unit::bytes, Better::lower, "written",
                                    "bytes written to storage"};
inline constexpr Metric kThrottled{"throttled", Unit::share, Better::lower, "throttled",
                                   "share of the time in which a CPU quota throttled the run"};
inline constexpr Metric kWaited{"waited", Unit::share, Better::lower, "waited",
                                "share of the CPU time requested by the run in which its threads "
                                "waited for a processor"};
inline constexpr Metric kOthers{"others", Unit::share, Better::neither, "others",
                                "share of the machine's CPU time that other programs used"};
inline constexpr Metric kDisturbed{"disturbed", Unit::count, Better::lower, "disturbed",
                                   "reasons why its figures are not comparable: other programs, "
                                   "a quota, slowed clocks"};
inline constexpr Metric kGpuBusy{
    "gpu_busy", Unit::share, Better::higher, "GPU busy",
    "share of the time in which a kernel ran, as sampled by the driver"};
inline constexpr Metric kGpuMemory{"gpu_memory_used", Unit::bytes, Better::lower, "GPU memory used",
                                   "largest memory in use on a GPU, by all processes"};
inline constexpr Metric kGpuJoules{"gpu_joules", Unit::none, Better::lower, "GPU joules",
                                   "energy used by the GPUs during the run"};

inline constexpr Metric kRequestsPerS{"requests_per_s", Unit::per_second, Better::higher,
                                      "requests/s", "requests answered per second in a load test"};
inline constexpr Metric kLatencyP50S{"latency_p50_s", Unit::seconds, Better::lower, "p50",
                                     "median time from when a request was due to its answer"};
inline constexpr Metric kLatencyP99S{"latency_p99_s", Unit::seconds, Better::lower, "p99",
                                     "time within which 99 of 100 requests were answered"};
inline constexpr Metric kLatencyP999S{"latency_p999_s", Unit::seconds, Better::lower, "p99.9",
                                      "time within which 999 of 1,000 requests were answered"};
inline constexpr Metric kFailedRequests{"errors", Unit::count, Better::lower, "errors",
                                        "requests that were refused, failed or timed out"};
inline constexpr Metric kDollarsPerMillion{"dollars_per_million_requests", Unit::none,
                                           Better::lower, "$/million",
                                           "price of a million requests at the measured rate"};

inline constexpr std::array kAll = {kTop1,          kTop5,           kEvalLoss,
                                    kTrainLoss,     kPerplexity,     kTokensPerS,
                                    kSamplesPerS,   kStepS,          kStepP25S,
                                    kStepP75S,      kFirstStepS,     kInputShare,
                                    kInputS,        kRanks,          kCommS,
                                    kCommHidden,    kSentBytes,      kBusBytesPerS,
                                    kSlowestWaitS,  kImageStartS,    kProcessStartS,
                                    kStartupS,      kTrainS,         kEvalS,
                                    kWallS,         kImageEndS,      kTotalS,
                                    kUserS,         kSystemS,        kPeakMemory,
                                    kDeviceMemory,  kMinorFaults,    kMajorFaults,
                                    kParameters,    kEpochsDone,     kStepsDone,
                                    kProductGflops, kCores,          kTreeMemory,
                                    kReadBytes,     kWriteBytes,     kThrottled,
                                    kWaited,        kOthers,         kDisturbed,
                                    kGpuBusy,       kGpuMemory,      kGpuJoules,
                                    kRequestsPerS,  kLatencyP50S,    kLatencyP99S,
                                    kLatencyP999S,  kFailedRequests, kDollarsPerMillion};
}  // namespace metric

Result<const Metric*> find_metric(std::string_view key);

// Formats a value for display: "85.3 %", "57.3 ms", "1,213 /s".
std::string human(const Metric& metric, double value);
std::string_view unit_text(Unit unit);  // "s", "B", …; "" for none

}  // namespace tacho
