#include "training/weights/hugging_face.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HuggingFace : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, text, Outlives::kill).ok());
  }
  std::string refusal(const std::string& config) {
    write("config.json", config);
    const auto read = read_hugging_face(folder_.path());
    return read.ok() ? "accepted" : read.error().message;
  }
  ScratchFolder folder_;
};

TEST_F(HuggingFace, ReadsADistilBert) {
  write("config.json",
        R"({"architectures": ["DistilBertForSequenceClassification"], "model_type": "distilbert",
            "dim": 768, "n_layers": 6, "vocab_size": 30, "activation": "gelu",
            "id2label": {"1": "POSITIVE", "0": "NEGATIVE"}})");
  write("tokenizer_config.json", R"({"do_lower_case": true, "model_max_length": 128})");
  const auto read = read_hugging_face(folder_.path());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->model, "distilbert");
  EXPECT_EQ(read->vocabulary, 30);
  EXPECT_EQ(read->max_tokens, 128);
  EXPECT_THAT(read->labels, ElementsAre("NEGATIVE", "POSITIVE"));
}

TEST_F(HuggingFace, UsesTheDefaultsOfOmittedValues) {
  write("config.json", R"({"model_type": "bert", "num_labels": 3})");
  const auto read = read_hugging_face(folder_.path());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->model, "bert_base");
  EXPECT_EQ(read->vocabulary, 30522);
  EXPECT_EQ(read->max_tokens, 512);
  EXPECT_THAT(read->labels, ElementsAre("LABEL_0", "LABEL_1", "LABEL_2"));
}

TEST_F(HuggingFace, NamesEveryContradiction) {
  EXPECT_THAT(refusal(R"({"model_type": "bert", "hidden_size": 1024, "num_hidden_layers": 24})"),
              HasSubstr("config.json: not a bert_base: hidden_size is 1024, not 768, "
                        "num_hidden_layers is 24, not 12"));
  EXPECT_THAT(refusal(R"({"model_type": "roberta"})"), HasSubstr("model_type is \"roberta\""));
  EXPECT_THAT(refusal("{}"), HasSubstr("model_type is missing"));
  EXPECT_THAT(refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(R"({"model_type": "bert", "id2label": {"0": "a", "2": "b"}})"),
              HasSubstr("no label for 1"));
  EXPECT_THAT(refusal(R"({"model_type": "bert", "vocab_size": -1})"), HasSubstr("vocab_size"));
  EXPECT_THAT(refusal(R"({"model_type": "bert", "problem_type": "regression"})"),
              HasSubstr("only single_label_classification"));
}

TEST_F(HuggingFace, RefusesCasedTokenizers) {
  write("tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_THAT(refusal(R"({"model_type": "bert"})"), HasSubstr("do_lower_case is false"));
}

TEST_F(HuggingFace, AFolderOfAnotherModelIsRefused) {
  write("config.json", R"({"model_type": "bert"})");
  EXPECT_TRUE(check_is_model(folder_.path(), "bert_base").ok());
  EXPECT_THAT(check_is_model(folder_.path(), "distilbert").error().message,
              HasSubstr("model_type is bert, which is bert_base here, not distilbert"));
}

}  // namespace
}  // namespace tacho
