import { callMethod } from '../../app/api.ts'
import { parseArguments } from '../../models/input-form.ts'

/** Code to begin with, by language of skills. Its function is called with the arguments. */
export const STARTING_CODE: Readonly<Record<string, string>> = {
  python: 'def main(args):\n    return {"answer": 42}\n',
  node: 'export function main(args) {\n  return { answer: 42 }\n}\n',
}

/** Texts of the fields of the page. */
export interface CodeFields {
  language: string
  code: string
  args: string
  skills: string
}

/** True for a language of skills; text of another one is a program. */
export function isSkillLanguage(language: string): boolean {
  return Object.hasOwn(STARTING_CODE, language)
}

/** Starts a run that continues without the page. Returns its id; undefined if a field is not valid. */
export async function startCode(fields: CodeFields): Promise<string | undefined> {
  const { language, code } = fields
  if (!isSkillLanguage(language)) {
    const program = { runtime: language, code, detach: true }
    return readRunId(await callMethod('runtime.execute', program as never))
  }
  const parsed = parseArguments(fields.args)
  if ('problem' in parsed) return undefined
  const skills = fields.skills.split(/[\s,]+/).filter(Boolean)
  const started = await callMethod('run_code', {
    language,
    code,
    args: parsed.args as never,
    mount_skills: skills,
    detach: true,
  })
  return readRunId(started)
}

function readRunId(started: unknown): string {
  return (started as { run_id: string }).run_id
}
