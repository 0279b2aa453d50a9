import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillsError } from '../../../errors.ts'
import type { Backend, Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { groupLimits, makeControlGroup, sweepControlGroups } from '../cgroups/cgroup.ts'
import { checkFolders, giveFolders, type GivenFolders } from '../rootfs/given-folders.ts'
import { guestJob, INSIDE } from '../guest-host/guest-job.ts'
import { guestLimits, type GuestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { ownerMark } from '../owner.ts'
import { encodeFilter, filterFor } from '../seccomp/seccomp.ts'
import { stage, sweepStages, type Stage } from '../rootfs/stage.ts'
import { SYSTEM_CALLS } from '../seccomp/system-calls.ts'
import { didNotStart, notUsable } from '../unavailable.ts'
import { FILTER, type ContainerPlan } from './arguments.ts'
import { EngineGroup } from './engine-group.ts'
import { findEngine, type Engine } from './engine.ts'
import { layOutCovers } from './host-files.ts'
import { LABEL } from './leftovers.ts'
import { isRefusedByCrun, probeContainer } from './probe.ts'
import { rootOf } from './root.ts'
import { ARCHITECTURES, seccompProfile } from './seccomp-profile.ts'
import { startGuest, type ContainerRun } from './start-guest.ts'
import { KnownEngines, REMAPPED_USER } from './known-engines.ts'

/** A container of docker or podman, without a network and with nothing of the image to write to. */
const CONTAINER = {
  name: 'container',
  summary: 'A container of docker or podman, without network',
  promises: {
    tier: 'strict',
    isolates: { files: true, network: true, processes: true, user: true, 'system calls': true },
    filtersNetwork: false,
    limits: {
      time: 'run',
      cpu: 'run',
      memory: 'run',
      processes: 'run',
      'open files': 'each process',
      disk: 'run',
      output: 'run',
    },
  },
  notes: [],
} as const

/** What the backend of one runtime remembers between runs. */
interface Own {
  readonly known: KnownEngines
  readonly killed: KillBarrier
}

/** The backend for one runtime. */
export function openContainer(): Backend {
  const own: Own = { known: new KnownEngines(), killed: new KillBarrier() }
  return {
    ...CONTAINER,
    probe: async (env, container) => await probeContainer(own.known, { env, container }),
    start: async (request) => await start(request, own),
  }
}

async function start(request: SandboxRequest, { known, killed }: Own): Promise<SandboxProcess> {
  const { image } = request.container
  const interpreter = image === undefined ? await request.interpreter() : undefined
  const engine = findEngine(request.container, request.env)
  if (!engine || isRefusedByCrun(engine)) {
    const { detail, fix = '' } = await probeContainer(known, request)
    throw notUsable(`A container cannot be started: ${detail}`, fix)
  }
  sweepStages()
  sweepControlGroups()
  await known.sweep(engine)
  const own = await known.userIn(engine)
  const isRemapped = own === REMAPPED_USER
  if (isRemapped && writesToHost(request)) throw cannotWrite(engine)
  const checked = checkFolders(request, !isRemapped)
  const user = checked.user ?? own
  const staged = stage(request, user, interpreter?.compiled)
  const group = makeControlGroup(request.id, request.limits) ?? new EngineGroup(request.limits)
  try {
    const given = await giveFolders(request, checked, {
      staged,
      user: isRemapped ? undefined : user,
    })
    const plan = await planContainer({ engine, request, staged, user, interpreter, given })
    return await follow({ engine, request, plan, group }, killed)
  } catch (error) {
    await group.remove()
    staged.remove()
    throw error
  }
}

async function planContainer(from: {
  engine: Engine
  request: SandboxRequest
  staged: Stage
  user: number
  interpreter: Interpreter | undefined
  given: GivenFolders
}): Promise<ContainerPlan> {
  const { engine, request, staged, user, interpreter, given } = from
  const calls = SYSTEM_CALLS[process.arch]
  const architecture = ARCHITECTURES[process.arch]
  if (!calls || !architecture) throw didNotStart(`there is no filter for ${process.arch}`)
  writeFileSync(join(staged.guest, FILTER), encodeFilter(filterFor(calls)))
  chmodSync(join(staged.guest, FILTER), 0o444)
  const seccomp = join(staged.dir, 'seccomp.json')
  writeFileSync(seccomp, JSON.stringify(seccompProfile(calls, architecture)))
  const owner = `${ownerMark()}.${request.id}`
  return {
    name: `skills.${owner}`,
    label: `${LABEL}=${owner}`,
    mark: request.id,
    pidFile: join(staged.dir, 'pid'),
    user,
    staged,
    given,
    covers: layOutCovers(staged),
    seccomp,
    root: await rootOf(engine, request.container.image, staged.dir),
    interpreter,
    python: interpreter?.executable ?? 'python3',
  }
}

async function follow(run: ContainerRun, killed: KillBarrier): Promise<SandboxProcess> {
  const { request, plan, group } = run
  const running = new GuestProcess(await startGuest(run), killed)
  let limits: GuestLimits = { values: {}, where: {} }
  running.begin('itself', () => {
    // Only now the engine's own group, where it is that one, is known to hold.
    const grouped = group instanceof EngineGroup ? group.holds : true
    limits = guestLimits(request.limits, { grouped, countsUsers: true })
    if (grouped) limits = { ...limits, where: { ...limits.where, ...groupLimits(group) } }
    const packages = plan.interpreter?.packages ?? null
    return guestJob(request, { folders: INSIDE, packages, limits })
  })
  const { uid } = await running.ready
  return Object.assign(running, { isolation: isolationOf(run, uid, limits) })
}

function isolationOf({ engine, plan }: ContainerRun, user: number, limits: GuestLimits): Isolation {
  const { where } = limits
  const shared = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend: 'container',
    path: 'cold',
    reason: 'other backend',
    engine: engine.name,
    tier: where['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    namespaces: plan.user === REMAPPED_USER ? ['user', ...shared] : shared,
    user,
    seccomp: true,
    network: 'none',
    ...(plan.given.told && { folders: plan.given.told }),
    limits: where,
  }
}

function writesToHost({ workspace, folders = [] }: SandboxRequest): boolean {
  return workspace !== undefined || folders.some(({ mode }) => mode !== 'read-only')
}

/** Nobody inside of such an engine is whoever owns a folder outside. */
function cannotWrite({ name }: Engine): SkillsError {
  return notUsable(
    `The users of this ${name} are its own: no run in it can write to a folder of the host`,
    'Choose the backend bubblewrap',
  )
}
