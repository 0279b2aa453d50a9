import { loadLazily } from '../../util/load-lazily.ts'
import { ProgramAnswers } from '../languages/program-answers.ts'
import type { PythonRequest } from '../languages/python.ts'
import type { Backend, Interpreter, WarmOptions, WarmPool } from './backend.ts'
import type { BackendName } from './isolation.ts'
import { RecentValueCache } from './recent-value-cache.ts'

/** Every backend there is; `auto` is none of them but a choice. */
export const BACKEND_NAMES: readonly BackendName[] = ['bubblewrap', 'container', 'process']

/** Each is loaded when it is used. */
const BACKEND_LOADERS: Readonly<Record<BackendName, () => Promise<Backend>>> = {
  bubblewrap: async () => (await import('./bubblewrap/bubblewrap.ts')).openBubblewrapBackend(),
  container: async () => (await import('./container/container.ts')).openContainerBackend(),
  process: async () => (await import('./process/process.ts')).openProcessBackend(),
}

/** What most runs will have. */
interface SandboxDefaults extends Pick<WarmOptions, 'limits' | 'mostForks'> {
  backend?: BackendName | 'auto' | undefined
  python?: string | undefined
  cacheDir?: string | undefined
  /** False where no run is to be forked. */
  forks?: boolean
}

type InterpreterRequest = Omit<PythonRequest, 'answers' | 'modules'>

/** The backends of one runtime, and the sandboxes that they hold ready for its runs. */
export class Sandboxes {
  /** Of the programs that run what is in them. */
  readonly answers: ProgramAnswers
  #defaults: SandboxDefaults
  #backends = new Map<BackendName, Promise<Backend>>()
  #interpreters = new RecentValueCache<Interpreter>()
  #pool: WarmPool | undefined

  constructor(defaults: SandboxDefaults = {}) {
    this.#defaults = defaults
    this.answers = new ProgramAnswers(defaults.cacheDir)
  }

  /** Undefined until `keepWarm` is called. */
  get pool(): WarmPool | undefined {
    return this.#pool
  }

  /** The backend of this name; `auto` never means one that isolates less than bubblewrap. */
  async openBackend(name: BackendName | 'auto'): Promise<Backend> {
    const chosen = name === 'auto' ? 'bubblewrap' : name
    const backend = this.#backends.get(chosen) ?? BACKEND_LOADERS[chosen]()
    this.#backends.set(chosen, backend)
    return await backend
  }

  /** Holds sandboxes ready until that is stopped; called again, it changes nothing. */
  async keepWarm({ cwd, env }: Pick<PythonRequest, 'cwd' | 'env'>): Promise<WarmPool> {
    if (this.#defaults.forks === false) return NO_POOL
    const { backend: name = 'auto', python, limits, mostForks } = this.#defaults
    const backend = await this.openBackend(name)
    const interpreter = async () => await this.#findUncached({ cwd, env, python })
    const pool = (await backend.keepWarm?.({ env, interpreter, limits, mostForks })) ?? NO_POOL
    return (this.#pool ??= pool)
  }

  /** The host's Python. Runs that follow each other closely look for it once, where some are held ready. */
  async findInterpreter(request: InterpreterRequest): Promise<Interpreter> {
    const find = async () => await this.#findUncached(request)
    if (!this.#pool) return await find()
    const { env, cwd, python = '', excluded = [] } = request
    return await this.#interpreters.get(
      { key: env, words: [cwd, python, ...excluded].join('\0') },
      find,
    )
  }

  /** Ends what is held ready. */
  async stop(): Promise<void> {
    await this.#pool?.stop()
  }

  async #findUncached(request: InterpreterRequest): Promise<Interpreter> {
    const { findPython, guestModules } = await loadPython()
    return await findPython({ ...request, answers: this.answers, modules: guestModules() })
  }
}

const loadPython = loadLazily(async () => ({
  ...(await import('../languages/python.ts')),
  ...(await import('./guest-host/guest-files.ts')),
}))

const NO_POOL: WarmPool = {
  problem: 'this backend starts every sandbox anew',
  pid: undefined,
  waitUntilSettled: async () => {},
  stop: async () => {},
}
