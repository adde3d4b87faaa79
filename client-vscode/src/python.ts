/**
 * Finds a Python that can run the server: each candidate is asked before it is used.
 *
 * Nothing is downloaded and nothing of the workspace is executed unless the workspace is trusted.
 */
import { execFile } from "node:child_process";

/** The oldest Python that the server runs on. */
export const MINIMUM: readonly [number, number] = [3, 10];

/** A command that may be a Python, and where it comes from. */
export interface Candidate {
  readonly command: readonly string[];
  readonly origin: string;
}

export interface Interpreter {
  /** The interpreter's own path. */
  readonly path: string;
  readonly version: string;
  readonly origin: string;
}

/** Why a candidate does not do. */
export interface Rejection {
  readonly candidate: Candidate;
  readonly reason: string;
}

/** None of the candidates will do; it names each with its reason. */
export class NoPython extends Error {
  constructor(readonly rejections: readonly Rejection[]) {
    const found = rejections.map((r) => `${r.candidate.command.join(" ")}: ${r.reason}`);
    super(
      `Understudy needs Python ${MINIMUM.join(".")} or newer, and none was found` +
        (found.length === 0 ? "." : ` (${found.join("; ")}).`),
    );
  }
}

const PROBE = "import json, sys; print(json.dumps([sys.executable, list(sys.version_info[:3])]))";
const PROBE_MS = 10_000;

/** The first candidate that will do; raises NoPython. `rejected` hears of those before it. */
export async function findPython(
  candidates: readonly Candidate[],
  rejected: (rejection: Rejection) => void,
): Promise<Interpreter> {
  const rejections: Rejection[] = [];
  for (const candidate of candidates) {
    const answer = await probe(candidate);
    if (typeof answer !== "string") {
      return answer;
    }
    const rejection = { candidate, reason: answer };
    rejections.push(rejection);
    rejected(rejection);
  }
  throw new NoPython(rejections);
}

/** What is looked for when no setting and no other extension names one. */
export function systemCandidates(platform: NodeJS.Platform): readonly Candidate[] {
  const names =
    platform === "win32" ? [["python3"], ["python"], ["py", "-3"]] : [["python3"], ["python"]];
  return names.map((command) => ({ command, origin: "PATH" }));
}

/** The interpreter behind a command, or why it will not do. */
async function probe(candidate: Candidate): Promise<Interpreter | string> {
  const [program, ...rest] = candidate.command;
  if (program === undefined) {
    return "no command";
  }
  let said: string;
  try {
    said = await output(program, [...rest, "-I", "-c", PROBE]);
  } catch (error) {
    return whyNot(error as Failure);
  }
  try {
    const [path, version] = JSON.parse(said) as [string, [number, number, number]];
    const [major, minor] = version;
    if (major !== MINIMUM[0] || minor < MINIMUM[1]) {
      return `is Python ${version.join(".")}`;
    }
    return { path, version: version.join("."), origin: candidate.origin };
  } catch {
    return "does not answer as a Python does";
  }
}

function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: PROBE_MS, windowsHide: true, encoding: "utf8" as const };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
      } else {
        reject(Object.assign(error, { said: stderr }));
      }
    });
  });
}

/** What Node.js says of a program that failed: `code` is a word, or the exit code. */
interface Failure {
  readonly code?: string | number | null;
  readonly killed?: boolean;
  readonly signal?: string | null;
  readonly said?: string;
}

function whyNot({ code, killed, signal, said }: Failure): string {
  if (code === "ENOENT") {
    return "not found";
  }
  if (killed === true) {
    return `no answer within ${PROBE_MS / 1000} s`;
  }
  if (typeof code === "string") {
    return `cannot be run (${code})`;
  }
  const first = (said ?? "").trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
  const end = signal ?? `exit code ${code}`;
  return first === "" ? `fails with ${end}` : `fails with ${end}: ${first}`;
}
