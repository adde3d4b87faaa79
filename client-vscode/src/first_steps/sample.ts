/** A made-up edit that shows what a lint does: it adds a mistake that nobody can miss. */

export interface Sample {
  readonly text: string;
  /** What is wrong with it, for the user. */
  readonly mistake: string;
}

interface Recipe {
  readonly added: string;
  readonly mistake: string;
}

const UNDEFINED = "it returns a name that is defined nowhere";
const SCRIPT: Recipe = {
  added: "\nexport const understudySample: number = understudyIsNotDefined;\n",
  mistake: "it uses a name that is defined nowhere",
};
const STYLE: Recipe = {
  added: "\n.understudy-sample {\n  color: red;\n",
  mistake: "its last block is never closed",
};
const DATA: Recipe = { added: "\n]\n", mistake: "it ends with a bracket too many" };

const RECIPES: Readonly<Record<string, Recipe>> = {
  python: {
    added: "\n\ndef understudy_sample() -> int:\n    return understudy_is_not_defined\n",
    mistake: UNDEFINED,
  },
  typescript: SCRIPT,
  typescriptreact: SCRIPT,
  javascript: {
    added: "\nexport const understudySample = ;\n",
    mistake: "a value is missing",
  },
  javascriptreact: {
    added: "\nexport const understudySample = ;\n",
    mistake: "a value is missing",
  },
  json: DATA,
  jsonc: DATA,
  css: STYLE,
  scss: STYLE,
  less: STYLE,
  shellscript: {
    added: '\nif [ "$understudy_sample" == ]; then echo "never"; fi\n',
    mistake: "its test has only one side",
  },
  rust: {
    added: "\nfn understudy_sample() -> i32 {\n    understudy_is_not_defined\n}\n",
    mistake: UNDEFINED,
  },
  go: {
    added: "\nfunc understudySample() int {\n\treturn understudyIsNotDefined\n}\n",
    mistake: UNDEFINED,
  },
};

/** The text of a file with the mistake at its end; undefined where none is known for the language. */
export function sampleOf(language: string, text: string): Sample | undefined {
  const recipe = RECIPES[language];
  if (recipe === undefined) {
    return undefined;
  }
  const ending = text.includes("\r\n") ? "\r\n" : "\n";
  const end = text === "" || text.endsWith("\n") ? "" : ending;
  return { text: text + end + recipe.added.replaceAll("\n", ending), mistake: recipe.mistake };
}

/** The languages that have a sample. */
export const LANGUAGES: readonly string[] = Object.keys(RECIPES);
