import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { ContainerSettings, SandboxExit, SandboxProcess } from '../core/sandbox/backend.ts'
import type {
  Executor,
  ExecutorExit,
  ExecutorGuarantees,
  ExecutorLimit,
  ExecutorProcess,
} from '../core/sandbox/executor/executor.ts'
import type { BackendName } from '../core/sandbox/isolation.ts'
import { Sandboxes } from '../core/sandbox/sandboxes.ts'

/** Options of an executor on this machine. */
export interface SandboxExecutorOptions {
  /** Default: `auto`, as for runs without an executor. */
  backend?: Exclude<BackendName, 'process'> | 'auto' | undefined
  /** The Python of the sandbox. Default: `python3` in the PATH of `env`. */
  python?: string | undefined
  /** Environment in which programs of the host are found. Default: none. */
  env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Options of an executor in containers. */
export interface ContainerExecutorOptions extends Pick<SandboxExecutorOptions, 'python' | 'env'> {
  /** Default: the one that answers. */
  engine?: ContainerSettings['engine'] | undefined
  /** An image with Python 3.9 or newer, which is never pulled. Default: the host's own /usr. */
  image?: string | undefined
  /** `runsc`: the kernel of gVisor serves the system calls. */
  runtime?: ContainerSettings['runtime'] | undefined
}

const GUARANTEES: ExecutorGuarantees = {
  isolates: ['files', 'network', 'processes', 'user', 'system calls'],
  limits: ['cpu', 'memory', 'processes', 'disk'],
}
const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const ANY_ENGINE: ContainerSettings = { engine: 'auto', runtime: 'default', image: undefined }

/** Executes runs in sandboxes of this machine: those that a runtime without an executor uses. */
export function sandboxExecutor(options: SandboxExecutorOptions = {}): Executor {
  return createOwnExecutor('sandbox', options.backend ?? 'auto', {
    ...options,
    container: ANY_ENGINE,
  })
}

/** Executes runs in containers of podman or docker. */
export function containerExecutor(options: ContainerExecutorOptions = {}): Executor {
  const { engine = 'auto', runtime = 'default', image } = options
  const container = { engine, runtime, image }
  return createOwnExecutor('container', 'container', { ...options, container })
}

interface OwnExecutorOptions extends Pick<SandboxExecutorOptions, 'python' | 'env'> {
  container: ContainerSettings
}

function createOwnExecutor(
  name: string,
  backendName: BackendName | 'auto',
  { python, env = {}, container }: OwnExecutorOptions,
): Executor {
  const sandboxes = new Sandboxes({ backend: backendName, python })
  const open = async () => await sandboxes.openBackend(backendName, env)
  return {
    name,
    guarantees: GUARANTEES,
    folder: '/workspace',
    probe: async () => await (await open()).probe(env, container),
    close: async () => await sandboxes.stop(),
    async start(command) {
      const backend = await open()
      const interpreter = await sandboxes.findInterpreter({ python, cwd: '/', env })
      const hasImage = container.image !== undefined
      const sandbox = await backend.start({
        // The files of the run are staged under its own id.
        id: randomUUID(),
        guest: {
          kind: 'program',
          program: {
            argv: [hasImage ? 'python3' : interpreter.executable, ...command.argv.slice(1)],
            cwd: '/workspace',
            env: { PATH: SEARCH_PATH, HOME: '/workspace', LANG: 'C.UTF-8' },
            stdin: 'pipe',
          },
        },
        skills: [],
        blobs: [],
        interpreter: async () => interpreter,
        limits: command.limits,
        env,
        container,
        strict: false,
        ownMemoryLayout: false,
        signal: command.signal,
      })
      return toExecutorProcess(sandbox)
    },
  }
}

function toExecutorProcess(sandbox: SandboxProcess): ExecutorProcess {
  const { stdin, stdout, stderr, channel, exited, isolation } = sandbox
  channel.resume()
  return {
    stdin: requireInput(stdin),
    stdout,
    stderr,
    guarantees: {
      ...GUARANTEES,
      limits: GUARANTEES.limits.filter((each) => isHeld(each, isolation)),
    },
    exited: exited.then(toExecutorExit, (error: unknown) => ({
      exitCode: null,
      failure: String(error),
    })),
    kill: () => sandbox.kill('cancelled'),
  }
}

function requireInput(stdin: Writable | undefined): Writable {
  if (!stdin) throw new Error('the sandbox has no stdin')
  return stdin
}

/** Without control groups, a sandbox of this machine holds some limits for each process only. */
function isHeld(limit: ExecutorLimit, { tier }: SandboxProcess['isolation']): boolean {
  return limit === 'disk' || tier === 'strict'
}

function toExecutorExit(exit: SandboxExit): ExecutorExit {
  const { exitCode, failure } = exit
  return { exitCode, reached: findReachedLimit(exit), failure }
}

function findReachedLimit({
  endedBecause,
  memoryHit,
  processesHitLast,
}: SandboxExit): ExecutorLimit | undefined {
  if (memoryHit || endedBecause === 'memory') return processesHitLast ? 'processes' : 'memory'
  if (endedBecause === 'cpu') return 'cpu'
  return endedBecause === 'inodes' || endedBecause === 'disk' ? 'disk' : undefined
}
