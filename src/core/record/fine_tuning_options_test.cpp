#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/record/model_catalog.h"
#include "core/record/run_options.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<TrainRequest> tuned(const RunSettings& settings, const std::string& model = "resnet18",
                           const std::string& data = "cifar10") {
  RunSettings all = {{"model", model}, {"data", data}};
  all.insert(all.end(), settings.begin(), settings.end());
  return train_request(all);
}

std::string complaint(const RunSettings& settings, const std::string& model = "resnet18",
                      const std::string& data = "cifar10") {
  const auto request = tuned(settings, model, data);
  if (request.ok()) return "accepted";
  EXPECT_EQ(request.error().code, ErrorCode::usage);
  return request.error().message;
}

TEST(FineTuningOptions, SurviveTheRoundTripThroughJson) {
  const auto request = tuned({{"milestones", "60,80"},
                              {"warmup-steps", "500"},
                              {"freeze", "conv1,layer1"},
                              {"freeze", "layer2"},
                              {"head-lr", "0.1"},
                              {"patience", "3"},
                              {"best-by", "loss"},
                              {"keep", "best"},
                              {"accumulate-samples", "256"},
                              {"mean", "0.49,0.48,0.45"},
                              {"std", "0.25,0.24,0.26"},
                              {"crop", "off"},
                              {"flip", "on"},
                              {"trivial-augment", "true"},
                              {"erase", "0.25"},
                              {"stem", "imagenet"},
                              {"ema", "0.999"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  const RunSpec& spec = request->spec;
  EXPECT_THAT(spec.schedule.milestones, ElementsAre(60, 80));
  EXPECT_EQ(spec.schedule.warmup_steps, 500);
  EXPECT_THAT(spec.freeze, ElementsAre("conv1", "layer1", "layer2"));
  EXPECT_EQ(spec.head_learning_rate, 0.1);
  EXPECT_EQ(spec.patience, 3);
  EXPECT_EQ(spec.best_by, BestBy::loss);
  EXPECT_EQ(spec.keep, CheckpointKind::best);
  EXPECT_EQ(spec.accumulate, 4);  // batches of 64
  EXPECT_THAT(spec.pixel_mean, ElementsAre(0.49, 0.48, 0.45));
  EXPECT_THAT(spec.pixel_std, ElementsAre(0.25, 0.24, 0.26));
  EXPECT_EQ(spec.crop, Switch::off);
  EXPECT_EQ(spec.flip, Switch::on);
  EXPECT_TRUE(spec.trivial_augment);
  EXPECT_EQ(spec.erase, 0.25);
  EXPECT_EQ(spec.stem, Stem::imagenet);
  EXPECT_EQ(spec.ema_decay, 0.999);
  const auto back = run_spec_from_json(*parse_json(json_text(to_json(spec))));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, spec);
}

TEST(FineTuningOptions, AnEmptyNameFreezesNothing) {
  EXPECT_THAT(complaint({{"freeze", ",conv1"}}), HasSubstr("--freeze has an empty name"));
  EXPECT_EQ(complaint({{"freeze", "conv1"}}), "accepted");
}

TEST(FineTuningOptions, AdaptersAreForTheWeightsOfALanguageModel) {
  const RunSettings given = {{"lora", "8"},
                             {"lora-alpha", "32"},
                             {"lora-layers", "q_proj,v_proj"},
                             {"lora-layers", "down_proj"},
                             {"weights", "/model.safetensors"}};
  const auto request = tuned(given, "llama-125m", "text");
  ASSERT_TRUE(request.ok()) << request.error().message;
  const RunSpec& spec = request->spec;
  EXPECT_EQ(spec.lora_rank, 8);
  EXPECT_EQ(spec.lora_alpha, 32);
  EXPECT_THAT(spec.lora_layers, ElementsAre("q_proj", "v_proj", "down_proj"));
  EXPECT_EQ(*run_spec_from_json(*parse_json(json_text(to_json(spec)))), spec);

  const auto gpt2 = [](const RunSettings& settings) { return complaint(settings, "gpt2", "text"); };
  EXPECT_EQ(gpt2({{"lora", "8"}}), "--lora adapts a trained model; add --weights FILE");
  EXPECT_EQ(complaint({{"lora", "8"}}, "gpt2", "synthetic"), "accepted");
  EXPECT_EQ(gpt2({{"lora", "0"}}), "accepted");
  EXPECT_EQ(gpt2({{"lora", "-1"}}), "--lora must be at least 0, not -1");
  EXPECT_EQ(gpt2({{"lora-alpha", "8"}}),
            "--lora-alpha and --lora-layers need --lora RANK, such as --lora 8");
  EXPECT_THAT(gpt2({{"lora", "8"}, {"lora-alpha", "0"}}),
              HasSubstr("--lora-alpha must be above 0"));
  EXPECT_THAT(gpt2({{"lora", "8"}, {"lora-layers", ",c_attn"}}), HasSubstr("empty name"));
  EXPECT_THAT(gpt2({{"lora", "8"}, {"weights", "/m"}, {"freeze", "transformer.h.0"}}),
              HasSubstr("leave out --freeze"));
  EXPECT_EQ(complaint({{"lora", "8"}}),
            "--lora is for language models such as gpt2, not for resnet18");
}

TEST(FineTuningOptions, MilestonesChooseTheirSchedule) {
  EXPECT_EQ(tuned({{"milestones", "5"}})->spec.schedule.kind, ScheduleKind::milestones);
  EXPECT_THAT(complaint({{"milestones", "5"}, {"schedule", "constant"}}),
              HasSubstr("--milestones is for --schedule milestones, not for constant"));
  EXPECT_THAT(complaint({{"schedule", "milestones"}}), HasSubstr("needs --milestones"));
  EXPECT_THAT(complaint({{"milestones", "80,60"}}), HasSubstr("increasing epochs"));
  EXPECT_THAT(complaint({{"milestones", "0,60"}}), HasSubstr("from 1"));
  EXPECT_THAT(complaint({{"milestones", "60,,80"}}), HasSubstr("not a valid whole number"));
}

TEST(FineTuningOptions, WarmUpIsGivenInStepsOrEpochs) {
  EXPECT_EQ(tuned({{"warmup-steps", "7"}})->spec.schedule.warmup_steps, 7);
  EXPECT_EQ(complaint({{"warmup-steps", "7"}, {"warmup-epochs", "1"}}),
            "give --warmup-epochs or --warmup-steps, not both");
  EXPECT_EQ(complaint({{"warmup-steps", "7"}, {"steps", "5"}}),
            "--warmup-steps must be at most --steps (5), not 7");
}

TEST(FineTuningOptions, AccumulatedSamplesAreAMultipleOfTheSamplesOfAStep) {
  const auto request = tuned({{"accumulate-samples", "256"}, {"batch", "32"}, {"nproc", "2"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->spec.accumulate, 4);
  EXPECT_EQ(complaint({{"accumulate-samples", "200"}, {"batch", "32"}, {"nproc", "2"}}),
            "--accumulate-samples must be a multiple of the 64 samples of a step (--batch 32, "
            "processes: 2), such as 192 or 256, not 200");
  EXPECT_THAT(complaint({{"accumulate-samples", "20"}, {"batch", "32"}}), HasSubstr("as 32, not"));
  EXPECT_THAT(complaint({{"accumulate-samples", "64"}, {"batch", "0"}}), HasSubstr("--batch"));
  EXPECT_THAT(complaint({{"accumulate-samples", "64"}, {"accumulate", "1"}}),
              HasSubstr("not both"));
}

TEST(FineTuningOptions, AccumulationFollowsTheNumberOfRanks) {
  RunSpec spec = tuned({{"accumulate-samples", "256"}, {"batch", "32"}})->spec;
  EXPECT_EQ(spec.accumulate, 8);
  spec.dist.ranks_per_node = 4;
  ASSERT_TRUE(settle_accumulation(spec).ok());
  EXPECT_EQ(spec.accumulate, 2);
}

TEST(FineTuningOptions, PixelsAreScaledPerChannel) {
  EXPECT_THAT(complaint({{"mean", "0.1,0.2"}}), HasSubstr("one value per channel"));
  EXPECT_THAT(complaint({{"mean", "124,117,104"}}), HasSubstr("from 0 (black) to 1"));
  EXPECT_THAT(complaint({{"std", "0.2,0,0.2"}}), HasSubstr("above 0"));
  EXPECT_THAT(complaint({{"std", "nan"}}), HasSubstr("--std"));
  EXPECT_THAT(complaint({{"mean", "0.5"}}, "lstm", "sst2"), HasSubstr("not for text"));
  EXPECT_THAT(complaint({{"flip", "on"}}, "resnet18", "synthetic"), HasSubstr("synthetic data"));
}

TEST(FineTuningOptions, OnlyImagesOfADatasetAreAugmented) {
  EXPECT_EQ(complaint({{"erase", "0.1"}}, "lstm", "sst2"),
            "--trivial-augment and --erase are for images of a dataset, not for text");
  EXPECT_THAT(complaint({{"trivial-augment", "true"}}, "resnet18", "synthetic"),
              HasSubstr("not for synthetic data"));
  EXPECT_EQ(complaint({{"erase", "0"}}, "lstm", "sst2"), "accepted");
  EXPECT_EQ(complaint({{"erase", "1.5"}}), "--erase must be at most 1, not 1.5");
}

TEST(FineTuningOptions, OnlyResNetsHaveAStemToChoose) {
  EXPECT_EQ(complaint({{"stem", "cifar"}}, "lenet5"), "--stem is for ResNets, not for lenet5");
}

TEST(FineTuningOptions, TheBestCheckpointNeedsCheckpoints) {
  EXPECT_THAT(complaint({{"keep", "best"}, {"no-checkpoints", "true"}}),
              HasSubstr("leave out --no-checkpoints"));
}

TEST(ModelCatalog, KnowsTheHeadByWholeNames) {
  const ModelInfo& bert = **find_model("distilbert");
  EXPECT_TRUE(is_in_head(bert, "classifier.weight"));
  EXPECT_TRUE(is_in_head(bert, "pre_classifier.bias"));
  EXPECT_FALSE(is_in_head(bert, "distilbert.embeddings.LayerNorm.weight"));
  EXPECT_FALSE(is_in_head(**find_model("lenet5"), "fc31.weight"));
}

}  // namespace
}  // namespace tacho
