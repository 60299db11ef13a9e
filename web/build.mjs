// Bundles the pages into web/dist: hashed names, gzip and brotli beside each file, a manifest for the server, and the
// licence texts of everything that went in.   node build.mjs
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(here);
const target = join(here, "dist"), fresh = join(here, `dist.new-${process.pid}`); // two builds at once do not meet

const pages = ["chat", "console", "widget"].filter((page) => existsSync(`${page}/main.js`));
const entryPoints = {
  ...Object.fromEntries(pages.map((page) => [page, `${page}/main.js`])),
  fonts: "node_modules/pretendard/dist/web/variable/pretendardvariable-dynamic-subset.css",
};

await rm(fresh, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints,
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["chrome111", "firefox113", "safari16.4"],
  minify: true,
  sourcemap: false,
  metafile: true,
  legalComments: "none", // whole texts stand in LICENSES.txt
  entryNames: "[name]-[hash]",
  chunkNames: "chunk-[hash]",
  assetNames: "fonts/[name]-[hash]",
  loader: { ".woff2": "file" },
  logLevel: "warning",
});

const outputs = Object.entries(metafile.outputs).map(([path, about]) => [relative(fresh, join(here, path)), about]);
await writeFile(join(fresh, "manifest.json"), JSON.stringify(manifest(), null, 1));
await writeFile(join(fresh, "LICENSES.txt"), await licences());
for (const [path] of outputs) if (/\.(js|css)$/.test(path)) await compress(join(fresh, path));
await rm(target, { recursive: true, force: true });
await rename(fresh, target);
for (const [path, about] of outputs) if (/\.(js|css)$/.test(path)) console.log(`${path}  ${(about.bytes / 1024).toFixed(1)} kB`);

// What each page loads: its script, the chunks that it needs at once, its style sheet.
function manifest() {
  const byPath = new Map(outputs);
  const found = {};
  for (const [path, about] of outputs) {
    if (!about.entryPoint) continue;
    const name = path.replace(/-[A-Z0-9]+\.(js|css)$/, "");
    if (path.endsWith(".css")) found[name] = { style: path, ...found[name] };
    else {
      const chunks = [...statics(path, byPath)].filter((chunk) => chunk !== path);
      found[name] = { ...found[name], script: path, chunks, ...(about.cssBundle && { style: relative(fresh, join(here, about.cssBundle)) }) };
    }
  }
  return found;
}

function statics(path, byPath, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const item of byPath.get(path)?.imports ?? []) {
    if (item.kind === "import-statement") statics(relative(fresh, join(here, item.path)), byPath, seen);
  }
  return seen;
}

// The licence text of every package with a file in the bundle.
async function licences() {
  const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []));
  const parts = [];
  for (const name of [...packages].sort()) {
    const folder = join("node_modules", name);
    const about = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const texts = await licenceTexts(folder);
    if (!texts.length) throw new Error(`${name} brings no licence text`);
    parts.push(`${name} ${about.version} (${about.license})\n${"=".repeat(60)}\n${texts.join("\n").trim()}\n`);
  }
  return parts.join("\n\n");
}

async function licenceTexts(folder) {
  for (const place of [folder, join(folder, "dist")]) {
    if (!existsSync(place)) continue;
    const files = (await readdir(place)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    if (files.length) return Promise.all(files.map((file) => readFile(join(place, file), "utf8")));
  }
  return [];
}

async function compress(path) {
  const bytes = await readFile(path);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, quality));
}
