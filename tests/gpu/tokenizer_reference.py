#!/usr/bin/env python3
"""Prints the tokens that transformers' BERT tokenizer makes of texts, one line per text.

    tests/gpu/tokenizer_reference.py [--fast] VOCAB FILE [MAX]

A line of FILE is a text's bytes in hexadecimal. Needs transformers, no network. Uses the tokenizer
written in Python: BertTokenizerLegacy of transformers 5, where BertTokenizer became an alias of the
fast one; with --fast, that of the tokenizers library.
"""
import argparse
import sys
import unicodedata

import transformers


def slow_tokenizer(vocabulary):
    legacy = getattr(transformers, "BertTokenizerLegacy", None)
    return (legacy or transformers.BertTokenizer)(vocab_file=vocabulary, do_lower_case=True)


def fast_tokenizer(vocabulary):
    with open(vocabulary, encoding="utf-8", newline="\n") as lines:
        numbers = {line.rstrip("\n"): index for index, line in enumerate(lines)}
    try:
        return transformers.BertTokenizer(vocab=numbers, do_lower_case=True)
    except TypeError:  # transformers 4
        return transformers.BertTokenizerFast(vocab_file=vocabulary, do_lower_case=True)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--fast", action="store_true")
    words.add_argument("vocabulary")
    words.add_argument("file")
    words.add_argument("most", nargs="?", type=int)
    given = words.parse_args()
    make = fast_tokenizer if given.fast else slow_tokenizer
    tokenizer = make(given.vocabulary)
    print(f"{type(tokenizer).__name__} of transformers {transformers.__version__}, "
          f"Unicode {unicodedata.unidata_version}", file=sys.stderr)
    limit = {"truncation": True, "max_length": given.most} if given.most else {}
    with open(given.file, encoding="ascii") as lines:
        for line in lines:
            text = bytes.fromhex(line).decode("utf-8", errors="replace")
            print(*tokenizer(text, verbose=False, **limit)["input_ids"])


if __name__ == "__main__":
    main()
