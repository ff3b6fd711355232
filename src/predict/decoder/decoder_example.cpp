#include "predict/decoder/decoder_example.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/csv_records.h"
#include "base/split.h"
#include "predict/speed/csv_columns.h"
#include "predict/speed/model_costs.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 11> kDecoderColumns = {"model",
                                                              "sequence",
                                                              "gpu",
                                                              "interconnect",
                                                              "num_gpus",
                                                              "micro_batch",
                                                              "grad_accum",
                                                              "precision",
                                                              "sharding",
                                                              "activation_checkpointing",
                                                              "tokens_per_s_per_gpu"};

constexpr std::array<std::string_view, 10> kThroughputColumns = {
    "model",     "framework",     "precision",   "gpu",           "num_gpus",
    "num_nodes", "batch_per_gpu", "input_shape", "samples_per_s", "source_id"};
constexpr std::string_view kEncoder = "BERT-base (SQuAD)";
constexpr std::string_view kOtherPublication = "torchtitan";
constexpr double kEncoderSequence = 384;
constexpr double kAnswerEnds = 2;  // outputs per token: where the answer begins, and where it ends

constexpr std::array<std::pair<std::string_view, DecoderSoftware>, 3> kEncoderSoftware = {
    {{"PyTorch NGC 20.x (NVIDIA DLE scripts)", DecoderSoftware::encoders_1},
     {"PyTorch NGC 22.09-23.x (NVIDIA DLE scripts)", DecoderSoftware::encoders_2},
     {"PyTorch NGC 24+/v2 (NVIDIA DLE scripts)", DecoderSoftware::encoders_3}}};

DecoderModel bert_base() {
  return {.name = "bert_base",
          .layers = 12,
          .width = 768,
          .heads = 12,
          .kv_heads = 12,
          .feed_forward = 3072,
          .vocabulary = kAnswerEnds,
          .tied = true,
          .learned_positions = true,
          .biases = true,
          .causal = false};
}

// The file has thousands of other lines, which would take longer to read than the fit.
std::string lines_with(std::string_view csv, bool (*wanted)(std::string_view)) {
  std::string few(first_line(csv));
  few += '\n';
  for (const std::string_view line : lines_of(csv)) {
    if (wanted(line)) few.append(line).append("\n");
  }
  return few;
}

Result<double> positive(const CsvColumns& row, std::string_view column) {
  TACHO_TRY(value, row.number(column));
  if (value && *value > 0) return *value;
  return Error{ErrorCode::invalid, fmt::format("{} must be positive", column)};
}

Result<DecoderExample> read_example(const CsvColumns& row, const DecoderCatalog& shapes,
                                    const GpuCatalog& gpus) {
  DecoderJob job;
  TACHO_TRY(shape, shapes.named(row.text("model")));
  TACHO_TRY(gpu, gpus.find(row.text("gpu")));
  TACHO_TRY(sequence, positive(row, "sequence"));
  TACHO_TRY(num_gpus, positive(row, "num_gpus"));
  TACHO_TRY(micro_batch, positive(row, "micro_batch"));
  TACHO_TRY(accumulate, positive(row, "grad_accum"));
  TACHO_TRY(precision, kDecoderPrecisions.parse(row.text("precision")));
  TACHO_TRY(sharding, kShardings.parse(row.text("sharding")));
  TACHO_TRY(network, row.number("interconnect"));
  TACHO_TRY(speed, positive(row, "tokens_per_s_per_gpu"));
  job.shape = shape;
  job.sequence = sequence;
  job.micro_batch = micro_batch;
  job.accumulate = accumulate;
  job.num_gpus = num_gpus;
  job.num_nodes = std::ceil(num_gpus / kGpusPerNode);
  job.network_gbps = network.value_or(usual_network_gbps(*gpu));
  job.precision = precision;
  job.sharding = sharding;
  job.recompute = row.text("activation_checkpointing") == "true";
  TACHO_CHECK(check(job, *gpu));
  return DecoderExample{.model = shape.name,
                        .gpu = gpu->name,
                        .architecture = gpu->architecture,
                        .sequence = sequence,
                        .num_gpus = num_gpus,
                        .parameters = parameters(shape, sequence),
                        .work = work_of(job, *gpu),
                        .tokens_per_s = speed};
}

}  // namespace

