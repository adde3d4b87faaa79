/** What the walkthrough offers to copy: a request that makes an agent check before it writes. */
export const PROMPT = `Before you change a file, pass the edit to #understudy-lint and read the verdict.
- clean: proven; go on.
- findings: your edit introduces them; fix it and lint again.
- UNKNOWN - NOT VERIFIED: nobody has judged it; say so, and never call it clean.
If you have written files already, call #understudy-lint without input: it says what got worse since this chat began.
Run tests with #understudy-run, on a private copy that holds your edits.
When the verdict is clean, tell me the branch; I accept it myself.
`;
