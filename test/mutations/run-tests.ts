import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Checkout } from './checkout.ts'

/** A namespace of processes: a mutant cannot signal processes of others, and none of its own survives it. */
const UNSHARE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
const hasNamespaces =
  process.getuid?.() === 0 && spawnSync('unshare', [...UNSHARE.slice(1), 'true']).status === 0
/** A shell script that starts its arguments with a limit of processor time, the same on a busy machine. */
const LIMITED = 'ulimit -S -t "$1" && shift && exec "$@"'
/** Tests have timeouts of their own; a run without an end and without work is ended as well. */
const MAX_MILLISECONDS = 30 * 60_000
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach(killGroup))

export interface TestRequest {
  readonly files: readonly string[]
  readonly isFast: boolean
  readonly workers: number
  /** Processor time of each process: one that uses more has failed, because a mutant may never end. */
  readonly seconds: number
}

/**
 * Runs test files of a checkout until one fails, and returns it. If the run crashes or does not end, each of the files
 * may be the cause, and all are returned.
 */
export async function findFailedFiles(checkout: Checkout, request: TestRequest): Promise<string[]> {
  const [temporary, home] = [join(checkout.folder, 't'), join(checkout.folder, 'h')]
  const report = join(checkout.folder, 'report.json')
  rmSync(report, { force: true })
  for (const folder of [temporary, home]) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
  }
  // As /tmp: tests become other users.
  chmodSync(temporary, 0o1777)
  const argv = [
    ...(hasNamespaces ? UNSHARE : []),
    'sh',
    '-c',
    LIMITED,
    'sh',
    String(request.seconds),
    process.execPath,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--bail=1',
    '--reporter=json',
    `--outputFile=${report}`,
    ...(request.isFast ? ['--tags-filter=!slow'] : []),
    // A relative path would select every path that contains it.
    ...request.files.map((file) => join(checkout.root, file)),
  ]
  const hasPassed = await runProgram(argv, {
    cwd: checkout.root,
    env: {
      ...process.env,
      HOME: home,
      TMPDIR: temporary,
      // The option --maxWorkers has no effect on projects of a configuration.
      VITEST_MAX_WORKERS: String(request.workers),
    },
  })
  if (hasPassed) return []
  const failed = readFailed(report).map((path) => relative(checkout.root, path))
  return failed.length > 0 ? failed : [...request.files]
}

async function runProgram(
  [program = '', ...argv]: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<boolean> {
  const child = spawn(program, argv, { ...options, stdio: 'ignore', detached: true })
  running.add(child)
  const timer = setTimeout(() => killGroup(child), MAX_MILLISECONDS)
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      running.delete(child)
      resolve(code === 0)
    })
  })
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
}

function readFailed(report: string): string[] {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: { name: string; status: string }[]
    }
    return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
  } catch {
    return []
  }
}
