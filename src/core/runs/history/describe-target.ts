import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { RunRecord } from './run-record.ts'

/** Target of a run: a skill, a program of a language, or code with its mounted skills. */
export function describeRunTarget({
  kind,
  request,
  skills,
}: Pick<RunRecord, 'kind' | 'request' | 'skills'>): string {
  if (request.skill !== undefined) return request.skill
  if (kind === 'execute') return describeProgram(request.args)
  const mounted = skills.map(({ name, version }) => `${name}@${version}`).join(', ')
  return mounted === '' ? 'code' : `code with ${mounted}`
}

function describeProgram({ runtime, language = runtime, repository }: PlainObject): string {
  const programName = typeof language === 'string' ? language : 'a program'
  return typeof repository === 'string' ? `${programName} in ${repository}` : programName
}
