import type { EndReason } from '../../sandbox/backend.ts'
import { CommandProcess, type CommandSandbox } from '../shared-sandbox/command-process.ts'

/** Ends that leave the interpreter a chance to stop the cell itself. */
const INTERRUPTS: readonly EndReason[] = ['wall', 'cancelled', 'output']

/** The execution of one cell. Its end leaves the interpreter, if that obeys an interrupt. */
export class CellProcess extends CommandProcess {
  readonly #endKernel: (why: EndReason) => void
  readonly #graceMs: number

  constructor(
    sandbox: CommandSandbox,
    { graceMs, endKernel }: { graceMs: number; endKernel: (why: EndReason) => void },
  ) {
    super(sandbox, { hasInput: false, hasChannel: true })
    this.#graceMs = graceMs
    this.#endKernel = endKernel
  }

  /** Interrupts the code; after the grace period, the interpreter is killed. */
  override kill(why: EndReason): void {
    if (!this.beginEnd(why)) {
      if (!INTERRUPTS.includes(why)) this.#endKernel(why)
      return
    }
    if (!INTERRUPTS.includes(why) || this.#graceMs === 0) return this.#endKernel(why)
    this.signal('SIGINT')
    const timer = setTimeout(() => this.#endKernel(why), this.#graceMs)
    void this.exited.then(() => clearTimeout(timer))
  }
}
