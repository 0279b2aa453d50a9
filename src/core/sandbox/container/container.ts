import { STRICT_GUARANTEES } from '../strict-guarantees.ts'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillsError } from '../../../errors.ts'
import type { Backend, Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { describeGroupLimits, createControlGroup, sweepControlGroups } from '../cgroups/cgroup.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import {
  checkHostFolders,
  describeDiskLimits,
  prepareHostMounts,
  type HostMounts,
} from '../rootfs/host-mounts.ts'
import { buildGuestJob, GUEST_FOLDERS } from '../guest-host/guest-job.ts'
import { describeNetworkLimit } from '../network-limit.ts'
import { computeGuestLimits, type GuestLimits } from '../guest-host/guest-limits.ts'
import { allocateRunUid } from '../guest-host/run-uid.ts'
import { GuestProcess } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { ownerMark } from '../owner.ts'
import type { ReadyGuest } from '../guest-host/control-channel.ts'
import { encodeFilter, buildFilter } from '../seccomp/seccomp.ts'
import { stageFiles, sweepStagingFolders, type StagedFiles } from '../rootfs/stage-files.ts'
import { SYSTEM_CALLS } from '../seccomp/system-calls.ts'
import { startFailedError, backendUnusableError } from '../start-errors.ts'
import { FILTER_NAME, type ContainerPlan } from './arguments.ts'
import { EngineGroup } from './engine-group.ts'
import { GuestGroup } from './guest-group.ts'
import { findAnsweringEngine, type ContainerEngine } from './engine.ts'
import { readId } from './find-init-pid.ts'
import { computeHostProcesses } from './gvisor/runsc.ts'
import { adaptLimitsToGvisor } from './gvisor/limits.ts'
import { groupSentry } from './gvisor/sentry.ts'
import { createCoverFiles } from './host-files.ts'
import { RUN_LABEL } from './sweep-containers.ts'
import { isRefusedByCrun, probeContainer } from './probe.ts'
import { resolveRoot, selectImage } from './resolve-root.ts'
import { ARCHITECTURES, buildSeccompProfile } from './seccomp-profile.ts'
import { startContainerGuest, type ContainerRun } from './start-container-guest.ts'
import { EngineCache, REMAPPED_UID } from './engine-cache.ts'

/** Runs user code in a docker or podman container, whose only network is the run's own relay. */
const CONTAINER_BACKEND = {
  name: 'container',
  summary: 'A docker or podman container',
  guarantees: STRICT_GUARANTEES,
  notes: [],
} as const

/** Name of a file next to those of the run. */
const ID_FILE = 'id'

/** State of one runtime's backend that is shared by its runs. */
interface ContainerState {
  readonly engines: EngineCache
  readonly killBarrier: KillBarrier
}

/** Opens the backend of one runtime. */
export function openContainerBackend(): Backend {
  const state: ContainerState = { engines: new EngineCache(), killBarrier: new KillBarrier() }
  return {
    ...CONTAINER_BACKEND,
    probe: async (env, container) => await probeContainer(state.engines, { env, container }),
    start: async (request) => await startContainer(request, state),
  }
}

async function startContainer(
  request: SandboxRequest,
  { engines, killBarrier }: ContainerState,
): Promise<SandboxProcess> {
  const engine = await requireEngine(engines, request)
  const hasImage = selectImage(request.container) !== undefined
  const interpreter = hasImage ? undefined : await request.interpreter()
  sweepStagingFolders()
  sweepControlGroups()
  await engines.sweepOnce(engine)
  const uid = await engines.resolveUid(engine)
  const isRemapped = uid === REMAPPED_UID
  if (isRemapped && writesToHost(request)) throw cannotWriteError(engine)
  const checked = checkHostFolders(request, !isRemapped)
  const user = checked.user ?? uid
  const staged = stageFiles(request, user, {
    compiled: interpreter?.compiled,
    needs: { isRelayed: true },
  })
  const group = createContainerGroup(engine, request, staged)
  try {
    const needsFolder = engine.hasGvisor && request.keepIn !== undefined
    const workspace = checked.workspace ?? (needsFolder ? createWorkspace(staged, user) : undefined)
    const hostMounts = await prepareHostMounts(
      request,
      { ...checked, workspace },
      {
        staged,
        user: isRemapped ? undefined : user,
      },
    )
    const plan = await planContainer({ engine, request, staged, user, interpreter, hostMounts })
    return await runPlan({ engine, request, plan, group }, killBarrier)
  } catch (error) {
    await group.remove()
    staged.remove()
    throw error
  }
}

function createContainerGroup(
  { hasGvisor }: ContainerEngine,
  { id, limits }: SandboxRequest,
  staged: StagedFiles,
): ControlGroup {
  if (!hasGvisor) return createControlGroup(id, limits) ?? new EngineGroup(limits)
  const onHost = { ...limits, processes: computeHostProcesses(limits.processes) }
  const group = createControlGroup(id, onHost)
  return group
    ? groupSentry(group, () => readId(join(staged.dir, ID_FILE)))
    : new EngineGroup(onHost)
}

