import { randomBytes } from 'node:crypto'
import type { KernelLanguage } from '../../core/runs/kernels/kernel-language.ts'
import type { RunResult } from '../../core/runs/result.ts'
import type { RunEvent } from '../../core/runs/run-call.ts'
import type { RuntimeHandle } from '../../runtime-handle/handle.ts'
import { toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'

export interface KernelSessionOptions {
  language: KernelLanguage
  mounts: readonly string[]
  inputBlobs: readonly string[]
  timeoutMs: number | undefined
}

/** A kernel that executes the statements of a user, and shows their results. */
export class KernelSession {
  readonly #context: Context
  readonly #handle: RuntimeHandle
  readonly #options: KernelSessionOptions
  readonly #id = `repl-${randomBytes(6).toString('hex')}`
  /** Notes of the runtime, which each cell repeats. */
  readonly #notes = new Set<string>()
  #hasStarted = false

  constructor(context: Context, handle: RuntimeHandle, options: KernelSessionOptions) {
    this.#context = context
    this.#handle = handle
    this.#options = options
  }

  /** Executes a statement; false if it failed. */
  async execute(code: string): Promise<boolean> {
    const { language, mounts, inputBlobs, timeoutMs } = this.#options
    this.#hasStarted = true
    const result = await this.#handle.call(
      'run_code',
      {
        language,
        code,
        kernel: this.#id,
        mount_skills: [...mounts],
        input_blobs: [...inputBlobs],
        ...(timeoutMs !== undefined && { limits: { timeout_ms: timeoutMs } }),
      },
      { onEvent: (event) => this.#showEvent(event) },
    )
    this.#showResult(result)
    return result.status === 'completed'
  }

  /** Interrupts the running statement. */
  async interrupt(): Promise<void> {
    await this.#control('interrupt')
  }

  /** Starts again without variables. */
  async restart(): Promise<void> {
    await this.#control('restart')
  }

  async end(): Promise<void> {
    await this.#control('end')
  }

  /** A kernel that has ended needs no control. */
  async #control(action: 'interrupt' | 'restart' | 'end'): Promise<void> {
    if (!this.#hasStarted) return
    await this.#handle.call('kernel', { action, kernel: this.#id }).catch(() => {})
  }

  #showEvent(event: RunEvent): void {
    if (event.type !== 'log') return
    const { stream, text } = event
    if (stream === 'runtime') {
      if (this.#context.global.quiet || this.#notes.has(text)) return
      this.#notes.add(text)
    }
    this.#context[stream === 'stdout' ? 'stdout' : 'stderr'].write(text)
  }

  #showResult({ error, kernel }: RunResult): void {
    const { stderr, errorStyle: paint } = this.#context
    if (error) {
      const text = error.traceback?.trimEnd() ?? `${error.type}: ${error.message}`
      stderr.write(`${toPrintableLines(text)}\n`)
      if (error.hint) stderr.write(`  ${paint.dim('→')} ${toPrintableLines(error.hint)}\n`)
    }
    if (kernel?.value !== undefined) this.#context.print(this.#toShown(kernel.value))
    if (kernel?.notice !== undefined) this.#context.note(kernel.notice)
  }

  #toShown(text: string): string {
    return this.#context.stdout.isTTY === true ? toPrintableLines(text) : text
  }
}
