#include "cli/describe_report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tacho {
namespace {

Json layer(const std::string& name, const std::string& group) {
  return {{"name", name},       {"group", group},         {"output", {64, 56}},
          {"parameters", 4096}, {"saved_bytes", 1 << 20}, {"forward_multiply_adds", 2'000'000}};
}

Json description(std::size_t layers) {
  Json json = {{"model", "resnet50"},
               {"batch", 2},
               {"precision", "fp32"},
               {"optimizer", "sgd"},
               {"channels", 3},
               {"height", 224},
               {"width", 224},
               {"length", 0},
               {"classes", 1000},
               {"parameters", 25557032},
               {"forward_multiply_adds", 8'178'000'000},
               {"backward_multiply_adds", 16'000'000'000},
               {"forward_bytes_moved", 1 << 30},
               {"backward_bytes_moved", 1 << 30},
               {"layers", Json::array()}};
  json["memory"] = {{"weights_bytes", 3 << 20},
                    {"gradients_bytes", 3 << 20},
                    {"optimizer_state_bytes", 3 << 20},
                    {"library_workspaces_bytes", 0},
                    {"inputs_bytes", 1 << 20},
                    {"copies_16bit_bytes", 0},
                    {"total_bytes", 17 << 20},
                    {"peak",
                     {{"phase", "backward pass"},
                      {"at", "distilbert.transformer.layer.11.output_layer_norm"},
                      {"activations_bytes", 8 << 20},
                      {"temporaries_bytes", 2 << 20},
                      {"gradients_bytes", 0}}}};
  for (std::size_t i = 0; i < layers; ++i) {
    json["layers"].push_back(
        layer("distilbert.transformer.layer." + std::to_string(i) + ".attention.q_lin",
              "distilbert.transformer.layer." + std::to_string(i / 10)));
  }
  return json;
}

TEST(DescribeReport, ShowsMultiplyAddsFlopsAndThePartsOfThePeak) {
  const auto text = describe_report(description(3), false, Terminal(-1));
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_NE(text->find("4.09 G mult-adds per sample; 16.4 GFLOP per batch"), std::string::npos)
      << *text;
  EXPECT_NE(text->find("17.0 MiB peak in the backward pass\n              at "
                       "distilbert"),
            std::string::npos);
  EXPECT_NE(text->find("activations"), std::string::npos);
  EXPECT_EQ(text->find("16-bit copies"), std::string::npos);
}

TEST(DescribeReport, FitsEightyColumnsAndGroupsLongModels) {
  for (const bool every_layer : {false, true}) {
    const auto text = describe_report(description(50), every_layer, Terminal(-1));
    ASSERT_TRUE(text.ok());
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), 80U) << line;
    }
    EXPECT_EQ(text->find("--layers") == std::string::npos, every_layer);
    EXPECT_EQ(text->find("layer.49.attention.q_lin") != std::string::npos, every_layer);
  }
}

TEST(DescribeReport, RejectsTheOutputOfAWorkerOfAnotherCommit) {
  const auto text = describe_report(Json{{"model", "lstm"}}, false, Terminal(-1));
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("script/build"), std::string::npos);
}

}  // namespace
}  // namespace tacho
