#include "machine/launch/kubernetes_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using ::testing::HasSubstr;

const std::map<std::string, std::string> kLeast{
    {"image", "tacho:1"}, {"claim", "runs"}, {"mount", "/shared"}};

std::map<std::string, std::string> with(std::map<std::string, std::string> more) {
  more.insert(kLeast.begin(), kLeast.end());
  return more;
}

TEST(KubernetesOptions, ReportMissingAndUnknownOptions) {
  EXPECT_TRUE(kubernetes_options(kLeast).ok());
  const auto problem = [](const std::map<std::string, std::string>& options) {
    return kubernetes_options(options).error().message;
  };
  EXPECT_THAT(problem({}), HasSubstr("option image is missing"));
  EXPECT_THAT(problem({{"image", "a"}}), HasSubstr("claim and host-path"));
  EXPECT_THAT(problem(with({{"host-path", "/a"}})), HasSubstr("one of the options"));
  EXPECT_THAT(problem({{"image", "a"}, {"claim", "b"}}),
              HasSubstr("mount must be an absolute path"));
  EXPECT_THAT(problem(with({{"imgae", "a"}})), HasSubstr("did you mean 'image'"));
  EXPECT_THAT(problem(with({{"user", "0"}})), HasSubstr("never run as root"));
  EXPECT_THAT(problem(with({{"node-selector", "ssd"}})), HasSubstr("LABEL:VALUE"));
  EXPECT_THAT(problem(with({{"completion-mode", "all"}})), HasSubstr("Indexed or NonIndexed"));
  EXPECT_THAT(problem(with({{"pull-policy", "sometimes"}})), HasSubstr("pull-policy must be"));
  EXPECT_THAT(problem({{"image", "a"}, {"claim", "b"}, {"mount", "/tmp/x"}}),
              HasSubstr("reserved"));
}

TEST(Manifest, IsAnIndexedJobOfPodsWithFewPermissions) {
  const auto options = kubernetes_options(
      with({{"user", "1234"}, {"namespace", "lab"}, {"node-selector", "disk:ssd,zone:a"}}));
  ASSERT_TRUE(options.ok());
  const Json job = job_manifest({.options = *options,
                                 .name = "tacho-b1",
                                 .folder = "/shared/sweeps/1/b1",
                                 .tasks = 20,
                                 .needs = {.cores = 1.5, .memory_bytes = 2 << 20, .gpus = 1},
                                 .at_once = 4});
  EXPECT_EQ(job["metadata"]["namespace"], "lab");
  EXPECT_EQ(job["spec"]["completionMode"], "Indexed");
  EXPECT_EQ(job["spec"]["completions"], 20);
  EXPECT_EQ(job["spec"]["parallelism"], 4);
  const Json& pod = job["spec"]["template"]["spec"];
  EXPECT_EQ(pod["restartPolicy"], "Never");
  EXPECT_EQ(pod["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(pod["securityContext"]["runAsUser"], 1234);
  EXPECT_EQ(pod["nodeSelector"]["zone"], "a");
  const Json& container = pod["containers"][0];
  EXPECT_EQ(container["command"],
            Json({"/usr/local/bin/tacho", "take-task", "/shared/sweeps/1/b1"}));
  EXPECT_EQ(container["securityContext"]["readOnlyRootFilesystem"], true);
  EXPECT_EQ(container["resources"]["limits"]["cpu"], "1500m");
  EXPECT_EQ(container["resources"]["limits"]["memory"], "2097152");
  EXPECT_EQ(container["resources"]["limits"]["nvidia.com/gpu"], "1");
  EXPECT_EQ(container["resources"]["requests"], container["resources"]["limits"]);
  EXPECT_EQ(pod["volumes"][0]["persistentVolumeClaim"]["claimName"], "runs");
  EXPECT_EQ(container["volumeMounts"][0]["mountPath"], "/shared");
}

TEST(Manifest, PodsOfAJobThatIsNotIndexedTakeAnyTask) {
  const auto options =
      kubernetes_options(with({{"completion-mode", "NonIndexed"}, {"queue", "lab"}}));
  ASSERT_TRUE(options.ok());
  const Json job =
      job_manifest({.options = *options, .name = "n", .folder = "/shared/b", .tasks = 3});
  EXPECT_FALSE(job["spec"].contains("completionMode"));
  EXPECT_EQ(job["spec"]["completions"], 3);
  EXPECT_EQ(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "lab");
  EXPECT_EQ(job["spec"]["template"]["spec"]["containers"][0]["command"],
            Json({"/usr/local/bin/tacho", "take-task", "/shared/b", "--any"}));
}

TEST(Manifest, AFolderOfEveryNodeMayBeTheVolume) {
  const auto options =
      kubernetes_options({{"image", "a"}, {"host-path", "/srv/tacho"}, {"mount", "/shared"}});
  ASSERT_TRUE(options.ok());
  const Json job =
      job_manifest({.options = *options, .name = "n", .folder = "/shared/b", .tasks = 1});
  const Json& volume = job["spec"]["template"]["spec"]["volumes"][0];
  EXPECT_EQ(volume["hostPath"]["path"], "/srv/tacho");
  EXPECT_EQ(job["spec"]["parallelism"], 1);
}

}  // namespace
}  // namespace tacho
