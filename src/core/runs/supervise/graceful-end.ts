import type { EndReason, SandboxExit, SandboxProcess } from '../../sandbox/backend.ts'

/** Ends a program with SIGTERM, and after a grace period with SIGKILL. */
export class GracefulEnd {
  readonly #sandbox: Pick<SandboxProcess, 'kill' | 'signal'>
  readonly #graceMs: number
  #reason: EndReason | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(sandbox: Pick<SandboxProcess, 'kill' | 'signal'>, graceMs: number) {
    this.#sandbox = sandbox
    this.#graceMs = graceMs
  }

  /** Only the first call has an effect. */
  begin(reason: EndReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    if (this.#graceMs === 0 || !this.#sandbox.signal) return this.#sandbox.kill(reason)
    this.#sandbox.signal('SIGTERM')
    this.#timer = setTimeout(() => this.#sandbox.kill(reason), this.#graceMs)
  }

  /** A program that ended within the grace period was ended for this reason too. */
  complete(exit: SandboxExit): SandboxExit {
    return { ...exit, endedBecause: exit.endedBecause ?? this.#reason }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
