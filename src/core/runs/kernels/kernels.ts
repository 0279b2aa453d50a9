import { SkillsError } from '../../../errors.ts'
import { spellDuration } from '../../../util/quantity.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import type { KernelLanguage } from './kernel-language.ts'
import type { Kernel } from './kernel.ts'
import type { KernelFacts } from './kernel-facts.ts'
import { describeKernelEnd, type KernelEnd } from './describe-kernel-end.ts'

const MAX_SWEEP_MS = 15_000
/** Ended kernels that later cells are still informed about. */
const MAX_REMEMBERED = 1000

/** The kernel of a caller. Other callers reach none of its entries. */
export interface KernelKey {
  owner: string
  id: string
}

/** Everything that is fixed at the start of a kernel. */
export interface KernelSetup {
  language: KernelLanguage
  skills: readonly MountedSkill[]
  inputBlobs: readonly string[]
  facts: KernelFacts
}

interface KernelEntry extends KernelKey, KernelSetup {
  opening: Promise<Kernel>
  kernel: Kernel | undefined
  endedFor: KernelEnd | undefined
}

/** A kernel as its caller sees it. */
export type KernelSummary = {
  kernel: string
  language: KernelLanguage
  state: 'starting' | 'idle' | 'busy'
  cells: number
  started_at: string
  idle_ms: number
  skills: string[]
}

export interface KernelBounds {
  maxPerCaller: number
  /** All callers together. */
  max: number
  idleMs: number
}

/**
 * An idle kernel holds its memory: one caller cannot take much of it, and half an hour is a break
 * in the work of a person. `run.limits.total_memory` bounds all kernels together.
 */
const KERNEL_BOUNDS: KernelBounds = { maxPerCaller: 4, max: 32, idleMs: 1_800_000 }

/** The living interpreters of callers. */
export class Kernels {
  readonly #bounds: KernelBounds
  readonly #entries = new Map<string, KernelEntry>()
  /** Reasons why kernels ended, by key. */
  readonly #ends = new Map<string, string>()
  /** Setups of kernels that were restarted, until their next cell. */
  readonly #restarted = new Map<string, KernelSetup>()
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(bounds: Partial<KernelBounds> = {}) {
    this.#bounds = { ...KERNEL_BOUNDS, ...bounds }
  }

  /** Returns what is fixed for a living or restarted kernel; undefined if there is none. */
  findSetup(key: KernelKey): KernelSetup | undefined {
    return this.#findEntry(key) ?? this.#restarted.get(formatKey(key))
  }

  /** Returns the kernel of a cell, which is started if there is none, and why it is a new one. */
  async get(
    key: KernelKey,
    setup: KernelSetup,
    open: () => Promise<Kernel>,
  ): Promise<{ kernel: Kernel; facts: KernelFacts; lost: string | undefined }> {
    await this.sweep()
    const existing = this.#findEntry(key)
    if (existing) {
      return { kernel: await existing.opening, facts: existing.facts, lost: undefined }
    }
    this.#makeRoom(key)
    const name = formatKey(key)
    const entry = this.#open(key, setup, open)
    const kernel = await entry.opening
    this.#restarted.delete(name)
    const lost = this.#ends.get(name)
    this.#ends.delete(name)
    return { kernel, facts: entry.facts, lost }
  }

