#include "tracing/inject/cupti_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::size_t place_of(const std::vector<std::string>& list, const std::string& item) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), item) - list.begin());
}

TEST(CuptiCandidates, NextToTheProgramsCudaComeFirst) {
  const auto candidates =
      cupti_candidates({"/lib/libc.so.6", "/opt/cuda-x/lib64/libcudart.so.12"}, "/some/where", 12);
  EXPECT_EQ(candidates.front(), "/opt/cuda-x/lib64/libcupti.so.12");
  EXPECT_THAT(candidates, Contains("/opt/cuda-x/lib64/../extras/CUPTI/lib64/libcupti.so.12"));
  EXPECT_LT(place_of(candidates, "/opt/cuda-x/lib64/libcupti.so.12"),
            place_of(candidates, "/some/where/libcupti.so.12"));
}

TEST(CuptiCandidates, IncludePipPackages) {
  const auto cuda12 =
      cupti_candidates({"/v/site-packages/nvidia/cublas/lib/libcublas.so.12"}, "", 12);
  EXPECT_THAT(cuda12, Contains("/v/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"));
  const auto cuda13 =
      cupti_candidates({"/v/site-packages/nvidia/cu13/lib/libcudart.so.13"}, "", 13);
  EXPECT_EQ(cuda13.front(), "/v/site-packages/nvidia/cu13/lib/libcupti.so.13");
}

TEST(CuptiCandidates, PreferTheDriversMajorVersion) {
  const auto for12 = cupti_candidates({}, "/a:/b", 12);
  EXPECT_LT(place_of(for12, "/b/libcupti.so.12"), place_of(for12, "/a/libcupti.so.13"));
  const auto for13 = cupti_candidates({}, "/a:/b", 13);
  EXPECT_LT(place_of(for13, "/b/libcupti.so.13"), place_of(for13, "/a/libcupti.so.12"));
}

TEST(CuptiCandidates, AcceptAnyLibraryPath) {
  for (const char* path : {"", ":", "::", "/a", "/a:", ":/a"}) {
    EXPECT_THAT(cupti_candidates({}, path, 0), Contains("libcupti.so.13")) << path;
  }
}

TEST(LoadedLibraries, IncludeTheCLibrary) {
  EXPECT_THAT(loaded_libraries(), Contains(HasSubstr("libc.so.6")));
}

}  // namespace
}  // namespace tacho
