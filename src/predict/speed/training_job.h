#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_records.h"
#include "base/result.h"
#include "core/record/run_spec.h"
#include "predict/speed/gpu_catalog.h"

namespace tacho {

// A training job in the terms of published figures. Empty texts and absent numbers are unknown.
struct TrainingJob {
  std::string model;
  std::string family;     // cnn, transformer, rnn, other
  std::string framework;  // free text: "PyTorch 1.12 (timm)"
  std::string precision;  // fp32, tf32, amp, fp16, bf16, fp8
  std::string layout;     // nchw, nhwc
  std::string gpu;
  double num_gpus = 1;
  double num_nodes = 1;
  std::optional<double> batch_per_gpu;
  // Forward multiply-adds, activations and parameters of one sample.
  std::optional<double> gmacs;
  std::optional<double> macts_m;
  std::optional<double> params_m;
  std::string input_shape;  // 3x224x224, seq512
  std::string data_kind;    // real, synthetic
};

// The default framework: Tacho itself, measured in data/corpus.
inline constexpr std::string_view kUsualFramework = "PyTorch (Tacho)";

// Returns the name of a precision in published figures.
std::string published_precision(Precision precision);

// A job whose speed was published.
struct MeasuredJob {
  TrainingJob job;
  double samples_per_s = 0;
  std::string source;
};

// Checks ranges; errors name the columns.
Result<void> check(const TrainingJob& job);

// Reads every row of a file with the columns above and ignores other columns. Errors name line and
// column, and suggest the nearest name for an unknown GPU.
Result<std::vector<TrainingJob>> read_jobs(const CsvRecords& records, const GpuCatalog& gpus);

// Reads throughput.csv: the same columns with samples_per_s and source_id. Ignores rows without a
// GPU.
Result<std::vector<MeasuredJob>> read_measured_jobs(std::string_view csv);

}  // namespace tacho
