import { createPathMask } from '../util/text/mask-paths.ts'
import type { SessionProblem } from './agent-session.ts'
import type { SessionFiles } from './files/session-files.ts'
import { describeRenamedProfile, findRenamedProfile } from '../core/methods/define-method.ts'
import type { SkillHost } from './host.ts'
import type { ToolChoice } from './profiles.ts'

/** Lists unusable skills, files that could not be copied, and a former name of the tools. */
export async function listSessionProblems(
  host: SkillHost,
  files: SessionFiles,
  tools: ToolChoice | undefined,
): Promise<SessionProblem[]> {
  const skills = (await host.problems?.()) ?? []
  const renamed = typeof tools === 'string' ? findRenamedProfile(tools) : undefined
  return [
    ...skills.map(({ path, message }): SessionProblem => ({ kind: 'skill', path, message })),
    ...files.problems.map((message): SessionProblem => ({ kind: 'file', message })),
    ...(renamed === undefined
      ? []
      : [{ kind: 'tools' as const, message: describeRenamedProfile(String(tools), renamed) }]),
  ]
}

const maskForeignPaths = createPathMask([])

/** Creates the function that removes paths of the host from messages for a model. */
export function createSessionMask(host: SkillHost): (text: string) => string {
  return (text) => host.maskPaths?.(text) ?? maskForeignPaths(text)
}
