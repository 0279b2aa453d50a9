import { adviseOnEngine } from './engine-advice.ts'
import { runEngine, type ContainerEngine } from './engine.ts'

/** Template of the version in the output of `info`. */
export const VERSION_FIELDS = {
  docker: '{{.ServerVersion}}',
  podman: '{{.Version.Version}}',
} as const

/** Explains why an installed engine does not answer; undefined if it does. */
export async function findSilence(
  engine: ContainerEngine,
): Promise<{ detail: string; fix: string } | undefined> {
  const args = ['info', '--format', VERSION_FIELDS[engine.name]]
  const { ok, stdout, stderr } = await runEngine(engine, args)
  if (ok && stdout.trim() !== '') return undefined
  return {
    detail: `${engine.name} does not answer: ${stderr.trim().split('\n').at(-1) ?? 'no reason was given'}`,
    fix: adviseOnEngine(process.platform).start[engine.name],
  }
}
