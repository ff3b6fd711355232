#include "predict/decoder/decoder_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv_records.h"
#include "predict/decoder/llm_throughput_csv.h"
#include "predict/speed/csv_columns.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(DecoderCatalog, FindsModelsByNameAndAlias) {
  const DecoderCatalog shapes = *DecoderCatalog::shipped();
  for (const auto& [said, meant] : {std::pair{"mpt-7b", "mpt-7b"},
                                    {"gpt-7b", "mpt-7b"},
                                    {"Llama3_8B", "llama3-8b"},
                                    {"llama3.1-8b", "llama3-8b"}}) {
    const DecoderModel* shape = shapes.find(said);
    ASSERT_NE(shape, nullptr) << said;
    EXPECT_EQ(shape->name, meant);
  }
  EXPECT_EQ(shapes.find("resnet50"), nullptr);
}

TEST(DecoderCatalog, SuggestsTheNearestNameForAnUnknownModel) {
  const auto shape = DecoderCatalog::shipped()->named("lama3-8b");
  ASSERT_FALSE(shape.ok());
  EXPECT_EQ(shape.error().code, ErrorCode::usage);
  EXPECT_THAT(shape.error().message, HasSubstr("did you mean 'llama3-8b'?"));
  EXPECT_THAT(shape.error().message, HasSubstr("--layers"));
}

// To the 10,000 parameters that the publication gives, for every size and length.
TEST(DecoderModel, HasThePublishedNumberOfParameters) {
  const DecoderCatalog shapes = *DecoderCatalog::shipped();
  const CsvRecords records = *read_csv(kLlmThroughputCsv);
  const std::vector<std::string_view> columns = {"model", "params_M", "sequence"};
  const auto places = *column_places(records, columns);
  ASSERT_EQ(records.rows.size(), 104U);
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, columns, places);
    const DecoderModel* shape = shapes.find(row.text("model"));
    ASSERT_NE(shape, nullptr) << row.text("model");
    EXPECT_NEAR(parameters(*shape, **row.number("sequence")) / 1e6, **row.number("params_M"), 0.006)
        << "line " << record.line;
  }
}

TEST(DecoderModel, CountsSharedKeysGatesAndAnOutputLayer) {
  const DecoderCatalog shapes = *DecoderCatalog::shipped();
  EXPECT_EQ(parameters(*shapes.find("llama3-8b"), 8192), 8030261248);
  EXPECT_EQ(parameters(*shapes.find("llama2-7b"), 4096), 6738415616);
  EXPECT_EQ(parameters(*shapes.find("gpt2"), 1024), 124439808);
}

TEST(DecoderModel, RejectsHeadsThatDoNotDivideTheWidth) {
  DecoderModel shape = *DecoderCatalog::shipped()->find("mpt-7b");
  shape.heads = 33;
  EXPECT_THAT(check(shape).error().message, HasSubstr("--width 4096 is not a multiple of --heads"));
  shape.heads = 32;
  shape.kv_heads = 5;
  EXPECT_THAT(check(shape).error().message, HasSubstr("--kv-heads 5"));
  shape.kv_heads = 32;
  shape.layers = 0;
  EXPECT_THAT(check(shape).error().message, HasSubstr("--layers must be"));
}

}  // namespace
}  // namespace tacho