Result<std::vector<DecoderExample>> read_decoder_examples(std::string_view csv,
                                                          const DecoderCatalog& shapes,
                                                          const GpuCatalog& gpus) {
  TACHO_TRY(records, read_csv(csv));
  TACHO_TRY(places, column_places(records, kDecoderColumns));
  std::vector<DecoderExample> examples;
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, kDecoderColumns, places);
    TACHO_TRY(example, read_example(row, shapes, gpus).in(fmt::format("line {}", record.line)));
    examples.push_back(std::move(example));
  }
  return examples;
}

Result<std::vector<DecoderExample>> read_encoder_examples(std::string_view throughput_csv,
                                                          const GpuCatalog& gpus) {
  TACHO_TRY(records, read_csv(lines_with(throughput_csv, [](std::string_view line) {
              return line.starts_with(kEncoder);
            })));
  TACHO_TRY(places, column_places(records, kThroughputColumns));
  std::vector<DecoderExample> examples;
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, kThroughputColumns, places);
    if (row.text("num_gpus") != "1" || row.text("precision") != "amp") continue;
    const auto gpu = gpus.find(row.text("gpu"));
    if (!gpu.ok()) continue;
    for (const auto& [name, software] : kEncoderSoftware) {
      if (row.text("framework") != name) continue;
      TACHO_TRY(batch, positive(row, "batch_per_gpu"));
      TACHO_TRY(speed, positive(row, "samples_per_s"));
      const DecoderJob job{.shape = bert_base(),
                           .sequence = kEncoderSequence,
                           .micro_batch = batch,
                           .network_gbps = usual_network_gbps(**gpu),
                           .sharding = Sharding::no_shard};
      DecoderExample example{.model = job.shape.name,
                             .gpu = (*gpu)->name,
                             .architecture = (*gpu)->architecture,
                             .sequence = kEncoderSequence,
                             .num_gpus = 1,
                             .parameters = parameters(job.shape, job.sequence),
                             .work = work_of(job, **gpu),
                             .tokens_per_s = speed * kEncoderSequence};
      example.work.software = software;
      examples.push_back(std::move(example));
    }
  }
  return examples;
}

Result<std::vector<DecoderExample>> read_other_examples(std::string_view throughput_csv,
                                                        const DecoderCatalog& shapes,
                                                        const GpuCatalog& gpus) {
  TACHO_TRY(records, read_csv(lines_with(throughput_csv, [](std::string_view line) {
              return line.ends_with(kOtherPublication);
            })));
  TACHO_TRY(places, column_places(records, kThroughputColumns));
  std::vector<DecoderExample> examples;
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, kThroughputColumns, places);
    const DecoderModel* shape = shapes.find(row.text("model"));
    if (shape == nullptr || row.text("precision") != "amp") continue;
    TACHO_TRY(gpu, gpus.find(row.text("gpu")));
    TACHO_TRY(num_gpus, positive(row, "num_gpus"));
    TACHO_TRY(num_nodes, positive(row, "num_nodes"));
    TACHO_TRY(batch, positive(row, "batch_per_gpu"));
    TACHO_TRY(speed, positive(row, "samples_per_s"));
    const double sequence = sequence_length(row.text("input_shape")).value_or(shape->sequence);
    const DecoderJob job{.shape = *shape,
                         .sequence = sequence,
                         .micro_batch = batch,
                         .num_gpus = num_gpus,
                         .num_nodes = num_nodes,
                         .network_gbps = usual_network_gbps(*gpu),
                         .recompute = true};
    examples.push_back({.model = shape->name,
                        .gpu = gpu->name,
                        .architecture = gpu->architecture,
                        .sequence = sequence,
                        .num_gpus = num_gpus,
                        .parameters = parameters(*shape, sequence),
                        .work = work_of(job, *gpu),
                        .tokens_per_s = speed * sequence / num_gpus});
  }
  return examples;
}

}  // namespace tacho
