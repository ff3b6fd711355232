"""Texts that a tokenizer is likely to get wrong, as bytes: not all of them are UTF-8."""
import unicodedata

# Code points that matter where they stand, not only by themselves.
MARKS = [0x300, 0x301, 0x307, 0x308, 0x316, 0x327, 0x338, 0x345, 0x5B0, 0x64B, 0x94D, 0xE48,
         0x20D0, 0x20DD, 0x302E, 0x3099, 0xFE0F, 0x1D165, 0x1D16D, 0x1D17B]
SIGMAS = ["Σ", "ΣΑΣ", "ΟΔΟΣ", "ΟΔΟΣ.", "ΟΔΟΣ ΟΔΟΣ", "ΟΔΟΣ'Α", "ΟΔΟΣ.Α", "ΟΔΟΣ..", "'Σ", "Α'Σ",
          "ΑΣ:Β", "ΑΣ-Β", "Α-Σ", "1Σ", "ªΣ", "ⅣΣ", "ΑΣⅣ", "ΑΣⓐ", "Α\u0301Σ", "Α\u0301Σ\u0301",
          "ΑΣ\u0345", "ΑΣ\u0345Α", "Α\u200dΣ\u200dΑ", "ʰΣ", "ΑʰΣʰ", "漢Σ", "Α漢Σ", "Σ漢", "ς", "σ",
          "ΑΣ[MASK]Α", "ΑΣ\u2019", "𝔄Σ", "🄰Σ", "ΆΣ", "ᾼΣ"]
