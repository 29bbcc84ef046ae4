// Builds the page into ../assets and the report's picture into its assets, or with --check says whether what is there is up to date.
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const from = (name) => new URL(`src/${name}`, import.meta.url);
const own = (name) => new URL(`../assets/${name}`, import.meta.url);
/** The report's assets: one palette, one table of marks, one of rules, and the script of its picture. */
const shared = (name) => new URL(`../../anchormatch-report/src/assets/${name}`, import.meta.url);

/** A report carries its script along, which is to be small; that of the studio can be read. */
async function bundle(entry, isSmall = false) {
  const built = await build({
    entryPoints: [from(entry).pathname],
    bundle: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    loader: { ".tsv": "text" },
    minifyIdentifiers: isSmall,
    minifySyntax: true,
    minifyWhitespace: true,
    write: false,
  });
  return built.outputFiles[0].text;
}

const files = new Map([
  [own("studio.js"), await bundle("main.ts")],
  [shared("picture.js"), await bundle("report/main.ts", true)],
]);
for (const name of ["index.html", "icon.svg"]) files.set(own(name), await readFile(from(name), "utf8"));
let style = await readFile(from("studio.css"), "utf8");
style = style.replace("/* marks */\n", await readFile(shared("marks.css"), "utf8"));
for (const shade of ["light", "dark"]) {
  style = style.replace(`  /* ${shade} palette */\n`, await readFile(shared(`palette-${shade}.css`), "utf8"));
}
files.set(own("studio.css"), style);
const stale = [];
for (const [file, text] of files) {
  const old = await readFile(file, "utf8").catch(() => "");
  if (old === text) continue;
  stale.push(file.pathname.split("/").pop());
  if (!process.argv.includes("--check")) await writeFile(file, text);
}
if (process.argv.includes("--check") && stale.length > 0) {
  console.error(`assets that are not up to date with page/src: ${stale.join(", ")}; npm run build makes them`);
  process.exit(1);
}