/** Finds an engine that can run containers for this process. */
async function requireEngine(
  engines: EngineCache,
  request: SandboxRequest,
): Promise<ContainerEngine> {
  const isSupported = process.platform !== 'win32'
  const engine = isSupported && (await findAnsweringEngine(request.container, request.env))
  if (engine && !isRefusedByCrun(engine)) return engine
  const { detail, fix = '' } = await probeContainer(engines, request)
  throw backendUnusableError(`A container cannot be started: ${detail}`, fix)
}

async function planContainer(from: {
  engine: ContainerEngine
  request: SandboxRequest
  staged: StagedFiles
  user: number
  interpreter: Interpreter | undefined
  hostMounts: HostMounts
}): Promise<ContainerPlan> {
  const { engine, request, staged, user, interpreter, hostMounts } = from
  const calls = SYSTEM_CALLS[process.arch]
  const architecture = ARCHITECTURES[process.arch]
  if (!calls || !architecture) throw startFailedError(`there is no filter for ${process.arch}`)
  writeFileSync(join(staged.guest, FILTER_NAME), encodeFilter(buildFilter(calls)))
  chmodSync(join(staged.guest, FILTER_NAME), 0o444)
  const seccomp = join(staged.dir, 'seccomp.json')
  writeFileSync(seccomp, JSON.stringify(buildSeccompProfile(calls, architecture)))
  const owner = `${ownerMark()}.${request.id}`
  return {
    name: `skills.${owner}`,
    label: `${RUN_LABEL}=${owner}`,
    mark: request.id,
    pidFile: join(staged.dir, 'pid'),
    idFile: join(staged.dir, ID_FILE),
    mayBeRemote: process.platform !== 'linux',
    user,
    supervisor: engine.hasGvisor ? allocateOtherUid(user) : undefined,
    staged,
    hostMounts,
    covers: createCoverFiles(staged),
    seccomp,
    root: await resolveRoot(engine, selectImage(request.container), staged.dir),
    interpreter,
    python: interpreter?.executable ?? 'python3',
  }
}

async function runPlan(run: ContainerRun, killBarrier: KillBarrier): Promise<SandboxProcess> {
  const { request, plan } = run
  const guest = await startContainerGuest(run)
  const { group } = guest
  // The group of a guest on another machine replaces it.
  if (group !== run.group) await run.group.remove()
  const running = new GuestProcess(guest, killBarrier)
  let limits: GuestLimits = { values: {}, where: {} }
  running.start('itself', () => {
    // If the group is the engine's own, its limits are verified only by now.
    const isForeign = group instanceof EngineGroup || group instanceof GuestGroup
    const grouped = isForeign ? group.isLimited : true
    limits = computeGuestLimits(request.limits, { grouped, countsUsers: true })
    if (grouped) limits = { ...limits, where: { ...limits.where, ...describeGroupLimits(group) } }
    if (run.engine.hasGvisor) limits = adaptLimitsToGvisor(limits, request.limits)
    // Such a group is not below ours, which limits all runs.
    if (grouped && isForeign) limits.where['total_memory'] = 'none'
    // Only the interpreter of an image knows where its packages are.
    const own = request.hostPackages ? null : []
    const packages = plan.interpreter?.packages ?? own
    return buildGuestJob(request, { folders: GUEST_FOLDERS, packages, limits })
  })
  const inside = await running.ready
  return Object.assign(running, { isolation: describeContainerIsolation(run, inside, limits) })
}

function describeContainerIsolation(
  { engine, request, plan }: ContainerRun,
  inside: ReadyGuest,
  limits: GuestLimits,
): Isolation {
  const { where } = limits
  // gVisor has no control groups to hide.
  const separated = ['mount', 'pid', 'network', 'ipc', 'uts']
  const shared = engine.hasGvisor ? separated : [...separated, 'cgroup']
  const network = request.network ? 'filtered' : 'none'
  return {
    backend: 'container',
    path: 'cold',
    reason: 'other backend',
    memory_layout: 'own',
    engine: engine.name,
    ...(engine.hasGvisor && { kernel: 'gvisor' as const }),
    tier: where['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    namespaces:
      inside.own_users === true || plan.user === REMAPPED_UID ? ['user', ...shared] : shared,
    // The guest has verified its change to this user.
    user: plan.supervisor === undefined ? inside.uid : plan.user,
    seccomp: true,
    landlock: inside.landlock === true,
    network,
    ...(plan.hostMounts.reported && { folders: plan.hostMounts.reported }),
    limits: { ...where, ...describeDiskLimits(plan.hostMounts), ...describeNetworkLimit(network) },
  }
}

function allocateOtherUid(user: number): number {
  const other = allocateRunUid()
  return other === user ? allocateOtherUid(user) : other
}

/** The host cannot read a workspace in gVisor's memory. */
function createWorkspace({ dir }: StagedFiles, user: number): string {
  const workspace = join(dir, 'workspace')
  mkdirSync(workspace, { mode: 0o700 })
  chownSync(workspace, user, user)
  return workspace
}

function writesToHost({ workspace, folders = [] }: SandboxRequest): boolean {
  return workspace !== undefined || folders.some(({ mode }) => mode !== 'read-only')
}

/** Such an engine maps no user inside to the owner of a host folder. */
function cannotWriteError({ name }: ContainerEngine): SkillsError {
  return backendUnusableError(
    `This ${name} maps user ids: no run in it can write to a folder of the host`,
    'Leave out --backend',
  )
}
