import { spawnSync } from 'node:child_process'

/** The words of a command line, as bash splits them. */
export function splitCommand(line: string): string[] {
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
  return stdout.split('\0').slice(0, -1)
}
