import { SkillsError } from '../../../errors.ts'
import { allocateRunUid } from '../guest-host/run-uid.ts'
import { runEngine, type ContainerEngine } from './engine.ts'
import { sweepContainers } from './sweep-containers.ts'

/**
 * User id of a run inside an engine that remaps users; outside, it maps to an otherwise unused one.
 */
export const REMAPPED_UID = 1000

/** Caches slow queries to engines, for one runtime. */
export class EngineCache {
  #swept = new Set<string>()
  #remaps = new Map<string, Promise<boolean>>()

  /** Removes containers of dead processes, once per engine. */
  async sweepOnce(engine: ContainerEngine): Promise<void> {
    if (this.#swept.has(engine.name)) return
    this.#swept.add(engine.name)
    await sweepContainers(engine)
  }

  /** Resolves the user id of a run: never root and never a user of the host. */
  async resolveUid(engine: ContainerEngine): Promise<number> {
    const key = engine.command.join(' ')
    const remaps = this.#remaps.get(key) ?? remapsUsers(engine)
    this.#remaps.set(key, remaps)
    return (await remaps) ? REMAPPED_UID : allocateRunUid()
  }
}

/** True if the engine maps user ids inside to other ids outside, so that only a few exist. */
async function remapsUsers(engine: ContainerEngine): Promise<boolean> {
  if (engine.name === 'docker') {
    const { stdout } = await runEngine(engine, ['info', '--format', '{{.SecurityOptions}}'])
    return /name=(?:rootless|userns)/.test(stdout)
  }
  // An engine in a virtual machine has its own users.
  if (process.platform === 'linux' && process.getuid?.() === 0) return false
  const { ok, stdout } = await runEngine(engine, [
    'info',
    '--format',
    '{{.Host.Security.Rootless}} {{len .Host.IDMappings.UIDMap}}',
  ])
  const [rootless, mapped] = stdout.trim().split(' ')
  if (rootless === 'false') return false
  // With a single mapped id, only root exists inside, and root is the caller.
  if (!ok || Number(mapped) > 1) return true
  throw new SkillsError('sandbox/unavailable', 'This user has no subordinate user ids for podman', {
    hint: 'Type: sudo apt-get install uidmap && sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER" && podman system migrate',
  })
}
