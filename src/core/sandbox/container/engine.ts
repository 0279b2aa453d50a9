import { existsSync, readFileSync } from 'node:fs'
import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import {
  QUERY_TIMEOUT_MS,
  describeFailure,
  runHostProgram,
  type HostProgramResult,
} from '../../host-programs/run-host-program.ts'
import type { ContainerSettings, SandboxRequest } from '../backend.ts'
import { buildRunscOptions, findRunsc } from './gvisor/runsc.ts'

/** Variables that locate an engine and its state; no others are passed to it. */
const PASSTHROUGH_VARIABLES =
  /^(?:PATH|HOME|TMPDIR|XDG_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS|DOCKER_[A-Z_]+|CONTAINERS?_[A-Z_]+)$/
const UNIFIED_HIERARCHY = '/sys/fs/cgroup/unified'

/** A program that starts containers. */
export interface ContainerEngine {
  name: 'docker' | 'podman'
  /** True if it starts containers in gVisor. */
  hasGvisor: boolean
  /** argv prefix of every command. */
  command: readonly [string, ...string[]]
  env: Record<string, string>
}

/** Finds the configured engine; with `auto`, podman before docker. */
export function findEngine(
  settings: ContainerSettings,
  env: SandboxRequest['env'],
): ContainerEngine | undefined {
  return listEngines(settings, env)[0]
}

/**
 * Finds the first configured engine that answers, or else the first one that is installed: where
 * engines run in a virtual machine, installed ones are often not started.
 */
export async function findAnsweringEngine(
  settings: ContainerSettings,
  env: SandboxRequest['env'],
): Promise<ContainerEngine | undefined> {
  const engines = listEngines(settings, env)
  if (engines.length < 2 || process.platform === 'linux') return engines[0]
  for (const engine of engines) if ((await runEngine(engine, ['info'])).ok) return engine
  return engines[0]
}

function listEngines(
  { engine, runtime }: ContainerSettings,
  env: SandboxRequest['env'],
): ContainerEngine[] {
  const names = engine === 'auto' ? (['podman', 'docker'] as const) : [engine]
  return names.flatMap((name) => {
    const program = findProgram(name, env['PATH'] ?? DEFAULT_PATH)
    if (program === undefined) return []
    const command = buildEngineCommand(name, program, env)
    const found = { name, hasGvisor: false, command, env: pickPassthroughEnv(env) }
    return runtime === 'runsc' ? useRunsc(found, env) : [found]
  })
}

/** Docker knows runtimes by names in the configuration of its daemon only. */
function useRunsc(engine: ContainerEngine, env: SandboxRequest['env']): ContainerEngine[] {
  const runsc = findRunsc(env)
  if (engine.name !== 'podman' || runsc === undefined) return []
  return [{ ...engine, hasGvisor: true, command: [...engine.command, ...buildRunscOptions(runsc)] }]
}

/** Runs a command of the engine, optionally with stdin. */
export async function runEngine(
  { command, env }: ContainerEngine,
  args: readonly string[],
  input?: Buffer,
): Promise<Pick<HostProgramResult, 'ok' | 'stdout' | 'stderr'>> {
  const options = { env, cwd: '/', timeoutMs: QUERY_TIMEOUT_MS, input }
  const result = await runHostProgram([...command, ...args], options)
  return result.ok ? result : { ...result, stderr: result.stderr || describeFailure(result) }
}

function pickPassthroughEnv(env: SandboxRequest['env']): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && PASSTHROUGH_VARIABLES.test(name) ? [[name, value] as const] : [],
  )
  return Object.fromEntries(entries)
}

/**
 * With both cgroup versions in use (hybrid), crun refuses to set limits in either. It uses version
 * 1 if version 2 is not visible, so podman runs in a mount namespace without it.
 */
function buildEngineCommand(
  name: ContainerEngine['name'],
  program: string,
  env: SandboxRequest['env'],
): ContainerEngine['command'] {
  const unshare = findProgram('unshare', env['PATH'] ?? DEFAULT_PATH)
  if (name !== 'podman' || !unshare || process.getuid?.() !== 0 || !isHybridCgroup())
    return [program]
  return [unshare, '--mount', 'sh', '-c', `umount -l ${UNIFIED_HIERARCHY}; exec "$0" "$@"`, program]
}

/** True if both cgroup versions offer controllers. */
export function isHybridCgroup(): boolean {
  const controllers = `${UNIFIED_HIERARCHY}/cgroup.controllers`
  return existsSync(controllers) && readFileSync(controllers, 'utf8').trim() !== ''
}
