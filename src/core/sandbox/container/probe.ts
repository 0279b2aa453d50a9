import type { Probe, SandboxRequest } from '../backend.ts'
import { SkillsError } from '../../../errors.ts'
import { ask, findEngine, isHybrid, type Engine } from './engine.ts'
import type { KnownEngines } from './known-engines.ts'

const INSTALL =
  'Install podman with the package manager of this system, on Debian: apt-get install podman crun'

/** Whether an engine is there and answers. */
export async function probeContainer(
  known: KnownEngines,
  { env, container: settings }: Pick<SandboxRequest, 'env' | 'container'>,
): Promise<Probe> {
  const engine = findEngine(settings, env)
  if (!engine) {
    const wanted =
      settings.engine === 'auto' ? 'neither podman nor docker' : `no ${settings.engine}`
    return { ok: false, detail: `${wanted} is installed`, fix: INSTALL }
  }
  // Asked first: podman leaves a process of its own for a user who asks it anything.
  if (isRefusedByCrun(engine)) return { ok: false, ...REFUSED }
  return await askEngine(known, engine)
}

const REFUSED = {
  detail: 'podman: crun does not start where both versions of control groups are in use',
  fix: 'Run as root, or start the system with control groups of version 2 alone: systemd.unified_cgroup_hierarchy=1',
}

/** Root gives podman a view without the second version; nobody else may. */
export function isRefusedByCrun({ name }: Engine): boolean {
  return name === 'podman' && process.getuid?.() !== 0 && isHybrid()
}

async function askEngine(known: KnownEngines, engine: Engine): Promise<Probe> {
  const field = engine.name === 'docker' ? '{{.ServerVersion}}' : '{{.Version.Version}}'
  const { ok, stdout, stderr } = await ask(engine, ['info', '--format', field])
  if (ok && stdout.trim() !== '') {
    const detail = `${engine.name} ${stdout.trim()}`
    return (await lackOfUsers(known, engine)) ?? { ok, detail }
  }
  return {
    ok: false,
    detail: `${engine.name}: ${stderr.trim().split('\n').at(-1) ?? 'no answer'}`,
    fix: engine.name === 'docker' ? 'Start the docker daemon' : 'Type: podman info',
  }
}

/** What keeps this user from being another one inside. */
async function lackOfUsers(known: KnownEngines, engine: Engine): Promise<Probe | undefined> {
  try {
    await known.userIn(engine)
    return undefined
  } catch (error) {
    if (!(error instanceof SkillsError)) throw error
    return { ok: false, detail: error.message, fix: error.hint }
  }
}