PLAIN = [
    "", " ", "a", "A", "The quick brown fox.", "don't", "e-mail", "U.S.A.", "a_b", "$5.00", "1,000",
    "100%", "C++", "x^2", "~tilde`", "<br />", "@user #tag", "http://a.b/c?d=e&f", "...", "--", "!?",
    "a\tb\nc\rd\r\ne", "a\x0bb\x0cc", "a\x00b", "a\x1cb\x1db\x1eb\x1fb", "a\x7fb", "a\x80b\x85b\x9fb",
    "a\u00a0b", "a\u1680b", "a\u2000b\u2009b\u200ab", "a\u2028b\u2029b", "a\u202fb\u205fb\u3000b",
    "a\u200bb\u200cb\u200db\u2060b\ufeffb", "\ufeffbom", "so\u00adft", "a\ufffdb", "a\ufffeb\uffffb",
    "a\ue000b\uf8ffb", "a\U000f0000b\U0010fffdb", "a\u0378b", "a\U000e0001b", "\u202eright\u202c",
    "naïve café", "nai\u0308ve cafe\u0301", "Ångström", "A\u030angstro\u0308m", "ÀÉÎÕÜ Ç Ñ",
    "İstanbul", "I\u0307stanbul", "ISTANBUL ıstanbul", "STRASSE straße STRAẞE", "ﬁn ﬂat ﬃ", "ĲSSEL ĳ",
    "Ǆ ǅ ǆ", "ŉ ǰ ΐ", "K Å Ω", "ſ", "Ａ１！", "ⅷ Ⅷ ①", "½ ² ₂", "€ £ ¥ ₿", "© ® ™", "° ± × ÷",
    "« » “ ” ‘ ’ „ ‚ — – …", "¿Qué? ¡Sí!", "§ ¶ † ‡", "; \u037e · \u0387", "\u1fef \u2000",
    "Привет, мир! ЁЖИК Й й", "Ελληνικά ΆΈΉ ϓ ϔ", "שָׁלוֹם עולם", "السَّلَامُ عَلَيْكُم", "فارسی\u200cزبان",
    "हिन्दी क़ किताब", "বাংলা কো", "தமிழ் கொ", "ไทย กำ", "ລາວ ຳ", "မြန်မာ", "ខ្មែរ", "བོད་",
    "한국어 가각힣", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\u1100\u1161\u11a7", "\ud7b0\ud7cb",
    "日本語 カタカナ ひらがな がぎぐ ﾊﾟ", "か\u3099 ハ\u309a", "漢字kanji漢字", "漢\u0301字", "中文，标点。",
    "\uf900\ufa0e\ufa70 \U0002f800\U0002fa1d", "㐀䶵鿿 \u9fff\u4dc0", "\U00020000\U0002a6df\U0002b81f",
    "\U0002ceb0\U00030000", "〇々〆", "〈 〉 \u2329 \u232a", "ⓐⒷ ㊀ ㍿", "Ꭰ ꭰ ᏸ", "Ა ა", "𐐀𐐨", "𝔘𝔫𝔦",
    "😀 👍🏽 ❤\ufe0f ☺", "👨\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "🇩🇪🇫🇷", "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "[MASK]", "[mask]", "a[MASK]b", "[MASK][MASK]", "[[MASK]]", "[CLS] a [SEP]", "[UNK][PAD]", "[MASK",
    "MASK]", "[ MASK ]", "[MASKED]", "[MA\u200dSK]", "[MA\x01SK]", "x[MA\x01SK]", "[MA\x01SK]x",
    "[MAS\u212a]", "[MA\u0301SK]", "[MASK]\u0301", "İ[SEP]İ", "[CLS", "[", "]", "[]", "[SEP ]",
    "##ing", "# #ing", "un##aff", "#", "##",
    "a" * 100, "a" * 101, "é" * 100, "é" * 101, "e\u0301" * 100, "a\u200d" * 100, "漢" * 101,
    "a" * 100 + "-" + "b" * 101, "가" * 34, "가" * 33 + "b", "x " * 200, "." * 150,
    "a" + "\u0301\u0316" * 60, "q\u0323\u0307 q\u0307\u0323", "\U0001d15e\U0001d165\U0001d16d",
    "a\U0001d16d\U0001d165b", "a\u302f\u302e\u0327b", "\u0344 \u0958 \ufb1d \u0f43",
    "ﷺ ﷽", "\u0e33 \u0eb3", "\u0149", "T\u0308 t\u0308", "=\u0338 \u2260", "\u0301a", "\u0301",
]
NOT_UTF8 = [b"\xff", b"a\xffb", b"caf\xe9 ol\xe9", b"a\xc3", b"a\xc3b", b"\xe2\x82a", b"\xe2\x82\xac\xe2",
            b"\xc0\xafa", b"\xe0\x80\xaf", b"\xed\xa0\x80\xed\xb0\x80", b"a\xed\xa0\xbdb", b"\xf0\x9f\x98",
            b"\xf0\x9f\x98a", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\x80\xbf", b"[MA\xffSK]",
            b"[MASK\xff]x", b"\xfe\xff\x00a", b"A\xccA\xcc\x81", b"\xce\x91\xce\xa3\xff\xce\x91"]


def utf8(text):
    return text.encode("utf-8")


def handpicked():
    """A few hundred: what BERT's rules speak of, and what breaks programs."""
    texts = [utf8(text) for text in PLAIN] + NOT_UTF8 + [utf8(text) for text in SIGMAS]
    for mark in map(chr, MARKS):
        texts.append(utf8(f"a{mark} {mark}a ab{mark}{mark}c A{mark}\u0301B É{mark}"))
    return texts


def is_character(code):
    return not 0xD800 <= code < 0xE000


def exhaustive():
    """Every code point of the BMP and of the planes above it where something is assigned, alone and
    within words, and what gives away a letter's case to a sigma beside it."""
    texts = []
    for code in range(0x110000):
        if not is_character(code):
            continue
        c = chr(code)
        if code >= 0x10000 and unicodedata.category(c) in ("Cn", "Co"):
            continue
        if 0xAC00 <= code < 0xD7A4 and code % 28 and code % 11:
            continue  # Hangul's syllables all follow one formula
        texts.append(utf8(f"{c} a{c}b Z{c}\u0301 ΑΣ{c}Α {c}Σ [{c}]"))
    return texts
