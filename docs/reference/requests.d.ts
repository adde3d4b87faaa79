// Made by `python -m tools.request_types --write`.

/** The version of these requests, as `initialize` announces it. */
export declare const WIRE: 1;

/** What each request (by its method) and each tool (by its name) takes. */
export interface Requests {
  /** Make a branch over the base as it is now. */
  "understudy/branch/create": {
    /** shown to the user; free text */
    title?: string;
  };
  /** Give a branch another title. */
  "understudy/branch/rename": {
    /** the branch's id */
    branch: string;
    /** shown to the user; free text, empty: none */
    title: string;
  };
  /** Make another branch with the edits that a branch has now. */
  "understudy/branch/fork": {
    /** the branch's id */
    branch: string;
    /** of the new one; null: the branch's own */
    title?: string | null;
  };
  /** Apply a batch of edits, in order, whole or not at all. */
  "understudy/branch/edit": {
    /** the branch's id */
    branch: string;
    /** the edits, see Edits below */
    edits: readonly (unknown)[];
    /** apply only if the branch's stamp is this one */
    ifStamp?: string | null;
  };
  /** Compare two snapshots on real language servers and give a verdict on the difference. */
  "understudy/branch/check": {
    /** the branch after; null: the base itself, with a checkpoint or revision */
    branch?: string | null;
    /** a checkpoint's id; null: the base as it is now */
    before?: string | null;
    /** a git revision instead; a branch means its merge base */
    revision?: string | null;
    /** try the servers' own fixes for what is introduced, and keep those that help; of a branch they become its edits */
    fix?: boolean;
    /** mend only findings with these codes */
    only?: readonly (string)[];
    /** begin again with what is left, until nothing gains any more */
    untilClean?: boolean;
    /** try fixes, too, that their servers do not vouch for */
    unsafe?: boolean;
    /** edited, affected or workspace */
    scope?: "edited" | "affected" | "workspace" | null;
    /** the mildest finding that counts for the verdict */
    severity?: "error" | "warning" | "information" | "hint" | null;
    /** ask only these servers */
    servers?: readonly (string)[];
    /** time limit in s */
    timeout?: number | null;
    /** an unjudged file makes it unknown */
    strict?: boolean;
    /** say what servers know of each introduced finding, and try their fixes */
    explain?: boolean;
    /** where to report progress */
    workDoneToken?: string | number | null;
    /** where to send what the files nearest to the edit bring */
    partialResultToken?: string | number | null;
  };
  /** Forward an LSP request to a language server that sees the branch. */
  "understudy/branch/request": {
    /** the branch's id */
    branch: string;
    /** one of the allowed methods below */
    method: string;
    /** its params, as the LSP has them */
    params: Record<string, unknown>;
    /** the server; null: the types group's */
    server?: string | null;
    /** time limit in s */
    timeout?: number | null;
  };
  /** Run a command on a stage that shows a branch, and answer with its receipt. */
  "understudy/branch/run": {
    /** the program and its arguments; no shell */
    command: readonly (string)[];
    /** the branch's id; null: the base */
    branch?: string | null;
    /** where to run it, relative to the root */
    cwd?: string;
    /** variables put over a scrubbed environment */
    env?: Record<string, string>;
    /** none: a private loopback at most; host: the user's network */
    network?: "none" | "host";
    /** time limit in s; null: 600 */
    timeout?: number | null;
    /** most memory in MiB; null: three quarters of the machine's */
    memory?: number | null;
    /** most processes; null: 4096 */
    processes?: number | null;
    /** most that is written, in MiB; null: 2048 */
    disk?: number | null;
    /** shares one stage with runs of this branch that name the same */
    stage?: string | null;
    /** keep build products for the branch's next run with keep */
    keep?: boolean;
    /** write what it changed as a git diff */
    patch?: boolean;
    /** make what it changed edits of the branch */
    adopt?: boolean;
    /** where to send the output as it comes */
    partialResultToken?: string | number | null;
  };
  /** Name one branch. */
  "understudy/branch/diff": {
    /** the branch's id */
    branch: string;
  };
  /** Merge what the user has changed meanwhile into the branch. */
  "understudy/branch/rebase": {
    /** the branch's id */
    branch: string;
    /** conflicting path -> the text that settles it; null deletes the file */
    resolve?: Record<string, unknown>;
    /** path -> `seen` of its conflict: settled only while both sides are so */
    seen?: Record<string, string>;
  };
  /** Name one branch. */
  "understudy/branch/discard": {
    /** the branch's id */
    branch: string;
  };
  /** Name one branch. */
  "understudy/branch/reopen": {
    /** the branch's id */
    branch: string;
  };
  /** List the branches of this folder. */
  "understudy/branch/list": {
    /** the archived ones too */
    archived?: boolean;
  };
  /** Ask the branch's agent to change lines. */
  "understudy/branch/ask": {
    /** the branch's id */
    branch: string;
    /** the file, relative to the root */
    path: string;
    /** the first line of the branch's text, 0-based */
    start?: number;
    /** the end, exclusive */
    end?: number;
    /** what is to be different; may be empty; secrets are taken out */
    text?: string;
  };
  /** Take back what was asked. */
  "understudy/branch/unask": {
    /** the branch's id */
    branch: string;
    /** its number, from `understudy/branch/asks` */
    ask: number;
  };
  /** Name one branch. */
  "understudy/branch/asks": {
    /** the branch's id */
    branch: string;
  };
  /** Name one branch. */
  "understudy/branch/sendFindings": {
    /** the branch's id */
    branch: string;
  };
  /** Leave it to the agent to settle a file in which both sides changed the same lines. */
  "understudy/branch/sendConflict": {
    /** the branch's id */
    branch: string;
    /** the file, relative to the root */
    path: string;
  };
  /** No parameters. */
  "understudy/rehearsal/agents": Record<string, never>;
  /** Name one branch. */
  "understudy/rehearsal/stop": {
    /** the branch's id */
    branch: string;
  };
  /** Pin the base, to compare with later; or drop a checkpoint. */
  "understudy/checkpoint": {
    /** shown to the user; free text */
    title?: string;
    /** the id of a checkpoint to drop instead */
    drop?: string | null;
  };
  /** Say which files a change can reach, by which names and over which files; asks no server. */
  "understudy/affected": {
    /** the branch after; null: the base itself, with a checkpoint or revision */
    branch?: string | null;
    /** a checkpoint's id; null: the base as it is now */
    before?: string | null;
    /** a git revision instead; a branch means its merge base */
    revision?: string | null;
    /** edits that no branch keeps, instead of all of these */
    edits?: readonly (unknown)[] | null;
    /** only tests, all that can run the change */
    tests?: boolean;
    /** where to report progress */
    workDoneToken?: string | number | null;
  };
  /** Say how the last checks have judged: who was asked, shown what, and said what. */
  "understudy/traces": {
    /** only the last one of this branch; null: the latest of all */
    branch?: string | null;
  };
  /** Ask a language server about code: definitions, references, types, calls, symbols. */
  "understudy/code": {
    /** what is asked */
    question: "definition" | "declaration" | "type" | "implementation" | "references" | "hover" | "signature" | "callers" | "callees" | "actions" | "symbols" | "search";
    /** `PATH:LINE:COLUMN`, `PATH:LINE:NAME`, `PATH::NAME` or a name as `Class.method` (symbols: a path; search: letters of a name) */
    target: string;
    /** as this branch has the files */
    branch?: string | null;
    /** as this git revision has them */
    revision?: string | null;
    /** the server; null: the types group's */
    server?: string | null;
    /** time limit in s */
    timeout?: number | null;
    /** tokens that will be read: of more places no owner is told */
    budget?: number | null;
  };
  /** Rename what stands at a place, everywhere, as edits of a branch, and check them. */
  "understudy/code/rename": {
    /** the place, as in `understudy/code` */
    target: string;
    /** its new name */
    to: string;
    /** takes the edits; null: a new one */
    branch?: string | null;
    /** the server; null: the types group's */
    server?: string | null;
    /** time limit in s, of each step */
    timeout?: number | null;
    /** where to report progress */
    workDoneToken?: string | number | null;
  };
  /** Move a file, mending what names it, as edits of a branch, and check them. */
  "understudy/code/move": {
    /** the file's path */
    target: string;
    /** its new path */
    to: string;
    /** takes the edits; null: a new one */
    branch?: string | null;
    /** the server; null: the types group's */
    server?: string | null;
    /** time limit in s, of each step */
    timeout?: number | null;
    /** where to report progress */
    workDoneToken?: string | number | null;
  };
  /** Take what a server offers to do at a place, as edits of a branch, and check them. */
  "understudy/code/act": {
    /** the place, as in `understudy/code` */
    target: string;
    /** the title, as `actions` has it, or how it alone begins */
    to: string;
    /** takes the edits; null: a new one */
    branch?: string | null;
    /** only this server's */
    server?: string | null;
    /** time limit in s, of each step */
    timeout?: number | null;
    /** where to report progress */
    workDoneToken?: string | number | null;
  };
  /** Lay a file out, or sort its imports, as edits of a branch, and check them. */
  "understudy/code/format": {
    /** the file's path */
    target: string;
    /** takes the edits; null: a new one */
    branch?: string | null;
    /** the server; null: the first that knows how, linters first */
    server?: string | null;
    /** time limit in s, of each step */
    timeout?: number | null;
    /** where to report progress */
    workDoneToken?: string | number | null;
  };
  /** Lay a file out, or sort its imports, as edits of a branch, and check them. */
  "understudy/code/imports": {
    /** the file's path */
    target: string;
    /** takes the edits; null: a new one */
    branch?: string | null;
    /** the server; null: the first that knows how, linters first */
    server?: string | null;
    /** time limit in s, of each step */
    timeout?: number | null;
    /** where to report progress */
    workDoneToken?: string | number | null;
  };
  /** Show what a file declares, within a budget of tokens; or its text. */
  "understudy/outline": {
    /** the file, relative to the root */
    path: string;
    /** the branch whose text is meant; null: the user's own */
    branch?: string | null;
    /** `read`: the text, but the outline above 3,000 lines or 100 KB; `full`: the text, of the symbol or range if one is given */
    form?: "outline" | "read" | "full";
    /** only this one, as `Class.method` */
    symbol?: string | null;
    /** only these lines: first and last, counted from 1 */
    range?: readonly (number)[] | null;
    /** tokens of 4 bytes; null: 8000 */
    budget?: number | null;
    /** with the first line of each comment */
    docs?: boolean;
    /** refuse unless the text's SHA-256 begins like this */
    ifSha?: string | null;
  };
  /** Show the declarations of a folder that its files refer to most. */
  "understudy/map": {
    /** the folder; null: the root */
    folder?: string | null;
    /** the branch whose edits count; null: the user's own text */
    branch?: string | null;
    /** tokens of 4 bytes; null: 4096 */
    budget?: number | null;
    /** files of the task: what they mention comes first */
    task?: readonly (string)[];
    /** where to report progress */
    workDoneToken?: string | number | null;
  };
  /** Store an output exactly, and get a receipt for it. */
  "understudy/context/put": {
    /** the output; or `base64` */
    text?: string | null;
    /** the output's bytes */
    base64?: string | null;
    /** part of the file's name: the tool's name */
    label?: string;
    /** the folder of the store */
    kind?: "tool" | "file";
    /** whose store: this workspace's, or the user's, which every workspace reads */
    tier?: "project" | "user";
    /** the exit status, if there is one */
    exit?: number | null;
    /** see Policy */
    policy?: Record<string, unknown>;
  };
  /** Read, tail or grep a file of the store. */
  "understudy/context/get": {
    /** as a receipt names it */
    path: string;
    /** first and last line, counted from 1 */
    lines?: readonly (number)[] | null;
    /** so many last lines */
    tail?: number | null;
    /** the lines that have this text */
    grep?: string | null;
    /** `grep` is a regular expression */
    regex?: boolean;
    /** bytes of the answer; what is cut is counted */
    budget?: number;
  };
  /** Append to a session's log; long results become receipts. */
  "understudy/context/log": {
    /** the log's name */
    log: string;
    /** what happened, in order; see Context as files */
    events: readonly (unknown)[];
    /** see Policy */
    policy?: Record<string, unknown>;
  };
  /** Make the prompt of a log for the next call of the model. */
  "understudy/context/pack": {
    /** the log's name */
    log: string;
    /** s since 1970 of that call; null: now */
    at?: number | null;
    /** see Policy */
    policy?: Record<string, unknown>;
  };
  /** The last rounds in short, to tell whether the user's newest message begins a new topic. */
  "understudy/context/topic": {
    /** the log's name */
    log: string;
    /** see Policy */
    policy?: Record<string, unknown>;
  };
  /** What a log's prompts cost, as they were and by each rule. */
  "understudy/context/simulate": {
    /** the log's name */
    log: string;
    /** `read`, `write`, `ttl`: 0.1, 1.25, 300 s */
    prices?: Record<string, unknown>;
    /** see Policy */
    policy?: Record<string, unknown>;
  };
  /** What logs have in their prompts, and what their files have saved and cost. */
  "understudy/context/stats": {
    /** this log only; null: all */
    log?: string | null;
    /** see Policy */
    policy?: Record<string, unknown>;
  };
  /** The skills of the folder and the user. */
  "understudy/context/skills": {
    /** also look in `.CLIENT/skills` */
    client?: string | null;
    /** refuse what the specification does not allow */
    strict?: boolean;
  };
  /** Search outputs, histories, tools and skills. */
  "understudy/context/search": {
    /** words, ranked; or what to grep for */
    text: string;
    /** every line that has the text */
    grep?: boolean;
    /** every line that matches the pattern */
    regex?: boolean;
    /** of `tool file history mcp skills user`; none: all */
    kinds?: readonly (string)[];
    /** hits at most */
    limit?: number;
  };
  /** The MCP servers that the workspace defines, and how they are; none is started. */
  "understudy/context/mcp/list": Record<string, never>;
  /** List the tools of allowed servers now, whatever they answered before. */
  "understudy/context/mcp/sync": {
    /** these only; none: all */
    servers?: readonly (string)[];
  };
  /** Note that the user allows these servers, as they are defined now, to be started. */
  "understudy/context/mcp/allow": {
    /** their names */
    servers: readonly (string)[];
    /** false: no longer */
    allowed?: boolean;
  };
  /** Call a tool of an allowed server; its result is kept in the store. */
  "understudy/context/mcp/call": {
    /** SERVER/TOOL, as `mcp/INDEX.md` lists them */
    tool: string;
    /** what the tool takes */
    arguments?: Record<string, unknown>;
    /** time limit in s (default 120) */
    timeout?: number | null;
  };
  /** List the recorded terminals. */
  "understudy/terminal/list": Record<string, never>;
  /** Read what a terminal showed. */
  "understudy/terminal/read": {
    /** its id */
    terminal: string;
    /** only the command of this number; 0: the last that failed */
    command?: number | null;
    /** so many last lines of it */
    tail?: number | null;
  };
  /** Wait until a line matches, a command has ended or nothing more comes. */
  "understudy/terminal/wait": {
    /** its id */
    terminal: string;
    /** a regular expression for a line, from where the last command begins */
    pattern?: string | null;
    /** be content when nothing came for so many s */
    idle?: number | null;
    /** time limit in s */
    timeout?: number;
  };
  /** No parameters. */
  "understudy/status": Record<string, never>;
  /** Name one branch. */
  "understudy/branch/verdict": {
    /** the branch's id */
    branch: string;
  };
  /** Name one branch. */
  "understudy/branch/files": {
    /** the branch's id */
    branch: string;
  };
  /** Give the texts of one file that a branch changes. */
  "understudy/branch/text": {
    /** the branch's id */
    branch: string;
    /** the file, relative to the root */
    path: string;
  };
  /** Take edits of a branch into the documents of the editor that asks. */
  "understudy/branch/accept": {
    /** the branch's id */
    branch: string;
    /** whole files; without paths and hunks, everything but files that run something, see docs/reference/triggers.md */
    paths?: readonly (string)[];
    /** path -> ids of single hunks, from `understudy/branch/files` */
    hunks?: Record<string, readonly (string)[]>;
    /** the user has agreed to the files that are created, deleted and renamed */
    confirmed?: boolean;
    /** accept only if the branch's stamp is this one */
    ifStamp?: string | null;
    /** s to wait for the editor's answer; null: 30 */
    timeout?: number | null;
  };
  /** Drop edits from a branch. */
  "understudy/branch/reject": {
    /** the branch's id */
    branch: string;
    /** whole files */
    paths?: readonly (string)[];
    /** path -> ids of single hunks */
    hunks?: Record<string, readonly (string)[]>;
    /** reject only if the branch's stamp is this one */
    ifStamp?: string | null;
  };
  /** All that servers find in one file of a branch as it is now, old findings too. */
  "understudy/branch/findings": {
    /** the branch's id */
    branch: string;
    /** the file, relative to the root */
    path: string;
    /** time limit in s */
    timeout?: number | null;
  };
  /** What servers would do at a place of a branch, each tried before it is told. */
  "understudy/branch/fixes": {
    /** the branch's id */
    branch: string;
    /** the file, relative to the root */
    path: string;
    /** `quickfix` is for the findings that the branch brings, the others for all */
    kind?: "quickfix" | "source.organizeImports" | "format";
    /** 0-based, for `quickfix`; null: every line */
    line?: number | null;
    /** time limit in s */
    timeout?: number | null;
  };
  /** Say what edits since a checkpoint introduce, again and again. */
  "understudy/watch": {
    /** start: unless it runs already; restart: since now, or another checkpoint */
    action?: "look" | "start" | "restart" | "stop";
    /** a checkpoint's id; null: now */
    checkpoint?: string | null;
  };
  /** Call one of the tools of agents on behalf of a chat in the editor. */
  "understudy/tool": {
    /** the tool's name, see MCP below */
    tool: string;
    /** what the tool takes, without `root` */
    input?: Record<string, unknown>;
    /** names the chat: calls of one name share a checkpoint and a branch */
    session?: string;
    /** the branch that the session had, where this server was started anew since */
    resume?: string | null;
  };
  /** Stop writing a terminal down, or go on; the user's own, refused to agents. */
  "understudy/terminal/switch": {
    /** its id */
    terminal: string;
    /** whether it is written down */
    recording: boolean;
  };
  /** Tell what a terminal of the editor's own shows; the user's own, refused to agents. */
  "understudy/terminal/report": {
    /** the process that the editor started in it */
    pid: number;
    /** the shell's path or name */
    shell: string;
    /** its folder */
    cwd: string;
    /** in order: `{"kind": "begin", "command", "cwd"}`, `{"kind": "data", "text"}`, `{"kind": "missed", "characters"}`, `{"kind": "end", "exit"}` (null: not known), `{"kind": "closed"}`, with `"withdrawn": true` where no more may be told */
    events: readonly (unknown)[];
    /** why nothing can be told of its commands */
    reason?: string | null;
    /** the process that it had before, where the editor knows one */
    follows?: number | null;
  };
  /** Say which terminal the user looks at; the user's own, refused to agents. */
  "understudy/terminal/focus": {
    /** the process that the editor started in it */
    pid: number;
  };
  /** Look at everything that a check needs here; each language server is really asked once. */
  "understudy/doctor": Record<string, never>;
  /** The `initializationOptions` of `initialize`. */
  initializationOptions: {
    /** the editor's word on trust; null: `understudy trust`'s */
    trusted?: boolean | null;
    /** the selected Python interpreter, by its path */
    python?: string | null;
    /** our settings (see Settings), in camelCase or snake_case */
    settings?: Record<string, unknown>;
    /** the editor's own settings for language servers, by section */
    servers?: Record<string, unknown>;
    /** what the editor brings: `node` (a program that runs JavaScript as Node.js does with ELECTRON_RUN_AS_NODE=1), `extensions` (id -> folder), `bundled` (the folder of the servers that came with us); all are optional */
    editor?: Record<string, unknown>;
    /** a user sits at this connection, and may accept; null: only at the host's own, not at one that attached */
    user?: boolean | null;
    /** offer a review of branches by commands, code actions, lenses and a hover, in files that the user opens for it alone */
    review?: boolean;
  };
  /** Check edits and say what they would break; nothing is written. Servers judge the edited files and their dependents. Without any argument: what the folder's files introduce since this session began. `unknown` is never a pass. */
  understudy_lint: {
    /** in order: {"kind":"write","path","text"}, {"kind":"replace","path","old","new"} (old must match once), {"kind":"delete","path"}, {"kind":"rename","path","to"}, {"kind":"diff","text"}; paths from the root */
    edits?: readonly ({
      kind: "write" | "replace" | "delete" | "rename" | "diff";
      path?: string;
      text?: string;
      old?: string;
      new?: string;
      to?: string;
    })[];
    /** or a diff or `*** Begin Patch` block */
    diff?: string;
    /** takes the edits, or is judged; else this session's own, with earlier ones */
    branch?: string;
    /** without earlier edits */
    fresh?: boolean;
    /** what for */
    title?: string;
    /** diffs or branches to rank instead */
    candidates?: readonly (string)[];
    /** compare with this git revision */
    revision?: string;
    /** default affected */
    scope?: "edited" | "affected" | "workspace";
    /** default error */
    severity?: "error" | "warning" | "information" | "hint";
    /** keep servers' fixes that help */
    fix?: boolean;
    /** say more */
    explain?: boolean;
    /** only these */
    servers?: readonly (string)[];
    /** s (default 60) */
    timeout?: number;
    /** folder; else the first */
    root?: string;
  };
  /** Run a command in a private copy of the folder that holds a branch's edits. The output is kept; head and tail come back. */
  understudy_run: {
    /** program and arguments; no shell */
    command: readonly (string)[];
    /** else this session's own, or the user's text */
    branch?: string;
    /** relative to the root */
    cwd?: string;
    /** variables */
    env?: Record<string, string>;
    /** host: the user's network, if allowed */
    network?: "none" | "host";
    /** s (600, or 45 to be up) */
    timeout?: number;
    /** one copy for runs that name it; command [] ends its services */
    stage?: string;
    /** a service, up once it prints this or :PORT listens */
    until?: string;
    /** keep build products */
    keep?: boolean;
    /** its changes become the branch's */
    adopt?: boolean;
    /** folder; else the first */
    root?: string;
  };
  /** Look things up; call the tools of other servers. `read`, `tail` and `grep` show a kept output (its receipt's path); `search` ranks all that is kept by the words of `pattern`; `diff` shows a branch's edits. `note` keeps a fact (`pattern`) on `lines` of `path`, `notes` lists all and what is stale. `call` calls a tool of the user's other MCP servers: `read` mcp/INDEX.md, mcp/SERVER/tools/TOOL.json for what one takes. `terminals` lists the user's terminals, the active one and the last failed command marked; `wait` waits for a line that matches `pattern`, or its end. */
  understudy_context: {
    /** what to do */
    action: "read" | "tail" | "grep" | "search" | "diff" | "note" | "notes" | "terminals" | "wait" | "call";
    /** the kept output */
    path?: string;
    /** first and last, from 1 */
    lines?: readonly (number)[];
    /** from this character of one line (read) */
    column?: number;
    /** lines (tail), matches (grep), else 40 */
    count?: number;
    /** a regular expression (grep, wait), or words (search) */
    pattern?: string;
    /** SERVER/TOOL (call) */
    tool?: string;
    /** what the tool takes (call) */
    arguments?: Record<string, unknown>;
    /** s (call: 120, wait: 60) */
    timeout?: number;
    /** of the diff; else this session's own */
    branch?: string;
    /** folder; else the first */
    root?: string;
  };
  /** Read code by structure, and ask language servers. `outline` is what a file declares, `source` its text or one symbol's, `map` what a folder refers to most, `affected` what a change reaches, `search` names with these letters. Others are about `symbol`; from `rename` on they edit the branch and say the verdict. */
  understudy_code: {
    /** what to do */
    action: "outline" | "source" | "map" | "affected" | "definition" | "declaration" | "type" | "implementation" | "references" | "hover" | "signature" | "callers" | "callees" | "symbols" | "search" | "actions" | "rename" | "move" | "act" | "format" | "imports";
    /** a file, or a folder (map) */
    path?: string;
    /** first and last, from 1 */
    lines?: readonly (number)[];
    /** a name as Class.method, or PATH:LINE:COLUMN */
    symbol?: string;
    /** new name, path; title (act) */
    to?: string;
    /** as of this git revision */
    revision?: string;
    /** a patch; else the branch or what changed (affected) */
    diff?: string;
    /** only tests (affected) */
    tests?: boolean;
    /** tokens, at most 1900 */
    budget?: number;
    /** else this session's own */
    branch?: string;
    /** folder; else the first */
    root?: string;
  };
}
