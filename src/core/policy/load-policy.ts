import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { SkillsError } from '../../errors.ts'
import type { Config } from '../config/config.ts'
import type { ParsedPolicy } from './parse-policy.ts'
import type { Policy, PolicyFile, PolicySource } from './policy.ts'
import { findDanglingLink, readTrusted, readUntrusted } from '../config/read-trusted.ts'

type PolicyConfig = Pick<Config, 'run' | 'runtime' | 'policy'>

interface LoadedFile extends ParsedPolicy {
  file: PolicyFile
}

/**
 * Loads the effective policy: the operator's file, restricted further by the project's file. A
 * missing file allows everything; a file that is not readable, or that other users can change,
 * allows nothing.
 */
export async function loadPolicy(config: PolicyConfig): Promise<Policy> {
  const operator = getOperatorFile(config)
  const { projectFile } = config.policy
  const files: LoadedFile[] = []
  if (operator !== undefined) files.push(...(await loadPolicyFile(operator, 'operator')))
  if (config.policy.file !== undefined && files.length === 0)
    throw createMissingPolicyError(config.policy.file)
  if (projectFile !== undefined && projectFile !== operator) {
    files.push(...(await loadPolicyFile(projectFile, 'project')))
  }
  const { run, runtime } = config
  return {
    enabled: runtime.enabled,
    timeoutMs: run.timeoutMs,
    maxTimeoutMs: run.maxTimeoutMs,
    outputBytes: run.limits.outputBytes,
    environment: run.environment,
    scopes: files.flatMap(({ scopes }) => scopes),
    programs: files.flatMap(({ file, programs }) => (file.trust === 'operator' ? programs : [])),
    approval: files.find(({ file }) => file.trust === 'operator')?.approval,
    files: files.map(({ file }) => file),
  }
}

/** Creates a source that reads the files again only after a change. */
export function createPolicySource(config: PolicyConfig): PolicySource {
  let cached: { stamp: string; policy: Policy } | undefined
  return async () => {
    const stamp =
      stampPolicyFile(getOperatorFile(config)) + stampPolicyFile(config.policy.projectFile)
    if (cached?.stamp !== stamp) cached = { stamp, policy: await loadPolicy(config) }
    return cached.policy
  }
}

function getOperatorFile({ policy }: PolicyConfig): string | undefined {
  return policy.file ?? policy.standardFile
}

async function loadPolicyFile(path: string, trust: PolicyFile['trust']): Promise<LoadedFile[]> {
  const text =
    trust === 'operator' ? readTrusted(path, 'the policy') : readUntrusted(path, 'the policy')
  if (text === undefined) return []
  const { parsePolicy } = await import('./parse-policy.ts')
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  return [{ ...parsePolicy(path, text, trust), file: { path, trust, digest } }]
}

/** Fingerprint of everything that decides whether a file may be read, and of its content. */
function stampPolicyFile(path: string | undefined): string {
  if (path === undefined) return '-'
  try {
    // Without the option, a missing file throws, which is far slower; most of these files do not
    // exist.
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return findDanglingLink(path) === undefined ? 'ENOENT' : 'dangling'
    const { ino, dev, mtimeMs, ctimeMs, size, mode, uid } = stat
    return [ino, dev, mtimeMs, ctimeMs, size, mode, uid].join(' ')
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

function createMissingPolicyError(file: string): SkillsError {
  return new SkillsError('policy/invalid', `The policy "${file}" does not exist`, {
    hint: 'Correct policy.file, or remove it from the configuration',
  })
}
