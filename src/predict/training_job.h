#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_records.h"
#include "base/result.h"
#include "predict/gpu_catalog.h"
#include "record/run_spec.h"

namespace tacho {

// A training job as published figures name it. Texts may be empty and numbers absent: unknown.
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
  // Forward multiply-adds, activations and parameters for one sample.
  std::optional<double> gmacs;
  std::optional<double> macts_m;
  std::optional<double> params_m;
  std::string input_shape;  // 3x224x224, seq512
  std::string data_kind;    // real, synthetic
};

// What is meant where a person names none: Tacho itself, of which data/corpus tells.
inline constexpr std::string_view kUsualFramework = "PyTorch (Tacho)";

// As published figures call it.
std::string published_precision(Precision precision);

// A job whose speed was published.
struct MeasuredJob {
  TrainingJob job;
  double samples_per_s = 0;
  std::string source;
};

// Says what makes no sense, in the words of the columns.
Result<void> check(const TrainingJob& job);

// Every row of a file with the columns above; others are passed over. Errors name line and column;
// a GPU that is in no catalogue is one, with the nearest name.
Result<std::vector<TrainingJob>> read_jobs(const CsvRecords& records, const GpuCatalog& gpus);

// throughput.csv: the same with samples_per_s and source_id. Rows without a GPU are left out.
Result<std::vector<MeasuredJob>> read_measured_jobs(std::string_view csv);

}  // namespace tacho
