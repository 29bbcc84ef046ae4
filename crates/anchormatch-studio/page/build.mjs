// Builds the page into ../assets, or with --check says whether what is there is up to date.
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const from = (name) => new URL(`src/${name}`, import.meta.url);
const to = (name) => new URL(`../assets/${name}`, import.meta.url);

const bundle = await build({
  entryPoints: [from("main.ts").pathname],
  bundle: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  loader: { ".tsv": "text" },
  minifySyntax: true,
  minifyWhitespace: true,
  write: false,
});
const files = new Map([["studio.js", bundle.outputFiles[0].text]]);
for (const name of ["index.html", "studio.css", "icon.svg"]) {
  files.set(name, await readFile(from(name), "utf8"));
}
// The report and the page have one palette, and one style of marks.
const shared = (name) => new URL(`../../anchormatch-report/src/assets/${name}`, import.meta.url);
let style = files.get("studio.css").replace("/* marks */\n", await readFile(shared("marks.css"), "utf8"));
for (const shade of ["light", "dark"]) {
  style = style.replace(`  /* ${shade} palette */\n`, await readFile(shared(`palette-${shade}.css`), "utf8"));
}
files.set("studio.css", style);
const stale = [];
for (const [name, text] of files) {
  const old = await readFile(to(name), "utf8").catch(() => "");
  if (old === text) continue;
  stale.push(name);
  if (!process.argv.includes("--check")) await writeFile(to(name), text);
}
if (process.argv.includes("--check") && stale.length > 0) {
  console.error(`assets that are not up to date with page/src: ${stale.join(", ")}; npm run build makes them`);
  process.exit(1);
}