  /** Lists the kernels of a caller. */
  list(owner: string): KernelSummary[] {
    return [...this.#entries.values()]
      .filter((each) => each.owner === owner && each.kernel?.isOver !== true)
      .map(summarizeKernel)
  }

  /** Sends SIGINT to the running cell of a kernel; false if none runs. */
  interrupt(key: KernelKey): boolean {
    return this.#requireEntry(key).kernel?.interrupt() ?? false
  }

  /** Ends a kernel with all of its processes, and returns what was fixed for it. */
  async end(key: KernelKey): Promise<KernelSetup> {
    const restarted = this.#restarted.get(formatKey(key))
    if (restarted) {
      this.#restarted.delete(formatKey(key))
      return restarted
    }
    const entry = this.#requireEntry(key)
    await this.#endEntry(entry, 'requested')
    return entry
  }

  /** Ends the interpreter of a kernel. Its next cell gets another one with the same setup. */
  async restart(key: KernelKey): Promise<KernelSetup> {
    const { language, skills, inputBlobs, facts } = await this.end(key)
    const setup = { language, skills, inputBlobs, facts }
    this.#restarted.set(formatKey(key), setup)
    dropOldest(this.#restarted)
    return setup
  }

  /** Ends all kernels of an owner. */
  async endOwner(owner: string): Promise<void> {
    const own = [...this.#entries.values()].filter((each) => each.owner === owner)
    await Promise.all(own.map(async (each) => await this.#endEntry(each, 'requested')))
  }

  /** Ends all kernels and starts no more. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(
      [...this.#entries.values()].map(async (each) => await this.#endEntry(each, 'stopped')),
    )
  }

  /** Ends kernels in which no cell has run for long. */
  async sweep(): Promise<void> {
    const idle = [...this.#entries.values()].filter(
      ({ kernel }) => kernel && kernel.idleMs > this.#bounds.idleMs,
    )
    await Promise.all(idle.map(async (each) => await this.#endEntry(each, 'idle')))
  }

  #findEntry(key: KernelKey): KernelEntry | undefined {
    const entry = this.#entries.get(formatKey(key))
    return entry?.kernel?.isOver === true ? undefined : entry
  }

  #requireEntry(key: KernelKey): KernelEntry {
    const entry = this.#findEntry(key)
    if (entry) return entry
    const ids = this.list(key.owner).map(({ kernel }) => kernel)
    throw new SkillsError('kernel/not-found', `There is no kernel "${key.id}"`, {
      hint:
        ids.length > 0
          ? `Living kernels: ${ids.join(', ')}`
          : 'Start it with run_code and the parameter kernel',
    })
  }

  #open(key: KernelKey, setup: KernelSetup, open: () => Promise<Kernel>): KernelEntry {
    if (this.#isOver) throw new SkillsError('run/cancelled', 'The runtime is stopping')
    const name = formatKey(key)
    const entry: KernelEntry = {
      ...key,
      ...setup,
      opening: open(),
      kernel: undefined,
      endedFor: undefined,
    }
    this.#entries.set(name, entry)
    const remove = () => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name)
      if (this.#entries.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const sweepMs = Math.max(50, Math.min(MAX_SWEEP_MS, this.#bounds.idleMs / 2))
    this.#timer ??= setInterval(() => void this.sweep().catch(() => {}), sweepMs).unref()
    void this.#follow(entry).finally(remove)
    return entry
  }

  /** Remembers why the kernel ended. */
  async #follow(entry: KernelEntry): Promise<void> {
    const kernel = await entry.opening.catch(() => undefined)
    if (!kernel) return
    entry.kernel = kernel
    if (this.#isOver) kernel.end()
    const exit = await kernel.exited
    const idle = spellDuration(this.#bounds.idleMs)
    this.#rememberEnd(formatKey(entry), describeKernelEnd(exit, entry.endedFor, idle))
  }

  #rememberEnd(name: string, why: string | undefined): void {
    this.#ends.delete(name)
    if (why === undefined) return
    this.#ends.set(name, why)
    dropOldest(this.#ends)
  }

  /** Refuses a kernel too many of one caller; of all callers, the one that is idle longest ends. */
  #makeRoom({ owner }: KernelKey): void {
    const living = [...this.#entries.values()].filter(({ kernel }) => kernel?.isOver !== true)
    const own = living.filter((each) => each.owner === owner)
    if (own.length >= this.#bounds.maxPerCaller) throw tooManyKernelsError(own.length, own)
    if (living.length < this.#bounds.max) return
    const idle = living.filter(({ kernel }) => kernel && !kernel.isBusy)
    const [oldest] = idle.sort((a, b) => (b.kernel?.idleMs ?? 0) - (a.kernel?.idleMs ?? 0))
    if (!oldest) throw tooManyKernelsError(this.#bounds.max, own)
    oldest.endedFor = 'crowd'
    oldest.kernel?.end()
  }

  async #endEntry(entry: KernelEntry, why: KernelEnd): Promise<void> {
    const kernel = await entry.opening.catch(() => undefined)
    // A cell may have begun while it was opening.
    if (!kernel || (why === 'idle' && kernel.isBusy)) return
    entry.endedFor ??= why
    kernel.end()
    await kernel.exited
  }
}

function summarizeKernel({ id, language, kernel, skills }: KernelEntry): KernelSummary {
  return {
    kernel: id,
    language,
    state: kernel ? (kernel.isBusy ? 'busy' : 'idle') : 'starting',
    cells: kernel?.cellCount ?? 0,
    started_at: (kernel?.startedAt ?? new Date()).toISOString(),
    idle_ms: Math.round(kernel?.idleMs ?? 0),
    skills: skills.map(({ manifest: { name, version } }) => `${name}@${version}`),
  }
}

function dropOldest(values: Map<string, unknown>): void {
  const [oldest] = values.keys()
  if (values.size > MAX_REMEMBERED && oldest !== undefined) values.delete(oldest)
}

/** Ids cannot contain the separator. */
function formatKey({ owner, id }: KernelKey): string {
  return `${id} ${owner}`
}

function tooManyKernelsError(maximum: number, own: readonly KernelKey[]): SkillsError {
  const ids = own.map(({ id }) => id).join(', ')
  return new SkillsError('run/busy', `The maximum of ${maximum} kernels is reached`, {
    hint:
      ids === ''
        ? 'Try again when a kernel of another caller is idle'
        : `End a kernel with kernel { action: "end" } (living: ${ids}), or use one of them`,
  })
}
