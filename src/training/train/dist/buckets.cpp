#include "training/train/dist/buckets.h"

#include <map>

namespace tacho {
namespace {

constexpr double kFirstMb = 1;
constexpr double kMb = 1 << 20;

}  // namespace

std::vector<Bucket> plan_buckets(const std::vector<at::Tensor>& parameters, double bucket_mb) {
  std::vector<Bucket> buckets;
  std::map<at::ScalarType, std::size_t> open;  // a bucket holds numbers of one type
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const at::Tensor& parameter = parameters[i];
    const auto at = open.find(parameter.scalar_type());
    const bool is_first = at != open.end() && at->second == 0;
    const double most = (is_first ? std::min(bucket_mb, kFirstMb) : bucket_mb) * kMb;
    const bool fits =
        at != open.end() &&
        static_cast<double>((buckets[at->second].count + parameter.numel()) *
                            static_cast<std::int64_t>(parameter.element_size())) <= most;
    if (!fits) {
      open[parameter.scalar_type()] = buckets.size();
      buckets.emplace_back();
    }
    Bucket& bucket = buckets[open[parameter.scalar_type()]];
    bucket.parameters.push_back(i);
    bucket.count += parameter.numel();
  }
  return buckets;
}

}  // namespace tacho
