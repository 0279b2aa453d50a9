import { loadLazily } from '../../util/load-lazily.ts'
import { ProgramAnswers } from '../languages/program-answers.ts'
import type { PythonRequest } from '../languages/python.ts'
import type { Backend, Interpreter, WarmOptions, WarmPool } from './backend.ts'
import type { Executor } from './executor/executor.ts'
import type { BackendName } from './isolation.ts'
import { chooseBackend } from './choose-backend.ts'
import type { Launcher } from './linux/launcher.ts'
import { RecentValueCache } from './recent-value-cache.ts'

/** All backends; `auto` is a choice, not a backend. */
export const BACKEND_NAMES: readonly BackendName[] = [
  'namespaces',
  'bubblewrap',
  'container',
  'process',
]

/** Backends are loaded on first use. */
const BACKEND_LOADERS: Readonly<Record<BackendName, () => Promise<Backend>>> = {
  namespaces: async () => {
    const { NAMESPACES } = await import('./namespaces/namespaces-launcher.ts')
    return await openWithLauncher(NAMESPACES)
  },
  bubblewrap: async () => {
    const { BUBBLEWRAP } = await import('./bubblewrap/bubblewrap-launcher.ts')
    return await openWithLauncher(BUBBLEWRAP)
  },
  container: async () => (await import('./container/container.ts')).openContainerBackend(),
  process: async () => (await import('./process/process.ts')).openProcessBackend(),
}

async function openWithLauncher(launcher: Launcher): Promise<Backend> {
  return (await loadLinuxBackend()).openLinuxBackend(launcher)
}

const loadLinuxBackend = loadLazily(async () => await import('./linux/start-cold.ts'))

/** Settings that most runs share. */
interface SandboxDefaults extends Pick<WarmOptions, 'limits' | 'maxForks'> {
  backend?: BackendName | 'auto' | undefined
  python?: string | undefined
  hostPackages?: boolean | undefined
  cacheDir?: string | undefined
  /** Answers of host programs that another instance has; by default, each instance asks them itself. */
  answers?: ProgramAnswers | undefined
  /** False to start every run without a zygote. */
  forks?: boolean
  /** Replaces every backend. */
  executor?: Executor | undefined
}

type InterpreterRequest = Omit<PythonRequest, 'answers' | 'modules'>

/** The backends of one runtime, and the sandboxes that they keep ready. */
export class Sandboxes {
  /** Cached results of querying host programs. */
  readonly answers: ProgramAnswers
  #defaults: SandboxDefaults
  #backends = new Map<Backend['name'], Promise<Backend>>()
  #interpreters = new RecentValueCache<Interpreter>()
  #pool: WarmPool | undefined

  constructor(defaults: SandboxDefaults = {}) {
    this.#defaults = defaults
    this.answers = defaults.answers ?? new ProgramAnswers(defaults.cacheDir)
  }

  /** The executor of the application, which replaces every backend. */
  get executor(): Executor | undefined {
    return this.#defaults.executor
  }

  /** Undefined until `keepWarm` is called. */
  get pool(): WarmPool | undefined {
    return this.#pool
  }

  /** Opens a backend by name. `auto` never selects one that does not isolate. */
  async openBackend(name: BackendName | 'auto', env: WarmOptions['env'] = {}): Promise<Backend> {
    const { executor } = this.#defaults
    if (executor) return await this.#openExecutor(executor)
    const backendName = name === 'auto' ? chooseBackend(env).name : name
    const backend = this.#backends.get(backendName) ?? BACKEND_LOADERS[backendName]()
    this.#backends.set(backendName, backend)
    return await backend
  }

  async #openExecutor(executor: Executor): Promise<Backend> {
    const open = async () => {
      const { openExecutorBackend } = await import('./executor/executor-backend.ts')
      return openExecutorBackend(executor)
    }
    const backend = this.#backends.get('executor') ?? open()
    this.#backends.set('executor', backend)
    return await backend
  }

  /** Keeps sandboxes ready until the pool is stopped. Further calls have no effect. */
  async keepWarm({ cwd, env }: Pick<PythonRequest, 'cwd' | 'env'>): Promise<WarmPool> {
    if (this.#defaults.forks === false) return NO_POOL
    const { backend: name = 'auto', python, hostPackages, limits, maxForks } = this.#defaults
    const backend = await this.openBackend(name, env)
    const interpreter = async () => await this.#findUncached({ cwd, env, python, hostPackages })
    const pool = (await backend.keepWarm?.({ env, interpreter, limits, maxForks })) ?? NO_POOL
    return (this.#pool ??= pool)
  }

  /** Finds the host's Python. The result is cached briefly while a pool exists. */
  async findInterpreter(request: InterpreterRequest): Promise<Interpreter> {
    const find = async () => await this.#findUncached(request)
    if (!this.#pool) return await find()
    const { env, cwd, python = '', hostPackages = false, excluded = [] } = request
    return await this.#interpreters.get(
      { key: env, text: [cwd, python, hostPackages, ...excluded].join('\0') },
      find,
    )
  }

  /** Stops the pool, and removes files that backends keep for later runs. */
  async stop(): Promise<void> {
    await this.#pool?.stop()
    for (const opened of this.#backends.values()) {
      const backend = await opened.catch(() => undefined)
      await backend?.close?.()
    }
  }

  async #findUncached(request: InterpreterRequest): Promise<Interpreter> {
    const { findPython, describeGuestModules } = await loadPython()
    return await findPython({ ...request, answers: this.answers, modules: describeGuestModules() })
  }
}

const loadPython = loadLazily(async () => ({
  ...(await import('../languages/python.ts')),
  ...(await import('./guest-host/guest-files.ts')),
}))

const NO_POOL: WarmPool = {
  problem: 'this backend keeps no sandboxes ready',
  pid: undefined,
  waitUntilSettled: async () => {},
  stop: async () => {},
}
