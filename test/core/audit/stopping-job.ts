import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BUILT_MODULES } from '../../helpers/built.ts'

/** Records to append, and the call of the file system before which the process stops itself. */
export interface StoppingJob {
  dir: string
  name: string
  stopAt: number
  /** Counts only calls of this name: the number of others depends on how long it waits. */
  call?: string
  maxFileBytes: number
}

/** A record that was acknowledged. */
export interface Acknowledged {
  id: string
  hash: string
}

interface WriterMessage {
  stopsBefore?: string
  acknowledged?: readonly Acknowledged[]
  hasStopped?: boolean
  error?: string
}

/** A process that appends records, and can be stopped in the middle. */
export class StoppingWriter {
  #child = spawn(
    process.execPath,
    ['--import', BUILT_MODULES, fileURLToPath(new URL('stopping-writer.ts', import.meta.url))],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  #lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()

  /** Resolves with the name of the call when the process has stopped, or with the result. */
  async start(job: StoppingJob): Promise<WriterMessage> {
    this.#child.stdin.write(`${JSON.stringify(job)}\n`)
    const message = await this.#read()
    while (message.stopsBefore !== undefined && !this.#isStopped()) await sleep(1)
    return message
  }

  /** Continues the process and returns the result of its job. */
  async continue(): Promise<WriterMessage> {
    this.#child.kill('SIGCONT')
    return await this.#read()
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }

  async #read(): Promise<WriterMessage> {
    const { value, done } = (await this.#lines.next()) as IteratorResult<string, undefined>
    if (done) throw new Error('the writer ended')
    return JSON.parse(value) as WriterMessage
  }

  #isStopped(): boolean {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  }
}
