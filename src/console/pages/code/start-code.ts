import { callMethod } from '../../app/api.ts'
import { parseArguments } from '../../models/input-form.ts'
import { readTimeout } from '../../models/read-timeout.ts'

/** Code to begin with, by language of skills. Its function is called with the arguments. */
const STARTING_FUNCTIONS: Readonly<Record<string, string>> = {
  python: 'def main(args):\n    return {"answer": 42}\n',
  node: 'export function main(args) {\n  return { answer: 42 }\n}\n',
  typescript: 'export function main(args: Record<string, unknown>) {\n  return { answer: 42 }\n}\n',
  shell: 'main() {\n  json answer:=42\n}\n',
}

export const FUNCTION_LANGUAGES: readonly string[] = Object.keys(STARTING_FUNCTIONS)

/** `function`: `main` is called with arguments, as in a skill. `program`: the text is run as a program. */
export type RunnableKind = 'function' | 'program'

/** Texts of the fields of the page. */
export interface CodeFields {
  kind: RunnableKind
  language: string
  code: string
  /** Arguments of a function, as JSON. */
  args: string
  /** Skills that a function can import. */
  skills: string
  /** Arguments of a program, one in each line. */
  argv: string
  stdin: string
  /** Time limit in milliseconds. */
  timeout: string
}

/** Code to begin with; empty for a program. */
export function findStartingCode({
  kind,
  language,
}: Pick<CodeFields, 'kind' | 'language'>): string {
  return kind === 'function' ? (STARTING_FUNCTIONS[language] ?? '') : ''
}

export function createCodeFields(): CodeFields {
  const start = { kind: 'function', language: 'python' } as const
  const texts = { args: '{}', skills: '', argv: '', stdin: '', timeout: '' }
  return { ...start, code: findStartingCode(start), ...texts }
}

/** Starts a run that continues without the page. Returns its id; undefined if a field is not valid. */
export async function startCode(fields: CodeFields): Promise<string | undefined> {
  const timeout = readTimeout(fields.timeout)
  if (timeout === 'invalid') return undefined
  return fields.kind === 'function'
    ? await startFunction(fields, timeout)
    : await startProgram(fields, timeout)
}

async function startFunction(
  { language, code, args, skills }: CodeFields,
  timeoutMs: number | undefined,
): Promise<string | undefined> {
  const parsed = parseArguments(args)
  if ('problem' in parsed) return undefined
  const started = await callMethod('run_code', {
    language,
    code,
    args: parsed.args as never,
    mount_skills: skills.split(/[\s,]+/).filter(Boolean),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    detach: true,
  })
  return readRunId(started)
}

async function startProgram(
  { language, code, argv, stdin }: CodeFields,
  timeoutMs: number | undefined,
): Promise<string> {
  const args = argv.split('\n').filter((line) => line !== '')
  const program = {
    runtime: language,
    code,
    ...(args.length > 0 && { args }),
    ...(stdin !== '' && { stdin }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    detach: true,
  }
  return readRunId(await callMethod('runtime.execute', program as never))
}

/** The answer about a program has `runId`, as all its fields; the other has `run_id`. */
function readRunId(started: unknown): string {
  const { run_id: id, runId = id } = started as { run_id?: string; runId?: string }
  return runId ?? ''
}
