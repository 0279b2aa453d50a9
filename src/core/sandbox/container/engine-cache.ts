import { SkillsError } from '../../../errors.ts'
import { allocateRunUid } from '../guest-host/run-uid.ts'
import { runEngine, type ContainerEngine } from './engine.ts'
import { sweepContainers } from './sweep-containers.ts'

/** Who a run is inside of an engine of its own users: outside, one that nobody else has. */
export const REMAPPED_UID = 1000

/** Engines as one runtime knows them: asking one takes a while. */
export class EngineCache {
  #swept = new Set<string>()
  #remaps = new Map<string, Promise<boolean>>()

  /** Removes containers whose process is gone, once for each engine. */
  async sweepOnce(engine: ContainerEngine): Promise<void> {
    if (this.#swept.has(engine.name)) return
    this.#swept.add(engine.name)
    await sweepContainers(engine)
  }

  /** The user of a run; never root, and never one that exists on the host. */
  async resolveUid(engine: ContainerEngine): Promise<number> {
    const key = engine.command.join(' ')
    const remaps = this.#remaps.get(key) ?? remapsUsers(engine)
    this.#remaps.set(key, remaps)
    return (await remaps) ? REMAPPED_UID : allocateRunUid()
  }
}

/** Whether numbers of users inside mean others outside, so that only few of them are there. */
async function remapsUsers(engine: ContainerEngine): Promise<boolean> {
  if (engine.name === 'docker') {
    const { stdout } = await runEngine(engine, ['info', '--format', '{{.SecurityOptions}}'])
    return /name=(?:rootless|userns)/.test(stdout)
  }
  if (process.getuid?.() === 0) return false
  const { ok, stdout } = await runEngine(engine, [
    'info',
    '--format',
    '{{len .Host.IDMappings.UIDMap}}',
  ])
  // With one user there is only root inside, which is the caller.
  if (!ok || Number(stdout) > 1) return true
  throw new SkillsError('sandbox/unavailable', 'This user has no subordinate user ids for podman', {
    hint: 'Type: sudo apt-get install uidmap && sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER" && podman system migrate',
  })
}
