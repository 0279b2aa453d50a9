import { dirname } from 'node:path'
import { invalidParam, SkillsError } from '../../../errors.ts'
import type { Config } from '../../config/config.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'

/** What lint says of skill.toml; the rest of a skill may have flaws. */
const AREAS = ['schema/', 'naming/', 'inputs/', 'permissions/']

/** Writes skill.toml. Throws where a value has no form in TOML. */
export async function tomlOf(manifest: PlainObject): Promise<string> {
  const { stringify } = await import('smol-toml')
  refuseNull(manifest, 'manifest')
  try {
    return `${stringify(manifest).trimEnd()}\n`
  } catch (cause) {
    throw invalid('it has a value that TOML cannot hold', [], cause)
  }
}

/** Checks a draft as lint checks a skill. Throws with everything that is wrong. */
export async function checkDraft(draft: string, config: Config): Promise<void> {
  const { lintSkills } = await import('../../lint/lint.ts')
  const { RULES } = await import('../../lint/rules/index.ts')
  const only = RULES.filter(
    ({ id, severity, needsPython }) =>
      severity === 'error' && !needsPython && AREAS.some((area) => id.startsWith(area)),
  )
  const { findings } = await lintSkills({
    skills: [draft],
    cwd: dirname(draft),
    // What the operator turned off in his own skills is no licence for foreign ones.
    config: { ...config, lint: { rules: {}, overrides: [], ignore: [], profiles: [] } },
    env: {},
    only,
  })
  const wrong = findings.filter(({ file }) => file === 'skill.toml')
  const messages = wrong.map(({ message }) => message)
  if (messages[0] !== undefined) throw invalid(messages[0], messages)
  const { readEntry } = await import('../../skills/repository/read-entry.ts')
  const [problem] = readEntry(draft).problems
  if (!problem) return
  throw problem.path.endsWith('.toml') ? invalid(problem.message) : invalidMarkdown(problem.message)
}

function refuseNull(value: Plain | undefined, place: string): void {
  if (value === null) throw invalid(`"${place}" is null, which TOML cannot hold`)
  if (typeof value !== 'object') return
  for (const [key, each] of Object.entries(value)) refuseNull(each, `${place}.${key}`)
}

// eslint-disable-next-line max-params -- what was found first, everything, and why
function invalid(reason: string, problems: readonly string[] = [], cause?: unknown): SkillsError {
  return new SkillsError('params/invalid', `Invalid params: 'manifest': ${reason}`, {
    data: { param: 'manifest', reason, ...(problems.length > 1 && { problems }) },
    cause,
  })
}

function invalidMarkdown(reason: string): SkillsError {
  return invalidParam('skill_md', reason)
}
