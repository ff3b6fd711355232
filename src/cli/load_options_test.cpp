#include "cli/load_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

LoadOptions options() {
  LoadOptions o;
  o.url = "http://127.0.0.1:8500";
  return o;
}

std::string refusal(const LoadOptions& o) {
  const auto job = job_of(o);
  if (job.ok()) return "";
  EXPECT_EQ(job.error().code, ErrorCode::usage) << job.error().message;
  return job.error().message;
}

TEST(LoadOptions, AloneAreAClosedLoopOfGets) {
  const auto job = job_of(options());
  ASSERT_TRUE(job.ok()) << job.error().message;
  EXPECT_FALSE(job->plan.arrivals);
  EXPECT_EQ(job->plan.connections, 16);
  EXPECT_EQ(job->plan.duration, 10s);
  EXPECT_THAT(job->plan.requests.front(), testing::StartsWith("GET / HTTP/1.1\r\n"));
  EXPECT_EQ(job->words, "closed loop, 16 connections");
}

TEST(LoadOptions, TextsAreSentToPredictAndATokenIsNotRecorded) {
  const ScratchFolder folder;
  LoadOptions o = options();
  o.texts = folder.path() / "texts";
  ASSERT_TRUE(write_file_atomically(o.texts, "good\nbad\n").ok());
  o.token = "0123456789abcdef";
  o.rate = 50;
  o.poisson = true;
  const auto job = job_of(o);
  ASSERT_TRUE(job.ok()) << job.error().message;
  EXPECT_EQ(job->plan.requests.size(), 2U);
  EXPECT_THAT(job->plan.requests.front(), HasSubstr("POST /predict HTTP/1.1\r\n"));
  EXPECT_THAT(job->plan.requests.front(), HasSubstr("Bearer 0123456789abcdef"));
  EXPECT_THAT(job->argv, Not(Contains(HasSubstr("0123456789abcdef"))));
  EXPECT_THAT(job->argv, Contains("--poisson"));
  EXPECT_EQ(job->words, "open loop, 50 requests/s, Poisson arrivals, 64 connections");
  EXPECT_DOUBLE_EQ(job->plan.arrivals->requests(), 500);
  o.url += "/";  // as 'tacho infer' prints it
  EXPECT_THAT(job_of(o)->plan.requests.front(), HasSubstr("POST /predict HTTP/1.1\r\n"));
}

TEST(LoadOptions, ARampAndAReplayLastAsLongAsTheySay) {
  LoadOptions o = options();
  o.ramp = "10..90";
  o.duration = "4s";
  const auto ramp = job_of(o);
  ASSERT_TRUE(ramp.ok()) << ramp.error().message;
  EXPECT_DOUBLE_EQ(ramp->plan.arrivals->requests(), 200);
  const ScratchFolder folder;
  o = options();
  o.replay = folder.path() / "hour";
  ASSERT_TRUE(write_file_atomically(o.replay, "0,5\n30,0\n").ok());
  const auto replay = job_of(o);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_NEAR(Seconds(replay->plan.duration).count(), 30, 0.01);
}

TEST(LoadOptions, ContradictionsAreRefusedInOneSentence) {
  const auto with = [](auto change) {
    LoadOptions o = options();
    change(o);
    return refusal(o);
  };
  EXPECT_THAT(with([](auto& o) { o.url = "x"; }), HasSubstr("begins with http://"));
  EXPECT_THAT(with([](auto& o) { o.rate = 0; }), HasSubstr("--rate"));
  EXPECT_THAT(with([](auto& o) { o.rate = 5, o.ramp = "1..2"; }), HasSubstr("choose one"));
  EXPECT_THAT(with([](auto& o) { o.texts = "a", o.body = "b"; }), HasSubstr("choose one"));
  EXPECT_THAT(with([](auto& o) { o.ramp = "5-6"; }), HasSubstr("FROM..TO"));
  EXPECT_THAT(with([](auto& o) { o.ramp = "0..0"; }), HasSubstr("FROM..TO"));
  EXPECT_THAT(with([](auto& o) { o.slo = "p99", o.rate = 5; }), HasSubstr("--slo: "));
  EXPECT_THAT(with([](auto& o) { o.slo = "p99=1s", o.ramp = "1..2"; }), HasSubstr("--slo finds"));
  EXPECT_THAT(with([](auto& o) { o.poisson = true; }), HasSubstr("--poisson"));
  EXPECT_THAT(with([](auto& o) { o.duration = "10"; }), HasSubstr("--duration"));
  EXPECT_THAT(with([](auto& o) { o.timeout = "0s"; }), HasSubstr("--timeout"));
  EXPECT_THAT(with([](auto& o) { o.connections = 0; }), HasSubstr("--connections"));
  EXPECT_THAT(with([](auto& o) { o.threads = 0; }), HasSubstr("--threads"));
  EXPECT_THAT(with([](auto& o) { o.zipf = 1; }), HasSubstr("--zipf"));
  EXPECT_THAT(with([](auto& o) { o.token = "a\r\nb"; }), HasSubstr("--token"));
  EXPECT_THAT(with([](auto& o) { o.price = -1; }), HasSubstr("--price-per-hour"));
  EXPECT_THAT(with([](auto& o) { o.region = "x"; }), HasSubstr("--region"));
}

}  // namespace
}  // namespace tacho
