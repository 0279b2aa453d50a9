import { findProgram, DEFAULT_PATH } from '../../../../util/find-program.ts'
import { QUERY_TIMEOUT_MS, runHostProgram } from '../../../host-programs/run-host-program.ts'
import type { BackendProbe, ContainerSettings, SandboxRequest } from '../../backend.ts'
import { findRunsc } from './runsc.ts'

const INSTALL = 'On Debian, type: apt-get install runsc podman'

/** Explains why containers cannot start in gVisor here; undefined if nothing is known against it. */
export function findRunscProblem(
  { engine }: ContainerSettings,
  env: SandboxRequest['env'],
): Omit<BackendProbe, 'ok'> | undefined {
  if (process.platform !== 'linux') {
    return {
      detail: 'gVisor is used on Linux only',
      fix: 'Leave out run.container.runtime',
    }
  }
  if (engine === 'docker') {
    return {
      detail: 'gVisor is used with podman only',
      fix: 'Set run.container.engine to podman or auto',
    }
  }
  if (findRunsc(env) === undefined) return { detail: 'no runsc is installed', fix: INSTALL }
  if (findProgram('podman', env['PATH'] ?? DEFAULT_PATH) === undefined) {
    return { detail: 'no podman is installed', fix: INSTALL }
  }
  if (process.getuid?.() !== 0) {
    return {
      detail: 'gVisor is used by root only: podman gives the runsc of other users no control group',
      fix: 'Run as root, or leave out run.container.runtime',
    }
  }
  return undefined
}

/** The name and version of runsc, for people. */
export async function describeRunsc(env: SandboxRequest['env']): Promise<string> {
  const options = { env, cwd: '/', timeoutMs: QUERY_TIMEOUT_MS, input: undefined }
  const { stdout } = await runHostProgram([findRunsc(env) ?? 'runsc', '--version'], options)
  return stdout.split('\n')[0]?.trim().replace(' version', '') ?? 'runsc'
}
