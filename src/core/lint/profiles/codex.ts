import { toTable } from '../skill-facts.ts'
import { findOpenAiFileProblems } from './openai-file.ts'
import type { HostProblem, HostDescription } from './host.ts'
import { createTextCheck } from './value-checks.ts'

const MAX_SHORT_DESCRIPTION = 1024

/** Source: "Agent Skills" of the Codex documentation, and the loader of codex-rs. */
export const CODEX: HostDescription = {
  profile: 'codex',
  title: 'Codex',
  required: ['name', 'description'],
  keys: {
    name: createTextCheck(64),
    description: createTextCheck(1024),
    license: undefined,
    compatibility: undefined,
    metadata: undefined,
    'allowed-tools': undefined,
  },
  check: (skill, data) => {
    const short = toTable(data['metadata'])['short-description']
    const problem =
      short === undefined ? undefined : createTextCheck(MAX_SHORT_DESCRIPTION)(short, skill)
    const own: HostProblem[] = problem
      ? [{ path: ['metadata', 'short-description'], ...problem }]
      : []
    return [...own, ...findOpenAiFileProblems(skill)]
  },
}
