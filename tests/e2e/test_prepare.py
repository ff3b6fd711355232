import hashlib
import random
import shutil
import signal
import struct
import tarfile
import unittest
import zipfile
import zlib

from tacho_case import SharedHomeCase, TachoCase, wait_until
from toy_imagenet import add, class_archive, image, write_release


def digest_of(folder):
    """All files below a folder with their checksums."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


def png(level, side, grey=False):
    """A square image of one level."""
    def chunk(name, content):
        return (struct.pack(">I", len(content)) + name + content
                + struct.pack(">I", zlib.crc32(name + content)))
    rows = (b"\0" + bytes([level]) * side * (1 if grey else 3)) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 0 if grey else 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


def read_images(file):
    """The format as src/training/data/image_file.h documents it."""
    content = file.read_bytes()
    magic, version, checksum, count = struct.unpack_from("<8sI32sQ", content)
    *shape, _, names = struct.unpack_from("<5I", content, 52)
    assert (magic, version) == (b"TACHOIMG", 1)
    assert checksum == hashlib.sha256(content[44:]).digest()
    labels = 96 + names
    pixels = labels + 2 * count
    size = shape[0] * shape[1] * shape[2]
    assert len(content) == pixels + count * size
    return {"shape": tuple(shape), "classes": content[96:labels].decode().splitlines(),
            "labels": list(struct.unpack_from(f"<{count}H", content, labels)),
            "levels": [set(content[pixels + i * size:pixels + (i + 1) * size]) for i in range(count)]}


class Imagenet(SharedHomeCase):
    def prepare(self):
        type(self).release = self.home / "release"
        type(self).ids = write_release(self.release)
        type(self).said = self.tacho(*self.order())
        type(self).whole = digest_of(self.home / "data" / "imagenet")

    def order(self, release=None):
        return ("data", "prepare", "imagenet", "--from", release or self.release, "--subset")

    def setUp(self):
        super().setUp()
        self.other = self.new_folder()
        self.data = self.other / "data"
        self.env = {"TACHO_HOME": str(self.other)}

    def interrupt(self, number, classes):
        """Starts it in a new home and sends a signal once this many classes are done."""
        train = self.data / "imagenet.partial" / "train"
        going = self.start(*self.order(), env=self.env)
        wait_until(lambda: train.is_dir() and len(list(train.iterdir())) >= classes, "class")
        going.signal(number)
        said = going.ended()
        self.assertFalse((self.data / "imagenet").exists(), "it was too fast")
        return said

    def assert_resumes_to_the_same(self):
        partial = self.data / "imagenet.partial" / "train"
        done = {path.name: path.stat().st_mtime_ns for path in partial.iterdir()}
        self.assertGreater(len(done), 1)
        self.tacho(*self.order(), env=self.env)
        self.assertEqual(digest_of(self.data / "imagenet"), self.whole)
        self.assertFalse(partial.exists())
        for name, time in done.items():
            finished = self.data / "imagenet" / "train" / name
            self.assertEqual(finished.stat().st_mtime_ns, time, f"{name} was made twice")

    def test_images_are_in_the_folders_of_their_classes(self):
        folder = self.home / "data" / "imagenet"
        self.assertEqual(self.said.out, f"imagenet is ready in {folder}\n")
        self.assertEqual(sorted(path.name for path in (folder / "train").iterdir()),
                         sorted(self.ids))
        self.assertEqual(len(self.whole), 24 * 60 + 96 + 1)
        rows = [line.split("\t") for line in (folder / "classes.tsv").read_text().splitlines()]
        self.assertEqual([row[0] for row in rows], sorted(self.ids))
        self.assertEqual(rows[0][1], f"words of {rows[0][0]}")
        self.assertEqual({row[2] for row in rows}, {"60"})
        self.assertEqual(sum(int(row[3]) for row in rows), 96)

    def test_verify_accepts_it_and_names_missing_files(self):
        reports = self.tacho("data", "verify", "imagenet", "--json").json
        self.assertEqual([(r["file"], r["state"]) for r in reports],
                         [("train", "ok"), ("val", "ok")])
        lost = self.home / "data" / "imagenet" / "train" / self.ids[3] / f"{self.ids[3]}_9.JPEG"
        kept = lost.read_bytes()
        lost.unlink()
        said = self.tacho("data", "verify", "imagenet", expect=2)
        self.assert_one_error_line(said, f"train/{self.ids[3]}: 59 images, expected 60")
        lost.write_bytes(kept)

    def test_ctrl_c_keeps_finished_classes_and_the_next_attempt_resumes(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                said = self.interrupt(number, classes=3)
                self.assertEqual(said.code, 128 + number)
                self.assertRegex(said.err, "tacho: stopped; what is finished is kept in .*"
                                           "imagenet.partial: run it again to continue\n$")
                self.assert_resumes_to_the_same()
                self.tacho("data", "verify", "imagenet", env=self.env)
                shutil.rmtree(self.data)

    def test_it_resumes_after_a_kill(self):
        for classes in (2, 12):
            self.assertEqual(self.interrupt(signal.SIGKILL, classes).code, -signal.SIGKILL)
        self.assert_resumes_to_the_same()

    def test_a_truncated_archive_is_named_and_leaves_nothing(self):
        release = self.other / "release"
        write_release(release, classes=3, images=4, val=6)
        train = release / "ILSVRC2012_img_train.tar"
        with open(train, "r+b") as archive:
            archive.truncate(train.stat().st_size // 2)
        said = self.tacho(*self.order(release), env=self.env, expect=2)
        self.assert_one_error_line(said, str(train), ".tar: ")
        self.assertEqual([path.name for path in self.data.iterdir()], [".imagenet.lock"])

    def test_an_entry_outside_of_the_folder_is_rejected(self):
        release = self.other / "release"
        ids = write_release(release, classes=2, images=3, val=4)
        rng = random.Random(2)
        with tarfile.open(release / "ILSVRC2012_img_val.tar", "w") as archive:
            add(archive, "../../ILSVRC2012_val_00000001.JPEG", image(10, rng))
        said = self.tacho(*self.order(release), env=self.env, expect=2)
        self.assert_one_error_line(said, "ILSVRC2012_img_val.tar: ../../ILSVRC2012_val_00000001.JPEG")
        with tarfile.open(release / "ILSVRC2012_img_train.tar", "w") as archive:
            add(archive, f"../{ids[0]}.tar", class_archive(ids[0], 3, 10, rng))
        said = self.tacho(*self.order(release), env=self.env, expect=2)
        self.assert_one_error_line(said, f"ILSVRC2012_img_train.tar: ../{ids[0]}.tar")
        self.assertEqual([path.name for path in self.data.iterdir()], [".imagenet.lock"])

    def test_an_incomplete_release_is_rejected_unless_allowed(self):
        said = self.tacho(*self.order()[:-1], env=self.env, expect=2)
        self.assert_one_error_line(said, "meta.mat: 24 classes, expected 1000")

    def test_a_missing_archive_is_named(self):
        said = self.tacho(*self.order(self.other), env=self.env, expect=2)
        self.assert_one_error_line(said, f"there is no {self.other}/ILSVRC2012_img_train.tar",
                                   "https://image-net.org")


class TinyImagenet(TachoCase):
    def write_zip(self, file):
        with zipfile.ZipFile(file, "w") as archive:
            def put(path, content):
                archive.writestr(f"tiny-imagenet-200/{path}", content)
            ids = ("n01443537", "n01629819")
            put("wnids.txt", "".join(f"{wnid}\n" for wnid in ids))
            put("words.txt", "".join(f"{wnid}\twords of {wnid}\n" for wnid in ids))
            for wnid in ids:
                put(f"train/{wnid}/{wnid}_boxes.txt", "")
                for number in range(3):
                    put(f"train/{wnid}/images/{wnid}_{number}.JPEG",
                        png(10 * number, 64, grey=number == 1))
            put("val/val_annotations.txt", "".join(f"val_{i}.JPEG\t{ids[i % 2]}\t0\t0\t9\t9\n"
                                                   for i in range(4)))
            for i in range(4):
                put(f"val/images/val_{i}.JPEG", png(100 + i, 64))

    def test_it_is_prepared_from_its_zip(self):
        file = self.new_folder() / "tiny-imagenet-200.zip"
        self.write_zip(file)
        refused = self.tacho("data", "prepare", "tiny-imagenet", "--from", file, expect=2)
        self.assert_one_error_line(refused, "2 classes in wnids.txt, expected 200")
        self.tacho("data", "prepare", "tiny-imagenet", "--from", file, "--subset")
        folder = self.home / "data" / "tiny-imagenet"
        self.assertEqual(read_images(folder / "train.images"), {
            "shape": (3, 64, 64), "classes": ["n01443537", "n01629819"], "labels": [0, 1] * 3,
            "levels": [{0}, {0}, {10}, {10}, {20}, {20}]})
        self.assertEqual(read_images(folder / "eval.images")["levels"], [{100}, {101}, {102}, {103}])
        self.assertEqual(sorted(digest_of(folder)), ["classes.tsv", "eval.images", "train.images"])
        self.tacho("data", "verify", "tiny-imagenet")
        listed = {row["name"]: row for row in self.tacho("data", "ls", "--json").json}
        self.assertEqual(listed["tiny-imagenet"]["folder"], str(folder))

    def test_it_is_prepared_from_one_folder_per_class_and_trained_on(self):
        source = self.new_folder()
        for part, count in (("train", 8), ("valid", 4)):
            for level, name in ((30, "cat"), (200, "dog")):
                (source / part / name).mkdir(parents=True)
                for number in range(count):
                    (source / part / name / f"{number}.png").write_bytes(png(level + number, 64))
        said = self.tacho("data", "prepare", "tiny-imagenet", "--from", source, "--subset")
        self.assertIn("tacho: note: prepared a part: 2 classes, 16 training and 8 evaluation samples", said.err)
        record = self.tacho("train", "mlp", "--data", "tiny-imagenet", "--threads", 1, "-b", 4,
                            "-e", 2, "--seed", 1, "--json").json
        self.assertEqual((record["outcome"], len(record["steps"]["loss"])), ("ok", 8))
        with open(self.home / "data" / "tiny-imagenet" / "train.images", "r+b") as file:
            file.truncate(1000)
        said = self.tacho("train", "mlp", "--data", "tiny-imagenet", "--threads", 1, "-b", 4,
                          "-e", 1, expect=None)
        self.assertNotEqual(said.code, 0)
        self.assertRegex(said.out, "train.images: 1000 bytes, expected [0-9]+; the file is damaged, "
                                   "prepare the dataset again")

    def test_a_folder_of_an_older_version_still_verifies_and_can_be_prepared_again(self):
        folder = self.home / "data" / "tiny-imagenet"
        for path in ("train/cat/1.JPEG", "train/dog/2.JPEG", "val/cat/3.JPEG"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(png(7, 64))
        (folder / "classes.tsv").write_text("cat\t\t1\t1\ndog\t\t1\t0\n")
        reports = self.tacho("data", "verify", "tiny-imagenet", "--json").json
        self.assertEqual([(r["file"], r["state"]) for r in reports], [("train", "ok"), ("val", "ok")])
        self.tacho("data", "prepare", "tiny-imagenet", "--from", folder, "--subset")
        self.assertEqual(sorted(digest_of(folder)), ["classes.tsv", "eval.images", "train.images"])


class ImageFolder(TachoCase):
    def test_an_image_folder_is_checked_in_place(self):
        pets = self.new_folder()
        for path in ("train/cat/1.jpg", "train/dog/2.png", "val/cat/3.JPEG"):
            (pets / path).parent.mkdir(parents=True, exist_ok=True)
            magic = b"\x89PNG\r\n\x1a\n" if path.endswith("png") else b"\xff\xd8\xff"
            (pets / path).write_bytes(magic + b"...")
        said = self.tacho("data", "prepare", "image-folder", "--from", pets)
        self.assertEqual(said.out, f"image-folder is ready in {pets}; train on it with --data-dir\n")
        self.tacho("data", "verify", "image-folder", "--from", pets)
        (pets / "train/cat/1.jpg").write_text("<html>")
        said = self.tacho("data", "verify", "image-folder", "--from", pets, expect=2)
        self.assert_one_error_line(said, "train/cat/1.jpg: not a JPEG or PNG image")

    def test_the_doctor_lists_it(self):
        # Without a worker, since checking torch takes seconds.
        said = self.tacho("doctor", "--json", env={"TACHO_WORKER": "/nonexistent/worker"})
        data = {finding["name"]: finding["health"] for finding in said.json
                if finding["area"] == "data"}
        self.assertNotIn("image-folder", data)
        self.assertEqual(data["imagenet"], "missing")


class Cifar10(TachoCase):
    RECORDS = 10_000

    def test_it_is_prepared_from_its_archive(self):
        folder = self.new_folder()
        batch = b"".join(bytes([number % 10]) + bytes(3072) for number in range(self.RECORDS))
        names = [f"data_batch_{number}.bin" for number in range(1, 6)] + ["test_batch.bin"]
        archive = folder / "cifar-10-binary.tar.gz"
        with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
            for name in names:
                add(tar, f"cifar-10-batches-bin/{name}", batch)
        said = self.tacho("data", "prepare", "cifar10", "--from", archive)
        prepared = self.home / "data" / "cifar10"
        self.assertEqual(said.out, f"cifar10 is ready in {prepared}\n")
        self.assertEqual(sorted(digest_of(prepared)), ["classes.tsv", "eval.images", "train.images"])
        with open(prepared / "train.images", "r+b") as file:
            file.seek(1_000_000)
            file.write(b"\x0a")
        said = self.tacho("data", "verify", "cifar10", expect=2)
        self.assert_one_error_line(said, "train.images: its content does not match its checksum")
        # Files of an older version are checked, too.
        shutil.rmtree(prepared)
        prepared.mkdir()
        for name in names:
            (prepared / name).write_bytes(batch)
        self.tacho("data", "verify", "cifar10")
        with open(prepared / "data_batch_3.bin", "r+b") as file:
            file.seek(3073)
            file.write(b"\x0a")
        said = self.tacho("data", "verify", "cifar10", expect=2)
        self.assert_one_error_line(said, "data_batch_3.bin: record 2: label 10 (expected 0 to 9)")

    def test_ctrl_c_leaves_nothing(self):
        source = self.new_folder()
        for part in ("train", "test"):
            for name in ("cat", "dog"):
                (source / part / name).mkdir(parents=True)
                for number in range(10_000):
                    (source / part / name / f"{number}.png").write_bytes(png(number % 256, 32))
        data = self.home / "data"
        going = self.start("data", "prepare", "cifar10", "--from", source, "--subset")
        wait_until((data / ".cifar10.part" / "train.images").exists, "first image")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual(said.code, 128 + signal.SIGINT)
        self.assertRegex(said.err, "tacho: stopped; nothing was written\n$")
        self.assertEqual([path.name for path in data.iterdir()], [".cifar10.lock"])


if __name__ == "__main__":
    unittest.main()
