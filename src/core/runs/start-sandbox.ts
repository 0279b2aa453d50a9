import { cancelledError, SkillsError } from '../../errors.ts'
import { listProjectFolders } from '../languages/project-folders.ts'
import type { Backend, Interpreter, SandboxProcess, SandboxRequest } from '../sandbox/backend.ts'
import type { Executor } from '../sandbox/executor/executor.ts'
import { executorTooWeakError } from '../sandbox/executor/guarantees.ts'
import { noControlGroupError } from '../sandbox/start-errors.ts'
import type { Services } from '../services.ts'
import type { ActiveRun, BlobFiles } from './active-run.ts'
import {
  describePackages,
  seesPackages,
  listPackageNotes,
  reportPackages,
  showOwnFolder,
} from './host-packages.ts'
import type { GuestToolchains } from './guest-toolchains.ts'
import { openNetwork } from './network/open-network.ts'
import type { RunCall } from './run-call.ts'
import {
  explainStranger,
  selectIsolation,
  sharesKernelError,
  type SelectedIsolation,
} from './checks/select-isolation.ts'

/** Services for starting a sandbox; `skills doctor` provides only these. */
export type StartServices = Pick<Services, 'config' | 'sandboxes' | 'instruments'>

/** The part of a sandbox request that depends on the kind of run. */
export interface GuestRequest extends Pick<
  SandboxRequest,
  'guest' | 'skills' | 'tools' | 'nodePackages' | 'folders' | 'workspace' | 'code'
> {
  toolchains?: GuestToolchains | undefined
}

export interface ProgramGuest extends GuestRequest {
  guest: Extract<SandboxRequest['guest'], { kind: 'program' }>
}

interface StartingRun {
  run: ActiveRun
  blobs: BlobFiles
  /** Adds a line to the logs. */
  note: (text: string) => void
  /** Builds the guest's part of the request, once the backend and the network are known. */
  describeGuest(backend: Backend, environment: EnvironmentVariables): Promise<GuestRequest>
}

type EnvironmentVariables = Readonly<Record<string, string>>

/** A running sandbox with its network. */
export interface StartedSandbox {
  sandbox: SandboxProcess
  closeNetwork: () => void
}

/**
 * Starts a sandbox; the only function that does. Throws if the isolation is weaker than required.
 */
export async function startSandbox(
  services: StartServices,
  starting: StartingRun,
): Promise<StartedSandbox> {
  try {
    return await startSelected(services, starting)
  } catch (thrown) {
    throw explainStranger(thrown, services.config.run, starting.run.permissions.stranger)
  }
}

async function startSelected(
  services: StartServices,
  starting: StartingRun,
): Promise<StartedSandbox> {
  const { run, note } = starting
  const { call, permissions } = run
  const { hostPackages } = services.config.run
  const selected = selectIsolation(services.config.run, permissions.stranger)
  const { container, strict } = selected
  const backend = await services.sandboxes.openBackend(selected.backend, call.env)
  const { executor } = services.sandboxes
  requirePossible(selected, backend, executor)
  await writeStartNotes(services, run, note)
  if (call.signal?.aborted) throw cancelledError()
  const network = await openNetwork({ ...run, answerer: services.instruments?.answerer }, note)
  const closeNetwork = () => network?.sandbox.close()
  try {
    const guest = await starting.describeGuest(backend, network?.environment ?? {})
    const { toolchains: _, ...request } = guest
    const sandbox = await backend.start({
      ...request,
      ...describePackages(guest, hostPackages),
      id: run.id,
      blobs: starting.blobs,
      interpreter: async () => showOwnFolder(await findInterpreter(services, call), guest),
      limits: permissions.limits,
      env: call.env,
      container,
      strict,
      ownMemoryLayout: permissions.ownMemoryLayout,
      hasLowPriority: run.hasLowPriority,
      signal: call.signal,
      keepIn: call.keepIn,
      network: network?.sandbox,
    })
    if (network) killWhenExceeded(sandbox, network.exceeded)
    reportCpuTime(call, sandbox)
    if (strict) await requireStrict(sandbox, executor)
    return { sandbox: reportPackages(sandbox, seesPackages(guest, hostPackages)), closeNetwork }
  } catch (error) {
    closeNetwork()
    throw error
  }
}

/** Refuses a run before its start if its backend cannot isolate it as required. */
function requirePossible(
  { strict, needsOwnKernel }: SelectedIsolation,
  { name, guarantees }: Backend,
  executor: Executor | undefined,
): void {
  if (needsOwnKernel && name !== 'container') throw sharesKernelError(name)
  if (!strict) return
  if (executor && guarantees.tier !== 'strict') throw executorTooWeakError(executor)
  if (guarantees.tier === 'none') throw backendDoesNotIsolateError()
}

/** Writes the first lines of the logs of a run. */
export async function writeStartNotes(
  { config, sandboxes }: StartServices,
  { call, permissions }: Pick<ActiveRun, 'call' | 'permissions'>,
  note: (text: string) => void,
): Promise<void> {
  const { backend: name } = selectIsolation(config.run, permissions.stranger)
  const { hostPackages } = config.run
  const backend = await sandboxes.openBackend(name, call.env)
  const packageNotes = listPackageNotes(hostPackages)
  for (const each of [...permissions.notes, ...backend.notes, ...packageNotes]) note(each)
}

/** A killed run without a control group reports no processor time: its duration counts then. */
export function reportCpuTime({ onEvent }: RunCall, sandbox: Pick<SandboxProcess, 'exited'>): void {
  if (!onEvent) return
  const startedAt = performance.now()
  const report = (ms = performance.now() - startedAt) => onEvent({ type: 'cpu', ms })
  void sandbox.exited.then(
    ({ cpuMs }) => report(cpuMs),
    () => report(),
  )
}

function killWhenExceeded(sandbox: SandboxProcess, exceeded: AbortSignal): void {
  const kill = () => sandbox.kill('network')
  if (exceeded.aborted) kill()
  else exceeded.addEventListener('abort', kill, { once: true })
}

async function requireStrict(sandbox: SandboxProcess, executor?: Executor): Promise<void> {
  if (sandbox.isolation.tier === 'strict') return
  sandbox.kill('cancelled')
  for (const each of [sandbox.stdout, sandbox.stderr, sandbox.channel]) each.resume()
  await sandbox.exited
  throw executor ? executorTooWeakError(executor) : noControlGroupError()
}

/** Finds the Python of the harness. */
async function findInterpreter(
  { config, sandboxes }: StartServices,
  { cwd, env }: RunCall,
): Promise<Interpreter> {
  const excluded = listProjectFolders(config)
  const { python, hostPackages } = config.run
  return await sandboxes.findInterpreter({ python, hostPackages, cwd, env, excluded })
}

function backendDoesNotIsolateError(): SkillsError {
  return new SkillsError(
    'sandbox/too-weak',
    'Strict isolation is required, but the backend "process" does not isolate',
    { hint: 'Leave out --backend, or choose container' },
  )
}
