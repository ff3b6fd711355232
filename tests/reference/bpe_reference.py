#!/usr/bin/python3
"""Byte-level BPE by its definition, slowly: expressions by the module `regex`, joins one at a time.

    tests/reference/bpe_reference.py > src/training/text/bpe_reference.json

Needs python3-regex. text_test compares src/training/text with the output. With two arguments, a
tokenizer.json and a file of texts, one JSON string per line, it prints the tokens of each line: what
`tokenize_probe` must print too.
"""
import collections
import json
import sys

import regex

import torture_text

RULES = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
              r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
# What the expressions decide by neighbours: spaces before words, line ends, digits, apostrophes.
SPACING = ["a  b", "a   ", "  a", " \n a", "\n\n\na", "a \n", "a\r\n\r\n b", "\t\ta", " \t1", "1 000 000",
           "12345678", "v1.2.3", "it's IT'S we'Re they'LL I'd'd 'tis ''s 'ſ", "x=1;\n  y = 2;\n", "...\n\n",
           "!?\r\n\tnext", "(a) [b] {c}", " .", ". ", "\u3000a", "a\u00a0 b", "\u0085x", "\x1ca \x1d", "é'é",
           "日本 語", "１２３４", "²³¼", "a\u0301b", "_a", "-a", "\n-a", " -1", "\u2028\u2029\n\u2028"]


def shown_bytes():
    """The character that stands for each byte in the files."""
    alone = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in alone]
    return {**{b: chr(b) for b in alone}, **{b: chr(0x100 + i) for i, b in enumerate(others)}}


SHOWN = shown_bytes()
BYTE_OF = {shown: byte for byte, shown in SHOWN.items()}


def pieces_of(text, rule):
    return regex.findall(RULES[rule], text, flags=regex.V0)


def learn(texts, size):
    """Token 0 is <|endoftext|>, then the bytes, then joins of the most frequent pair; of equally
    frequent ones the smallest."""
    tokens = [b""] + [bytes([byte]) for byte in range(256)]
    number = {token: index for index, token in enumerate(tokens) if token}
    words = collections.Counter(piece.encode() for text in texts for piece in pieces_of(text, "gpt2"))
    words = [([byte + 1 for byte in word], count) for word, count in words.items()]
    merges = []
    while len(tokens) < size:
        pairs = collections.Counter()
        for word, count in words:
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < 2:
            break
        most = max(pairs.values())
        best = min(pair for pair, count in pairs.items() if count == most)
        merges.append(best)
        joined = tokens[best[0]] + tokens[best[1]]
        if joined not in number:
            number[joined] = len(tokens)
            tokens.append(joined)
        words = [(join(word, best, number[joined]), count) for word, count in words]
    return tokens, merges


def join(word, pair, joined):
    out, i = [], 0
    while i < len(word):
        here = tuple(word[i:i + 2]) == pair
        out.append(joined if here else word[i])
        i += 2 if here else 1
    return out


def encode(text, rule, number, ranks, keeps_words=False):
    """`ranks`: the merge of each pair of tokens: (rank, joined)."""
    out = []
    for piece in pieces_of(text, rule):
        if keeps_words and piece.encode() in number:
            out.append(number[piece.encode()])
            continue
        word = [number[bytes([byte])] for byte in piece.encode()]
        while True:
            known = [pair for pair in zip(word, word[1:]) if pair in ranks]
            if not known:
                break
            best = min(known, key=ranks.__getitem__)
            word = join(word, best, ranks[best][1])
        out += word
    return out


def ranks_of(tokens, number, merges):
    return {pair: (rank, number[tokens[pair[0]] + tokens[pair[1]]])
            for rank, pair in reversed(list(enumerate(merges)))}


def reference():
    texts = [data.decode() for data in torture_text.handpicked() if is_utf8(data)] + SPACING
    tokens, merges = learn(texts, 600)
    number = {token: index for index, token in enumerate(tokens) if token}
    ranks = ranks_of(tokens, number, merges)
    cases = [{"hex": text.encode().hex(), "rule": rule,
              "pieces": [len(piece.encode()) for piece in pieces_of(text, rule)],
              "tokens": encode(text, rule, number, ranks)} for text in texts for rule in RULES]
    head = json.dumps({"tokens": [token.hex() for token in tokens], "merges": merges},
                      separators=(",", ":"))
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    print(f'{head[:-1]}, "cases": [\n{lines}]}}')


def is_utf8(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def compare(tokenizer, texts):
    with open(tokenizer, encoding="utf-8") as file:
        whole = json.load(file)
    model = whole["model"]
    special = {one["id"] for one in whole["added_tokens"]}
    number = {bytes(BYTE_OF[c] for c in shown): index for shown, index in model["vocab"].items()
              if index not in special}
    tokens = {index: token for token, index in number.items()}
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    merges = [tuple(number[bytes(BYTE_OF[c] for c in side)] for side in pair) for pair in pairs]
    ranks = ranks_of(tokens, number, merges)
    splitter = whole["pre_tokenizer"]
    rule = "gpt2" if splitter["type"] == "ByteLevel" else next(
        name for name, expression in RULES.items()
        if expression == splitter["pretokenizers"][0]["pattern"]["Regex"])
    with open(texts, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            print(*encode(json.loads(line), rule, number, ranks, model.get("ignore_merges", False)))


if __name__ == "__main__":
    compare(*sys.argv[1:]) if len(sys.argv) == 3 else reference()
