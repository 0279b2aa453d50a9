import type { BackendProbe, SandboxRequest } from '../backend.ts'
import { SkillsError } from '../../../errors.ts'
import { adviseOnEngine } from './engine-advice.ts'
import { findSilence, VERSION_FIELDS } from './find-silence.ts'
import { findAnsweringEngine, isHybridCgroup, runEngine, type ContainerEngine } from './engine.ts'
import type { EngineCache } from './engine-cache.ts'
import { describeRunsc, findRunscProblem } from './gvisor/probe-runsc.ts'

/** Tests whether an engine is installed and responds. */
export async function probeContainer(
  engines: EngineCache,
  { env, container: settings }: Pick<SandboxRequest, 'env' | 'container'>,
): Promise<BackendProbe> {
  if (process.platform === 'win32') {
    return {
      ok: false,
      detail: 'runs do not start on Windows itself',
      fix: adviseOnEngine(process.platform).install,
    }
  }
  const noRunsc = settings.runtime === 'runsc' ? findRunscProblem(settings, env) : undefined
  if (noRunsc) return { ok: false, ...noRunsc }
  const engine = await findAnsweringEngine(settings, env)
  if (!engine) {
    const missing =
      settings.engine === 'auto' ? 'neither podman nor docker' : `no ${settings.engine}`
    return {
      ok: false,
      detail: `${missing} is installed`,
      fix: adviseOnEngine(process.platform).install,
    }
  }
  // Checked before any podman command: podman leaves a process behind for a non-root user.
  if (isRefusedByCrun(engine)) return { ok: false, ...REFUSED_BY_CRUN }
  return await probeEngine(engines, engine)
}

const REFUSED_BY_CRUN = {
  detail: 'podman: crun does not start where both versions of control groups are in use',
  fix: 'Run as root, or start the system with control groups of version 2 alone: systemd.unified_cgroup_hierarchy=1',
}

/** Hiding version 2 from podman requires root. */
export function isRefusedByCrun({ name }: ContainerEngine): boolean {
  return name === 'podman' && process.getuid?.() !== 0 && isHybridCgroup()
}

async function probeEngine(engines: EngineCache, engine: ContainerEngine): Promise<BackendProbe> {
  const silence = await findSilence(engine)
  if (silence) return { ok: false, ...silence }
  const { stdout } = await runEngine(engine, ['info', '--format', VERSION_FIELDS[engine.name]])
  const runtime = engine.hasGvisor ? ` with ${await describeRunsc(engine.env)}` : ''
  const detail = `${engine.name} ${stdout.trim()}${runtime}`
  return (await probeUids(engines, engine)) ?? { ok: true, detail }
}

/** Tests whether the engine can give runs another user id. */
async function probeUids(
  engines: EngineCache,
  engine: ContainerEngine,
): Promise<BackendProbe | undefined> {
  try {
    await engines.resolveUid(engine)
    return undefined
  } catch (error) {
    if (!(error instanceof SkillsError)) throw error
    return { ok: false, detail: error.message, fix: error.hint }
  }
}
