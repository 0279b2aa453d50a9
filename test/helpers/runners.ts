import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { BUILT_MODULES } from './built.ts'

/** Lets runners of this process load the built modules: they get the loaders of their parent. */
export function loadBuiltModulesInRunners(): void {
  if (process.execArgv.includes(BUILT_MODULES)) return
  process.execArgv.push('--import', BUILT_MODULES)
}

/** Pid of the process that performs a detached run. */
export function readRunnerPid(data: string, id: string): number {
  const text = readFileSync(`${data}/detached/${id}/owner.json`, 'utf8')
  const { owner } = JSON.parse(text) as { owner: string }
  return Number(/\.(\d+)-/.exec(owner)?.[1])
}

/** Living processes whose argv contains a text. */
export function findProcesses(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && readProc(pid, 'cmdline').includes(text))
    .filter((pid) => !/^\d+ \(.*\) [ZX]/s.test(readProc(pid, 'stat')))
}

/** Reads a file of a process; empty if the process is gone. */
export function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

/** Living runners that were started in a folder. */
export function findRunners(cwd: string): number[] {
  return findProcesses('core/detached/main').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cwd
    } catch {
      return false
    }
  })
}
