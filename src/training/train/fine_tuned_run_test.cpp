// Whole runs with the options of fine-tuning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/train/input/batch_source.h"
#include "training/train/safetensors.h"
#include "training/train/serving/trained_model.h"
#include "training/train/training_session.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(FineTunedRun, ResumesWithFrozenParametersAndTwoRates) {
  RunSpec spec = small_spec();
  spec.freeze = {"conv1"};
  spec.head_learning_rate = 0.1;
  spec.schedule = {.kind = ScheduleKind::milestones,
                   .step_factor = 0.5,
                   .warmup_steps = 3,
                   .milestones = {1, 2}};
  expect_resume_equals_uninterrupted(spec);
}

TEST(FineTunedRun, ResumesALinearSchedule) {
  RunSpec spec = small_spec();
  spec.schedule = {.kind = ScheduleKind::linear, .warmup_steps = 10};
  expect_resume_equals_uninterrupted(spec);
}

TEST(FineTunedRun, ResumesTheAverageOfTheWeights) {
  RunSpec spec = small_spec();
  spec.ema_decay = 0.8;
  spec.accumulate = 2;
  expect_resume_equals_uninterrupted(spec);
}

TEST(FineTunedRun, ResumesTheAverageOfBatchNorms) {
  RunSpec spec = small_spec();
  spec.model = "resnet18";
  spec.batch = 4;
  spec.train_samples = 12;
  spec.eval_samples = 10;
  spec.ema_decay = 0.5;
  spec.keep = CheckpointKind::best;
  expect_resume_equals_uninterrupted(spec);
}

TensorFile checkpoint_of(const Session& session, std::int64_t epoch) {
  return *read_safetensors(session.folder.checkpoints() / checkpoint_name(epoch));
}

TEST(FineTunedRun, LeavesFrozenWeightsAsTheyWere) {
  RunSpec spec = small_spec();
  spec.epochs = 1;
  Session before(spec);
  ASSERT_TRUE(before.run().ok());
  spec.epochs = 2;
  spec.weights = (before.folder.checkpoints() / checkpoint_name(1)).string();
  spec.freeze = {"conv", "fc1"};
  Session session(spec);
  const auto end = session.run();
  ASSERT_TRUE(end.ok()) << end.error().message;
  const TensorFile given = checkpoint_of(before, 1);
  const TensorFile trained = checkpoint_of(session, 2);
  EXPECT_TRUE(at::equal(*trained.find("model.conv1.weight"), *given.find("model.conv1.weight")));
  EXPECT_TRUE(at::equal(*trained.find("model.fc1.bias"), *given.find("model.fc1.bias")));
  EXPECT_FALSE(at::equal(*trained.find("model.fc2.weight"), *given.find("model.fc2.weight")));
  EXPECT_EQ(trained.find("optimizer.conv1.weight.first"), nullptr);
  EXPECT_NE(trained.find("optimizer.fc2.weight.first"), nullptr);
}

TEST(FineTunedRun, RefusesToFreezeWhatTheModelDoesNotHave) {
  RunSpec spec = small_spec();
  spec.freeze = {"layer4"};
  const auto end = Session(spec).run();
  ASSERT_FALSE(end.ok());
  EXPECT_THAT(end.error().message, HasSubstr("begins with 'layer4'; the model has conv1.weight"));
}

TEST(FineTunedRun, EndsWhenPatienceDoes) {
  RunSpec spec = small_spec();
  spec.optimizer = {.learning_rate = 1e-9};  // never gets better
  spec.epochs = 9;
  spec.patience = 2;
  Session session(spec);
  const auto end = session.run();
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end->outcome, Outcome::ok);
  EXPECT_EQ(end->reason, "stopped after 2 epochs without a better top1; the best was epoch 1");
  EXPECT_EQ(session.record().epochs.size(), 3U);
  ASSERT_EQ(session.run()->reason, end->reason);  // a run killed before it could say so
  EXPECT_EQ(session.record().epochs.size(), 3U);
}

// Three epochs, of which the first is the best.
RunSpec best_at_first() {
  RunSpec spec = small_spec();
  spec.optimizer = {.learning_rate = 1e-7};
  spec.keep = CheckpointKind::best;
  return spec;
}

std::string digest_of(const Session& session, CheckpointKind kind) {
  EXPECT_TRUE(session.folder.create(session.order).ok());
  const auto model =
      TrainedModel::load(session.folder, session.scratch.path(), {.checkpoint = kind});
  return model.ok() ? (*model)->digest() : model.error().message;
}

