// Tables come into the page as they are.
declare module "*.tsv" {
  const text: string;
  export default text;
}
