import { createPathMask } from '../util/text/mask-paths.ts'
import type { SessionProblem } from './agent-session.ts'
import type { SessionFiles } from './files/session-files.ts'
import type { SkillHost } from './host.ts'

/** Lists the skills that the host cannot use, and the files that could not be copied. */
export async function listSessionProblems(
  host: SkillHost,
  files: SessionFiles,
): Promise<SessionProblem[]> {
  const skills = (await host.problems?.()) ?? []
  return [
    ...skills.map(({ path, message }): SessionProblem => ({ kind: 'skill', path, message })),
    ...files.problems.map((message): SessionProblem => ({ kind: 'file', message })),
  ]
}

const maskForeignPaths = createPathMask([])

/** Creates the function that removes paths of the host from messages for a model. */
export function createSessionMask(host: SkillHost): (text: string) => string {
  return (text) => host.maskPaths?.(text) ?? maskForeignPaths(text)
}
