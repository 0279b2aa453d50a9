import { SkillsError } from '../../../errors.ts'
import { formatDuration } from '../../../util/quantity.ts'
import type { Manifest, PlainObject } from '../../manifest/manifest.ts'
import type { SkillEntry } from '../../repository/repository.ts'
import type { LogPiece, RunResult } from '../../run/result.ts'
import type { Runtime } from '../../runtime.ts'
import type { CallOptions } from '../method.ts'

export interface ExecuteSkillParams {
  name: string
  version?: string | undefined
  args?: PlainObject | undefined
  input_blobs?: readonly string[] | undefined
  timeout_ms?: number | undefined
}

/** What the caller's side adds to a run. */
export interface ExecuteCall extends CallOptions {
  /** The caller's environment: where programs are found and variables are handed through from. */
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Values by name; a skill gets those that it declares. */
  secrets?: ReadonlyMap<string, string> | undefined
  /** Called with what the run says, as it says it. */
  onLog?: ((piece: LogPiece) => void) | undefined
}

/** `execute_skill`: runs a skill's entrypoint in a fresh sandbox. */
export async function executeSkill(
  runtime: Runtime,
  params: ExecuteSkillParams,
  call: ExecuteCall,
): Promise<RunResult> {
  const entry = await runtime.repository.resolve(params.name, params.version)
  return await executeEntry(runtime, { ...params, entry }, call)
}

/** The same for a skill that was found already, such as one in a folder. */
export async function executeEntry(
  runtime: Runtime,
  params: Omit<ExecuteSkillParams, 'name' | 'version'> & { entry: SkillEntry },
  call: ExecuteCall,
): Promise<RunResult> {
  const { config } = runtime
  const manifest = await runtime.repository.manifest(params.entry)
  checkExecutable(manifest)
  const wallMs = checkTimeout(params.timeout_ms ?? config.run.timeoutMs, config.run.maxTimeoutMs)
  const { runSkill } = await import('../../run/run-skill.ts')
  const { cpuMs, memoryBytes, processes, openFiles, workspaceBytes, outputBytes } =
    config.run.limits
  return await runSkill({
    manifest,
    dir: params.entry.dir,
    args: params.args ?? {},
    inputBlobs: [...new Set(params.input_blobs)],
    limits: { wallMs, cpuMs, memoryBytes, processes, openFiles, workspaceBytes, outputBytes },
    maxBlobBytes: config.run.limits.blobBytes,
    secrets: await secretsFor(manifest, call, config.secrets.file),
    environment: handedThrough(config.run.environment, call.env),
    python: config.run.python,
    strict: config.run.requireIsolation === 'strict',
    cacheDir: runtime.cacheDir,
    cwd: call.cwd,
    env: call.env,
    blobs: await runtime.blobs(),
    signal: call.signal,
    onLog: call.onLog,
  })
}

function checkExecutable(manifest: Manifest): void {
  if (!manifest.runtime) {
    throw new SkillsError(
      'skill/not-executable',
      `"${manifest.name}" has no code to run: it is an instruction skill`,
      { hint: `Type "skills read ${manifest.name} SKILL.md" to read it` },
    )
  }
  if (manifest.runtime.language !== 'python') {
    throw new SkillsError(
      'skill/not-executable',
      `Expected the language "python", got "${manifest.runtime.language}"`,
      { hint: 'Change runtime.language in skill.toml' },
    )
  }
}

function checkTimeout(timeoutMs: number, maxMs: number): number {
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs <= 0 || timeoutMs > maxMs) {
    throw new SkillsError(
      'params/invalid',
      `Expected a timeout of 1ms to ${formatDuration(maxMs)}, got ${timeoutMs}ms`,
      {
        hint: 'Set run.max_timeout in skills.config.toml to allow more',
        data: { param: 'timeout_ms' },
      },
    )
  }
  return timeoutMs
}

/** Only what the skill declares, and of that what the caller or the operator has. */
async function secretsFor(
  { permissions }: Manifest,
  call: ExecuteCall,
  file: string | undefined,
): Promise<Record<string, string>> {
  if (permissions.secrets.length === 0) return {}
  const { readSecretsFile } = await import('../../run/secrets.ts')
  const configured = file === undefined ? new Map<string, string>() : readSecretsFile(file)
  const found: Record<string, string> = {}
  for (const name of permissions.secrets) {
    const value = call.secrets?.get(name) ?? configured.get(name)
    if (value !== undefined) found[name] = value
  }
  return found
}

function handedThrough(names: readonly string[], env: ExecuteCall['env']): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}
