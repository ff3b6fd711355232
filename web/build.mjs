// Bundles the pages into the folder OUT: index.html, and its script and style under assets/ with
// content hashes in their names. Each file also gets a gzip copy.
//   node build.mjs OUT
import { build } from "esbuild";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
const LARGEST_BUNDLE = 150_000; // compressed bytes, so that the page loads fast on a slow connection

rmSync(out, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [join(here, "src/main.tsx")],
  outdir: join(out, "assets"),
  entryNames: "app-[hash]",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome110", "firefox110", "safari16"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
const made = Object.keys(metafile.outputs).map((path) => basename(path));
const script = made.find((name) => name.endsWith(".js"));
const style = made.find((name) => name.endsWith(".css"));
const page = readFileSync(join(here, "src/index.html"), "utf8")
  .replace("app.js", script)
  .replace("app.css", style);
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "index.html"), page);
writeFileSync(join(out, "icon.svg"), readFileSync(join(here, "src/icon.svg")));

let total = 0;
for (const name of ["index.html", "icon.svg", `assets/${script}`, `assets/${style}`]) {
  const zipped = gzipSync(readFileSync(join(out, name)), { level: 9 });
  writeFileSync(join(out, `${name}.gz`), zipped);
  total += zipped.length;
}
console.log(`bundle: ${total} bytes compressed`);
if (total > LARGEST_BUNDLE) {
  console.error(`bundle: more than ${LARGEST_BUNDLE} bytes`);
  process.exit(1);
}
