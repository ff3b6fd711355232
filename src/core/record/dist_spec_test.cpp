#include "core/record/dist_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/record/run_spec.h"

namespace tacho {
namespace {

using testing::HasSubstr;

RunSpec sound_spec() {
  RunSpec spec;
  spec.model = "lenet5";
  spec.data = "fashion-mnist";
  return spec;
}

TEST(DistSpec, SurvivesTheRoundTripThroughJson) {
  RunSpec spec = sound_spec();
  spec.dist = {.ranks_per_node = 4,
               .nodes = 2,
               .backend = DistBackend::gloo,
               .bucket_mb = 0.5,
               .overlap = false,
               .compress = Compression::topk,
               .topk_share = 0.05,
               .replicate_data = true,
               .lr_scale = RateScaling::sqrt,
               .timeout_s = 60};
  const auto back = run_spec_from_json(*parse_json(json_text(to_json(spec))));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, spec);
  EXPECT_EQ(back->dist.ranks(), 8);
}

TEST(DistSpec, IsOneRankInSpecsOfEarlierVersions) {
  Json json = to_json(sound_spec());
  ASSERT_EQ(json.erase("dist"), 1U);
  const auto back = run_spec_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->dist, DistSpec{});
}

TEST(DistSpec, RefusesUnknownKeysAndWords) {
  Json json = to_json(sound_spec());
  json["dist"]["bucket"] = 25;
  EXPECT_THAT(run_spec_from_json(json).error().message,
              HasSubstr("spec: dist: unknown key 'bucket'"));
  json = to_json(sound_spec());
  json["dist"]["backend"] = "glo";
  EXPECT_THAT(run_spec_from_json(json).error().message, HasSubstr("did you mean 'gloo'"));
}

struct BadDist {
  const char* name;
  std::function<void(RunSpec&)> spoil;
  const char* says;
};

class DistSpecCheck : public testing::TestWithParam<BadDist> {};

TEST_P(DistSpecCheck, RefusesWhatMakesNoSense) {
  RunSpec spec = sound_spec();
  GetParam().spoil(spec);
  const auto checked = check(spec);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::usage);
  EXPECT_THAT(checked.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, DistSpecCheck,
    testing::Values(BadDist{"ranks", [](RunSpec& s) { s.dist.ranks_per_node = 0; },
                            "--nproc must be at least 1, not 0"},
                    BadDist{"nodes", [](RunSpec& s) { s.dist.nodes = -2; }, "--nnodes"},
                    BadDist{"bucket", [](RunSpec& s) { s.dist.bucket_mb = 0; },
                            "--bucket-mb must be above 0, not 0"},
                    BadDist{"share", [](RunSpec& s) { s.dist.topk_share = 1.5; }, "--topk"},
                    BadDist{"nan", [](RunSpec& s) { s.dist.topk_share = std::nan(""); }, "--topk"},
                    BadDist{"timeout", [](RunSpec& s) { s.dist.timeout_s = 0; }, "--timeout"},
                    BadDist{"shm",
                            [](RunSpec& s) {
                              s.dist.backend = DistBackend::shm;
                              s.dist.nodes = 2;
                            },
                            "--backend auto"},
                    BadDist{"compress",
                            [](RunSpec& s) {
                              s.dist.backend = DistBackend::shm;
                              s.dist.compress = Compression::bf16;
                            },
                            "--backend shm has none"},
                    BadDist{"nccl", [](RunSpec& s) { s.dist.backend = DistBackend::nccl; },
                            "--backend nccl needs --device cuda"},
                    BadDist{"gloo_on_gpus",
                            [](RunSpec& s) {
                              s.device = Device::cuda;
                              s.dist.backend = DistBackend::gloo;
                            },
                            "--backend gloo is for CPUs"}),
    [](const auto& bad) { return bad.param.name; });

}  // namespace
}  // namespace tacho
