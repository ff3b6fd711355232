#!/usr/bin/env python3
"""BERT's uncased WordPiece tokenizer, written down a second time, in Python and for clarity alone.

    tests/reference/wordpiece_reference.py > src/training/text/reference.json

prints texts and the tokens they must give, for the unit tests of src/training/text. Follows the behaviour of
transformers' BertTokenizerLegacy, which tests/gpu/compare_tokenizer holds Tacho's tokenizer against
directly where transformers is installed.
"""
import json
import re
import unicodedata

import torture_text

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SPLIT_AT_SPECIAL = re.compile("(" + "|".join(map(re.escape, SPECIAL)) + ")")
IDEOGRAPHS = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
              (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]
LONGEST_WORD = 100


def cleaned(c):
    """What takes a character's place before the text is split."""
    kind = unicodedata.category(c)
    if c in " \t\n\r" or kind == "Zs":
        return " "
    if c == "\ufffd" or kind[0] == "C":
        return ""
    if any(first <= ord(c) <= last for first, last in IDEOGRAPHS):
        return f" {c} "
    return c


def is_punctuation(c):
    return unicodedata.category(c)[0] == "P" or ("!" <= c <= "~" and not c.isalnum())


def words_of(text):
    """The words of a text without special tokens. One may still come out of the cleaning."""
    for word in unicodedata.normalize("NFC", "".join(map(cleaned, text))).split():
        if word in SPECIAL:
            yield word
            continue
        bare = "".join(c for c in unicodedata.normalize("NFD", word.lower())
                       if unicodedata.category(c) != "Mn")
        yield from "".join(f" {c} " if is_punctuation(c) else c for c in bare).split()


def pieces_of(word, vocabulary):
    found, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = (end for end in range(len(word), start, -1) if prefix + word[start:end] in vocabulary)
        end = next(ends, None)
        if end is None:
            return ["[UNK]"]
        found.append(prefix + word[start:end])
        start = end
    return found if len(word) <= LONGEST_WORD else ["[UNK]"]


def tokens_of(data, vocabulary, most=None):
    """The numbers of the tokens of a text, which is given as bytes."""
    tokens = []
    for part in SPLIT_AT_SPECIAL.split(data.decode("utf-8", errors="replace")):
        for word in [part] if part in SPECIAL else words_of(part):
            tokens += [word] if word in SPECIAL else pieces_of(word, vocabulary)
    if most is not None:
        tokens = tokens[:most - 2]
    return [vocabulary[token] for token in ["[CLS]", *tokens, "[SEP]"]]


def number(tokens):
    return {token: index for index, token in enumerate(dict.fromkeys(tokens))}


def vocabulary_for(texts):
    """Every character the texts come down to, alone and continuing, and a few longer tokens. Every
    ninth is left out, so that some words are unknown."""
    characters = sorted({c for text in texts for part in
                         SPLIT_AT_SPECIAL.split(text.decode("utf-8", errors="replace"))
                         for word in words_of(part) for c in word if word not in SPECIAL})
    kept = [c for c in characters if ord(c) < 0x80 or ord(c) % 9]
    longer = ["the", "quick", "##ick", "qu", "don", "##on", "mail", "naive", "cafe", "##fe", "istanbul",
              "##anbul", "strasse", "##asse", "aa", "##aa", "##aaaa", "οδος", "##ος", "при", "##вет"]
    return number(SPECIAL + kept + [f"##{c}" for c in kept] + longer)


def main():
    texts = torture_text.handpicked()
    vocabulary = vocabulary_for(texts)
    cases = [{"hex": text.hex(), "tokens": tokens_of(text, vocabulary)} for text in texts]
    for text in texts[::9]:
        for most in (2, 3, 6):
            cases.append({"hex": text.hex(), "most": most,
                          "tokens": tokens_of(text, vocabulary, most)})
    head = json.dumps({"unicode": unicodedata.unidata_version, "vocabulary": list(vocabulary)},
                      ensure_ascii=False)
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    print(f'{head[:-1]}, "cases": [\n{lines}]}}')


if __name__ == "__main__":
    main()
