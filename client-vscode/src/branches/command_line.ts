/** A command as it is typed, split into words: quotes and backslashes, nothing of a shell besides. */

/** The words; raises an Error for a quote that is not closed. */
export function wordsOf(typed: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < typed.length; at++) {
    const char = typed.charAt(at);
    if (quote !== undefined && char === quote) {
      quote = undefined;
    } else if (quote === undefined && (char === '"' || char === "'")) {
      quote = char;
      word ??= "";
    } else if (char === "\\" && quote !== "'" && at + 1 < typed.length) {
      at += 1;
      word = (word ?? "") + typed.charAt(at);
    } else if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) {
        words.push(word);
      }
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== undefined) {
    throw new Error(`a quote ${quote} is not closed`);
  }
  return word === undefined ? words : [...words, word];
}
