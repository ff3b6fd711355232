#include "core/record/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A valid training with further settings.
Result<TrainRequest> with(const RunSettings& settings) {
  RunSettings all = {{"model", "mnist-cnn"}, {"data", "synthetic"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return train_request(all);
}

std::string complaint_about(const std::string& name, const std::string& value) {
  const auto request = with({{name, value}});
  if (request.ok()) return "accepted";
  EXPECT_EQ(request.error().code, ErrorCode::usage);
  return request.error().message;
}

TEST(RunOptions, AreNamedOnceAndDescribed) {
  std::set<std::string_view> names;
  std::set<std::string_view> fields;
  for (const RunOption& option : run_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_TRUE(option.json.empty() || fields.insert(option.json).second) << option.json;
  }
}

TEST(RunOptions, AcceptTheirOwnDefaults) {
  for (const RunOption& option : run_options()) {
    const std::string text = option.default_text();
    TrainRequest request;
    if (text.empty() || option.name == "topk") continue;
    EXPECT_TRUE(option.set(request, text).ok()) << option.name << " " << text;
    EXPECT_EQ(request.spec, RunSpec{}) << option.name;
  }
}

TEST(RunOptions, SetTheFieldsOfARequest) {
  const auto request = with({{"batch", "32"},
                             {"lr", "0.2"},
                             {"input", "3x32x32"},
                             {"stock", "true"},
                             {"no-dropout", "true"},
                             {"schedule", "one-cycle"},
                             {"steps", "7"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  const RunSpec& spec = request->spec;
  EXPECT_EQ(spec.batch, 32);
  EXPECT_EQ(spec.optimizer.learning_rate, 0.2);
  EXPECT_EQ(spec.input, (InputSize{3, 32, 32}));
  EXPECT_TRUE(spec.stock);
  EXPECT_FALSE(spec.dropout);
  EXPECT_EQ(spec.schedule.kind, ScheduleKind::one_cycle);
  EXPECT_EQ(spec.steps, 7);
}

TEST(RunOptions, TheLastValueCounts) {
  const auto request =
      with({{"batch", "32"}, {"no-dropout", "true"}, {"batch", "64"}, {"no-dropout", "false"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->spec.batch, 64);
  EXPECT_TRUE(request->spec.dropout);
}

TEST(RunOptions, TheOptimizerIsThatOfTheModelWhateverTheOrder) {
  const RunSettings settings = {
      {"lr", "0.5"}, {"model", "lenet5"}, {"data", "synthetic"}, {"optimizer", "adamw"}};
  const auto request = train_request(settings);
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->spec.optimizer.kind, OptimizerKind::adamw);
  EXPECT_EQ(request->spec.optimizer.learning_rate, 0.5);
  EXPECT_EQ(request->spec.optimizer.momentum, 0);
}

TEST(RunOptions, NameWhatIsWrong) {
  EXPECT_THAT(complaint_about("batch", "many"), HasSubstr("--batch: 'many' is not a valid whole"));
  EXPECT_EQ(complaint_about("batch", "-3"), "--batch must be at least 1, not -3");
  EXPECT_EQ(complaint_about("topk", "0.1"), "--topk needs --compress topk");
  EXPECT_THAT(complaint_about("compress", "bf17"), HasSubstr("did you mean 'bf16'"));
  EXPECT_THAT(complaint_about("bacth", "3"), HasSubstr("did you mean 'batch'"));
  EXPECT_THAT(complaint_about("stock", "maybe"), HasSubstr("write true or false"));
  EXPECT_THAT(train_request({}).error().message, HasSubstr("no model named"));
  EXPECT_THAT(train_request({{"model", "mnist-cn"}}).error().message, HasSubstr("mnist-cnn"));
  EXPECT_THAT(train_request({{"model", "mlp"}}).error().message, HasSubstr("--data"));
}

TEST(RunOptions, DescribeAJobOfSeveralProcesses) {
  const auto request = with({{"nproc", "4"},
                             {"nnodes", "2"},
                             {"backend", "gloo"},
                             {"bucket-mb", "1"},
                             {"no-overlap", "true"},
                             {"compress", "topk"},
                             {"topk", "0.1"},
                             {"replicate-data", "true"},
                             {"lr-scale", "linear"},
                             {"timeout", "3"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->spec.dist, (DistSpec{.ranks_per_node = 4,
                                          .nodes = 2,
                                          .backend = DistBackend::gloo,
                                          .bucket_mb = 1,
                                          .overlap = false,
                                          .compress = Compression::topk,
                                          .topk_share = 0.1,
                                          .replicate_data = true,
                                          .lr_scale = RateScaling::linear,
                                          .timeout_s = 3}));
}

TEST(EnvironmentOptions, AreBareByDefault) {
  EXPECT_EQ(with({})->environment, EnvironmentSpec{});
  EXPECT_EQ(with({})->time_limit_s, std::nullopt);
}

TEST(EnvironmentOptions, TakeAllLimits) {
  const auto request = with({{"env-cpus", "1.5"},
                             {"env", "podman:localhost/tacho:1"},
                             {"env-cpuset", "0-1"},
                             {"env-memory", "512M"},
                             {"env-gpus", "all"},
                             {"env-shm", "64M"},
                             {"env-network", "none"},
                             {"env-bind", "/a"},
                             {"env-bind", "/b:/c:ro"},
                             {"env-bind", "/d:ro"},
                             {"env-var", "K=a = b"},
                             {"env-var", "EMPTY="},
                             {"time-limit", "90s"}});
  ASSERT_TRUE(request.ok()) << request.error().message;
  const EnvironmentSpec& spec = request->environment;
  EXPECT_EQ(environment_name(spec), "podman:localhost/tacho:1");
  EXPECT_EQ(spec.cpus, 1.5);
  EXPECT_EQ(spec.cpuset, "0-1");
  EXPECT_EQ(spec.memory_bytes, 512 << 20);
  EXPECT_EQ(spec.gpus, "all");
  EXPECT_EQ(spec.shared_memory_bytes, 64 << 20);
  EXPECT_EQ(spec.network, NetworkAccess::none);
  EXPECT_THAT(spec.binds,
              ElementsAre(Bind{"/a", "/a", false}, Bind{"/b", "/c", true}, Bind{"/d", "/d", true}));
  EXPECT_EQ(spec.variables, (std::map<std::string, std::string>{{"K", "a = b"}, {"EMPTY", ""}}));
  EXPECT_EQ(request->time_limit_s, 90);
}

TEST(EnvironmentOptions, MakeThePathOfAnImageAbsolute) {
  const ScratchFolder scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directory(scratch.path() / "image");
  std::filesystem::current_path(scratch.path());
  const auto folder = with({{"env", "charliecloud:image"}});
  const auto name = with({{"env", "charliecloud:debian:12"}});
  const auto weights = with({{"weights", "a.safetensors"}});
  std::filesystem::current_path(before);
  EXPECT_EQ(folder->environment.image, (scratch.path() / "image").string());
  EXPECT_EQ(name->environment.image, "debian:12");
  EXPECT_EQ(weights->spec.weights, (scratch.path() / "a.safetensors").string());
}

TEST(EnvironmentOptions, AreRefusedWithTheReason) {
  EXPECT_THAT(complaint_about("env", "podmann:x"), HasSubstr("podman"));
  EXPECT_THAT(complaint_about("env-memory", "lots"), HasSubstr("--env-memory"));
  EXPECT_THAT(complaint_about("env-bind", "/a:b"), HasSubstr("--env-bind: '/a:b' is not a valid"));
  EXPECT_THAT(complaint_about("env-bind", ":/b"), HasSubstr("write SOURCE"));
  EXPECT_THAT(complaint_about("env-var", "K"), HasSubstr("write NAME=VALUE"));
  EXPECT_THAT(complaint_about("env-var", "=v"), HasSubstr("--env-var takes NAME=VALUE"));
  EXPECT_THAT(complaint_about("env-network", "some"), HasSubstr("--env-network"));
  EXPECT_THAT(complaint_about("time-limit", "soon"),
              HasSubstr("--time-limit: 'soon' is not a valid duration"));
  EXPECT_THAT(complaint_about("time-limit", "0s"), HasSubstr("above 0"));
}

}  // namespace
}  // namespace tacho
