import { dirname } from 'node:path'
import { invalidParamError, SkillsError } from '../../../errors.ts'
import type { Finding } from '../../lint/finding.ts'
import type { Config } from '../../config/config.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'

/** Settings for uploads: the project's own do not apply. */
const UPLOAD_LINT: Config['lint'] = {
  rules: {},
  overrides: [],
  baseline: undefined,
  ignore: [],
  profiles: [],
}

/** Areas of lint rules that an upload must pass; other flaws are accepted. */
const CHECKED_AREAS = ['schema/', 'naming/', 'inputs/', 'permissions/']

/** Serializes skill.toml. Throws if a value has no TOML form. */
export async function serializeManifest(manifest: PlainObject): Promise<string> {
  const { stringify } = await import('smol-toml')
  rejectNull(manifest, 'manifest')
  try {
    return `${stringify(manifest).trimEnd()}\n`
  } catch (cause) {
    throw createManifestError('it has a value that TOML cannot represent', [], cause)
  }
}

/** Lints a draft. Throws with all problems. */
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
    // Rules that the operator turned off for own skills still apply to uploaded ones.
    config: { ...config, lint: UPLOAD_LINT },
    env: {},
    only,
    staysInside: true,
  })
  const wrong = findings.filter(({ file }) => file === 'skill.toml')
  const messages = wrong.map(({ message }) => message)
  if (messages[0] !== undefined) throw createManifestError(messages[0], messages)
  const { readEntry } = await import('../../skills/repository/read-entry.ts')
  const [problem] = readEntry(draft).problems
  if (!problem) return config.serve.vetsUploads ? await refuseDangerous(draft) : undefined
  throw problem.path.endsWith('.toml')
    ? createManifestError(problem.message)
    : createMarkdownError(problem.message)
}

async function refuseDangerous(draft: string): Promise<void> {
  const { vetFolder } = await import('../../vetting/index.ts')
  const { verdict, findings } = vetFolder(draft)
  if (verdict !== 'dangerous') return
  const [{ path, message }] = findings as [Finding]
  throw new SkillsError('policy/denied', `The skill is refused as dangerous: ${path}: ${message}`, {
    hint: 'Type "skills vet" on its folder for all findings',
    data: { findings: findings.map(({ rule, path: file }) => ({ rule, path: file })) },
  })
}

function rejectNull(value: Plain | undefined, path: string): void {
  if (value === null) throw createManifestError(`"${path}" is null, which TOML cannot represent`)
  if (typeof value !== 'object') return
  for (const [key, each] of Object.entries(value)) rejectNull(each, `${path}.${key}`)
}

// eslint-disable-next-line max-params -- the first reason, all problems, and the cause
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
  return invalidParamError('skill_md', reason)
}
