import { dirname } from 'node:path'
import { invalidParam, SkillsError } from '../../../errors.ts'
import type { Config } from '../../config/config.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'

/** What lint says of skill.toml; the rest of a skill may have flaws. */
const CHECKED_AREAS = ['schema/', 'naming/', 'inputs/', 'permissions/']

/** Writes skill.toml. Throws where a value has no form in TOML. */
export async function serializeManifest(manifest: PlainObject): Promise<string> {
  const { stringify } = await import('smol-toml')
  rejectNull(manifest, 'manifest')
  try {
    return `${stringify(manifest).trimEnd()}\n`
  } catch (cause) {
    throw createManifestError('it has a value that TOML cannot hold', [], cause)
  }
}

/** Checks a draft as lint checks a skill. Throws with everything that is wrong. */
export async function checkDraft(draft: string, config: Config): Promise<void> {
  const { lintSkills } = await import('../../lint/lint.ts')
  const { RULES } = await import('../../lint/rules/index.ts')
  const only = RULES.filter(
    ({ id, severity, needsPython }) =>
      severity === 'error' && !needsPython && CHECKED_AREAS.some((area) => id.startsWith(area)),
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
  if (messages[0] !== undefined) throw createManifestError(messages[0], messages)
  const { readEntry } = await import('../../skills/repository/read-entry.ts')
  const [problem] = readEntry(draft).problems
  if (!problem) return
  throw problem.path.endsWith('.toml')
    ? createManifestError(problem.message)
    : createMarkdownError(problem.message)
}

function rejectNull(value: Plain | undefined, place: string): void {
  if (value === null) throw createManifestError(`"${place}" is null, which TOML cannot hold`)
  if (typeof value !== 'object') return
  for (const [key, each] of Object.entries(value)) rejectNull(each, `${place}.${key}`)
}

// eslint-disable-next-line max-params -- what was found first, everything, and why
function createManifestError(
  reason: string,
  problems: readonly string[] = [],
  cause?: unknown,
): SkillsError {
  return new SkillsError('params/invalid', `Invalid params: 'manifest': ${reason}`, {
    data: { param: 'manifest', reason, ...(problems.length > 1 && { problems }) },
    cause,
  })
}

function createMarkdownError(reason: string): SkillsError {
  return invalidParam('skill_md', reason)
}
