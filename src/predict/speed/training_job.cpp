#include "predict/speed/training_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/nearest.h"
#include "predict/speed/csv_columns.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 16> kColumns = {
    "model",       "family",    "framework",     "precision", "layout",  "gpu",
    "num_gpus",    "num_nodes", "batch_per_gpu", "gmacs",     "macts_M", "params_M",
    "input_shape", "data_kind", "samples_per_s", "source_id"};
constexpr std::size_t kOfJobs = 14;
constexpr std::array<std::string_view, 8> kPrecisionWords = {"fp32", "tf32", "amp",     "fp16",
                                                             "bf16", "fp8",  "fp8/amp", ""};

constexpr std::array<std::string_view, 2> kLayouts = {"nchw", "nhwc"};
constexpr std::array<std::string_view, 2> kDataKinds = {"real", "synthetic"};
constexpr std::array<std::string_view, 4> kFamilies = {"cnn", "transformer", "rnn", "other"};

// An absent word is unknown, which is allowed.
Result<void> one_of(std::string_view column, const std::string& word,
                    std::span<const std::string_view> known) {
  if (word.empty() || std::ranges::find(known, word) != known.end()) return {};
  return Error{ErrorCode::usage, unknown_name(column, word, known)};
}

Result<void> within(std::string_view column, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  return Error{ErrorCode::usage,
               fmt::format("{}: {:g} is out of range; it must be between {:g} and {:g}", column,
                           value, low, high)};
}

Result<void> within(std::string_view column, std::optional<double> value, double low, double high) {
  return value ? within(column, *value, low, high) : Result<void>();
}

Result<TrainingJob> read_job(const CsvColumns& row) {
  TrainingJob job;
  job.model = row.text("model");
  job.family = row.text("family");
  job.framework = row.text("framework");
  job.precision = row.text("precision");
  job.layout = row.text("layout");
  job.gpu = row.text("gpu");
  job.input_shape = row.text("input_shape");
  job.data_kind = row.text("data_kind");
  TACHO_TRY(gpus, row.number("num_gpus"));
  TACHO_TRY(nodes, row.number("num_nodes"));
  TACHO_TRY(batch, row.number("batch_per_gpu"));
  TACHO_TRY(gmacs, row.number("gmacs"));
  TACHO_TRY(macts, row.number("macts_M"));
  TACHO_TRY(params, row.number("params_M"));
  job.num_gpus = gpus.value_or(1);
  job.num_nodes = nodes.value_or(1);
  job.batch_per_gpu = batch;
  job.gmacs = gmacs;
  job.macts_m = macts;
  job.params_m = params;
  return job;
}

}  // namespace

std::string published_precision(Precision precision) {
  // Tacho's fp16 keeps fp32 weights, which published figures call amp.
  return precision == Precision::fp16 ? "amp" : std::string(kPrecisions.of(precision));
}

Result<void> check(const TrainingJob& job) {
  if (job.model.empty()) return Error{ErrorCode::usage, "the model is missing"};
  if (job.gpu.empty()) return Error{ErrorCode::usage, "the GPU is missing"};
  if (std::ranges::find(kPrecisionWords, job.precision) == kPrecisionWords.end()) {
    const std::span words(kPrecisionWords.data(), kPrecisionWords.size() - 1);
    return Error{ErrorCode::usage, unknown_name("precision", job.precision, words)};
  }
  TACHO_CHECK(one_of("layout", job.layout, kLayouts));
  TACHO_CHECK(one_of("data_kind", job.data_kind, kDataKinds));
  TACHO_CHECK(one_of("family", job.family, kFamilies));
  if (!is_no_gpu(job.gpu)) TACHO_CHECK(within("num_gpus", job.num_gpus, 1, 1e6));
  TACHO_CHECK(within("num_nodes", job.num_nodes, 1, 1e6));
  // A batch below 1 is one sample split between several GPUs.
  TACHO_CHECK(within("batch_per_gpu", job.batch_per_gpu, 1e-3, 1e9));
  TACHO_CHECK(within("gmacs", job.gmacs, 0, 1e9));
  TACHO_CHECK(within("macts_M", job.macts_m, 0, 1e9));
  TACHO_CHECK(within("params_M", job.params_m, 0, 1e8));
  if (!is_no_gpu(job.gpu) && job.num_nodes > job.num_gpus) {
    return Error{ErrorCode::usage, fmt::format("num_nodes: {:g} nodes cannot share {:g} GPUs",
                                               job.num_nodes, job.num_gpus)};
  }
  return {};
}

Result<std::vector<TrainingJob>> read_jobs(const CsvRecords& records, const GpuCatalog& gpus) {
  const std::span columns(kColumns.data(), kOfJobs);
  TACHO_TRY(places, column_places(records, columns));
  std::vector<TrainingJob> jobs;
  jobs.reserve(records.rows.size());
  for (const CsvRecord& record : records.rows) {
    const std::string place = fmt::format("line {}", record.line);
    TACHO_TRY(job, read_job({record, columns, places}).in(place));
    TACHO_CHECK(check(job).in(place));
    if (!is_no_gpu(job.gpu)) {
      TACHO_TRY(gpu, gpus.find(job.gpu).in(place));
      job.gpu = gpu->name;
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<std::vector<MeasuredJob>> read_measured_jobs(std::string_view csv) {
  TACHO_TRY(records, read_csv(csv));
  TACHO_TRY(places, column_places(records, kColumns));
  std::vector<MeasuredJob> jobs;
  for (const CsvRecord& record : records.rows) {
    const std::string place = fmt::format("line {}", record.line);
    const CsvColumns row(record, kColumns, places);
    if (is_no_gpu(row.text("gpu"))) continue;
    TACHO_TRY(job, read_job(row).in(place));
    TACHO_CHECK(check(job).in(place));
    TACHO_TRY(speed, row.number("samples_per_s").in(place));
    TACHO_CHECK(within("samples_per_s", speed.value_or(0), 1e-9, 1e15).in(place));
    jobs.push_back({std::move(job), *speed, row.text("source_id")});
  }
  return jobs;
}

}  // namespace tacho
