import { SkillsError } from '../../errors.ts'

const MAX_WAITING = 64
const MAX_WAITING_PER_CALLER = 8

/** Waiting tasks. Callers take turns, so that none waits for all tasks of another. */
export class FairTaskQueue<Task> {
  /** The caller whose turn is next is the first one. */
  readonly #byCaller = new Map<string | undefined, Task[]>()

  /**
   * Adds a task of a caller. The local user is undefined, and has no limit of its own. Throws
   * `run/busy` if too many wait.
   */
  add(caller: string | undefined, task: Task): void {
    const own = this.#byCaller.get(caller) ?? []
    if (caller !== undefined && own.length >= MAX_WAITING_PER_CALLER) {
      throw busyError(`This caller has ${own.length} documents that wait to be read`)
    }
    let size = 0
    for (const tasks of this.#byCaller.values()) size += tasks.length
    if (size >= MAX_WAITING) throw busyError('Too many documents are being read')
    own.push(task)
    this.#byCaller.set(caller, own)
  }

  /** Removes the oldest task of the next caller. */
  take(): Task | undefined {
    const [next] = this.#byCaller
    if (!next) return undefined
    const [caller, tasks] = next
    const task = tasks.shift()
    this.#byCaller.delete(caller)
    if (tasks.length > 0) this.#byCaller.set(caller, tasks)
    return task
  }

  remove(caller: string | undefined, task: Task): void {
    const left = (this.#byCaller.get(caller) ?? []).filter((each) => each !== task)
    if (left.length === 0) this.#byCaller.delete(caller)
    else this.#byCaller.set(caller, left)
  }
}

function busyError(message: string): SkillsError {
  return new SkillsError('run/busy', message, { hint: 'Repeat the call in a moment' })
}
