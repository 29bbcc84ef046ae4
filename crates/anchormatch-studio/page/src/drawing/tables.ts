// Tables of the report's assets, which it reads as well.

/** The rows of a table without its comments, as cells. */
export function rows(table: string): string[][] {
  return table
    .split("\n")
    .filter((row) => row && !row.startsWith("#"))
    .map((row) => row.split("\t"));
}
