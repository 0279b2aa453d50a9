import type { ContainerSettings, Probe, SandboxRequest } from '../backend.ts'
import { ask, findEngine } from './engine.ts'

const INSTALL =
  'Install podman with the package manager of this system, on Debian: apt-get install podman crun'

/** Whether an engine is there and answers. */
export async function probeContainer(
  env: SandboxRequest['env'],
  settings: ContainerSettings,
): Promise<Probe> {
  const engine = findEngine(settings, env)
  if (!engine) {
    const wanted =
      settings.engine === 'auto' ? 'neither podman nor docker' : `no ${settings.engine}`
    return { ok: false, detail: `${wanted} is installed`, fix: INSTALL }
  }
  const field = engine.name === 'docker' ? '{{.ServerVersion}}' : '{{.Version.Version}}'
  const { ok, stdout, stderr } = await ask(engine, ['info', '--format', field])
  if (ok && stdout.trim() !== '') return { ok, detail: `${engine.name} ${stdout.trim()}` }
  return {
    ok: false,
    detail: `${engine.name}: ${stderr.trim().split('\n').at(-1) ?? 'no answer'}`,
    fix: engine.name === 'docker' ? 'Start the docker daemon' : 'Type: podman info',
  }
}