TEST(FineTunedRun, KeepsTheBestCheckpointBesidesTheLast) {
  Session session(best_at_first());
  ASSERT_TRUE(session.run().ok());
  ASSERT_EQ(checkpoint_files(session.folder).size(), 2U);
  EXPECT_EQ(best_checkpoint(session.folder)->filename(), checkpoint_name(1));
  EXPECT_EQ(newest_checkpoint_epoch(session.folder), 3);
  RunSpec shorter = best_at_first();
  shorter.epochs = 1;
  Session first(shorter);
  ASSERT_TRUE(first.run().ok());
  EXPECT_EQ(digest_of(session, CheckpointKind::best), digest_of(first, CheckpointKind::last));
  EXPECT_NE(digest_of(session, CheckpointKind::last), digest_of(first, CheckpointKind::last));
}

TEST(FineTunedRun, ResumesFromTheBestCheckpoint) {
  Session session(best_at_first());
  ASSERT_TRUE(session.run().ok());
  const RunRecord whole = session.record();
  ASSERT_TRUE(return_to_best_checkpoint(session.folder).ok());
  ASSERT_TRUE(session.run().ok());
  EXPECT_EQ(session.record().steps.loss, whole.steps.loss);
  EXPECT_EQ(session.record().epochs.size(), 3U);
}

TEST(FineTunedRun, ServesNoBestCheckpointThatWasNotKept) {
  RunSpec spec = best_at_first();
  spec.keep = CheckpointKind::last;
  Session session(spec);
  ASSERT_TRUE(session.run().ok());
  EXPECT_EQ(checkpoint_files(session.folder).size(), 1U);
  EXPECT_THAT(digest_of(session, CheckpointKind::best), HasSubstr("--keep best"));
}

TEST(FineTunedRun, SavesTheAverageAsTheModel) {
  RunSpec spec = small_spec();
  spec.epochs = 1;
  Session plain(spec);
  ASSERT_TRUE(plain.run().ok());
  spec.ema_decay = 0.9;
  Session averaged(spec);
  ASSERT_TRUE(averaged.run().ok());
  const TensorFile file = checkpoint_of(averaged, 1);
  const at::Tensor last = *checkpoint_of(plain, 1).find("model.fc2.weight");
  EXPECT_TRUE(at::equal(*file.find("training.fc2.weight"), last));
  EXPECT_FALSE(at::equal(*file.find("model.fc2.weight"), last));
  EXPECT_NE(averaged.record().epochs[0].eval_loss, plain.record().epochs[0].eval_loss);
}

// The first training batch of Fashion-MNIST.
at::Tensor first_images(const RunSpec& spec, const RunFolder& run) {
  const auto input = open_input(spec, run.path(), run);
  if (!input.ok()) ADD_FAILURE() << input.error().message;
  if (!input.ok()) return {};
  Batch batch;
  input->train->begin_epoch(1);
  EXPECT_TRUE(*input->train->next(batch));
  return batch.inputs.clone();
}

TEST(FineTunedInput, CropsAndFlipsAreChosenSeparately) {
  const ScratchFolder scratch;
  const RunFolder run{scratch.path()};
  RunSpec spec = small_spec();
  const at::Tensor plain = first_images(spec, run);
  spec.flip = Switch::on;
  const at::Tensor flipped = first_images(spec, run);
  std::int64_t mirrored = 0;
  for (std::int64_t i = 0; i < plain.size(0); ++i) {
    const bool same = at::equal(flipped[i], plain[i]);
    mirrored += same ? 0 : 1;
    EXPECT_TRUE(same || at::equal(flipped[i], plain[i].flip({2}))) << i;
  }
  EXPECT_GT(mirrored, 5);
  EXPECT_LT(mirrored, plain.size(0));
  spec.flip = Switch::off;
  spec.augment = Switch::on;
  const at::Tensor cropped = first_images(spec, run);
  spec.augment = Switch::automatic;
  spec.crop = Switch::on;
  EXPECT_TRUE(at::equal(first_images(spec, run), cropped));
  EXPECT_FALSE(at::equal(cropped, plain));
}

TEST(FineTunedInput, PixelsAreScaledAsAskedAndServedLikeThat) {
  const ScratchFolder scratch;
  const RunFolder run{scratch.path()};
  RunSpec spec = small_spec();
  spec.pixel_mean = {0};
  spec.pixel_std = {1};
  const at::Tensor raw = first_images(spec, run);
  spec.pixel_mean = {0.5};
  spec.pixel_std = {0.25};
  EXPECT_TRUE(at::allclose(first_images(spec, run), (raw - 0.5) / 0.25, 1e-5, 1e-6));
  const auto facts = read_input_facts(run);
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(facts->normalisation.mean[0], 0.5F);
  EXPECT_EQ(facts->normalisation.deviation[0], 0.25F);
  spec.pixel_mean = {0.5, 0.5, 0.5};
  EXPECT_EQ(open_input(spec, run.path(), run).error().message,
            "--mean has 3 values, but the images have 1 channels; give one value per channel");
}

}  // namespace
}  // namespace tacho
