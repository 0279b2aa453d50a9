import type { RunRecord } from '../../core/runs/history/run-record.ts'

/** A call of a skill, as a record or a form describes it. */
export interface SkillCall {
  name: string
  version: string | undefined
  args: object
  inputBlobs: readonly string[]
  timeoutMs: number | null
}

/** The call that started a run; undefined if its record lacks a part, as the text of code. */
export function readCall({ kind, request }: RunRecord): SkillCall | undefined {
  if (kind !== 'execute_skill' || request.skill === undefined) return undefined
  if (request.args_cut.length > 0) return undefined
  const at = request.skill.lastIndexOf('@')
  return {
    name: at > 0 ? request.skill.slice(0, at) : request.skill,
    version: at > 0 ? request.skill.slice(at + 1) : undefined,
    args: request.args,
    inputBlobs: request.input_blobs,
    timeoutMs: request.timeout_ms,
  }
}

/** Parameters of execute_skill for the same call. */
export function toCallParams(call: SkillCall): Record<string, unknown> {
  const { name, version, args, inputBlobs, timeoutMs } = call
  return {
    name,
    ...(version !== undefined && { version }),
    args,
    ...(inputBlobs.length > 0 && { input_blobs: inputBlobs }),
    ...(timeoutMs !== null && { timeout_ms: timeoutMs }),
  }
}

/** One word of a POSIX shell, whatever it contains. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export function formatCommandLine(call: SkillCall, url: string): string {
  const { name, version, args, inputBlobs, timeoutMs } = call
  return [
    'skills exec',
    quoteWord(version === undefined ? name : `${name}@${version}`),
    `--args ${quoteWord(JSON.stringify(args))}`,
    ...inputBlobs.map((id) => `--input-blob ${quoteWord(id)}`),
    ...(timeoutMs === null ? [] : [`--timeout ${timeoutMs}ms`]),
    `--url ${quoteWord(url)}`,
  ].join(' ')
}

export function formatCurl(call: SkillCall, url: string): string {
  const body = { jsonrpc: '2.0', id: 1, method: 'execute_skill', params: toCallParams(call) }
  return [
    `curl ${quoteWord(`${url}/rpc`)}`,
    `-H 'content-type: application/json'`,
    `-H "authorization: Bearer $SKILLS_TOKEN"`,
    `--data ${quoteWord(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

export function formatTypescript(call: SkillCall, url: string): string {
  const params = JSON.stringify(toCallParams(call), null, 2)
  return [
    `import { createClient } from 'skills-protocol/client'`,
    '',
    `const client = createClient({ url: ${JSON.stringify(url)}, token: process.env.SKILLS_TOKEN })`,
    `const result = await client.executeSkill(${params})`,
    'console.log(result)',
    '',
  ].join('\n')
}
