#include "predict/decoder/decoder_memory.h"

#include <gtest/gtest.h>

#include <array>

#include "base/csv_records.h"
#include "predict/decoder/llm_throughput_csv.h"
#include "predict/speed/csv_columns.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

DecoderJob seven_billion() {
  return {.shape = *DecoderCatalog::shipped()->find("mpt-7b"),
          .sequence = 2048,
          .micro_batch = 6,
          .num_gpus = 8,
          .network_gbps = 3200};
}

TEST(DecoderMemory, SumsStateActivationsAndLogits) {
  const DecoderMemory memory = memory_of(seven_billion());
  EXPECT_DOUBLE_EQ(memory.state, 16 * 6658859008. / 8);
  EXPECT_DOUBLE_EQ(memory.activations, 32. * 32 * 4096 * 6 * 2048);
  EXPECT_DOUBLE_EQ(memory.logits, 6. * 50368 * 6 * 2048);
}

TEST(DecoderMemory, RecomputationKeepsTheInputOfEachLayerAndOneLayer) {
  DecoderJob job = seven_billion();
  job.recompute = true;
  EXPECT_DOUBLE_EQ(memory_of(job).activations, (32. * 2 + 32) * 4096 * 6 * 2048);
}

TEST(DecoderMemory, TheLargestBatchFitsAndTheNextDoesNot) {
  const GpuCatalog gpus = *GpuCatalog::parse(shipped_gpus_csv());
  const GpuSpec& gpu = **gpus.find("A100-80GB");
  DecoderJob job = seven_billion();
  job.micro_batch = largest_micro_batch(job, gpu);
  EXPECT_GE(job.micro_batch, 6);  // published
  EXPECT_TRUE(fits(job, gpu));
  ++job.micro_batch;
  EXPECT_FALSE(fits(job, gpu));
  job.num_gpus = 1;
  EXPECT_EQ(largest_micro_batch(job, gpu), 0);
}

TEST(DecoderMemory, EveryPublishedJobFits) {
  const GpuCatalog gpus = *GpuCatalog::parse(shipped_gpus_csv());
  const DecoderCatalog shapes = *DecoderCatalog::shipped();
  const CsvRecords records = *read_csv(kLlmThroughputCsv);
  const std::vector<std::string_view> columns = {"model",
                                                 "sequence",
                                                 "gpu",
                                                 "num_gpus",
                                                 "micro_batch",
                                                 "sharding",
                                                 "activation_checkpointing"};
  const auto places = *column_places(records, columns);
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, columns, places);
    const DecoderJob job{.shape = *shapes.find(row.text("model")),
                         .sequence = **row.number("sequence"),
                         .micro_batch = **row.number("micro_batch"),
                         .num_gpus = **row.number("num_gpus"),
                         .sharding = *kShardings.parse(row.text("sharding")),
                         .recompute = row.text("activation_checkpointing") == "true"};
    EXPECT_TRUE(fits(job, **gpus.find(row.text("gpu")))) << "line " << record.line;
  }
}

}  // namespace
}  // namespace tacho
