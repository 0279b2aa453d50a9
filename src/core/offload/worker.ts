import { parentPort } from 'node:worker_threads'
import { toSkillsError } from '../../errors.ts'
import { TASKS } from './perform-task.ts'
import type { TaskAnswer, TaskRequest } from './tasks.ts'

/** The thread of offloaded tasks: performs one after the other. */
parentPort?.on('message', (request: TaskRequest) => {
  void answer(request).then(send)
})

async function answer({ id, name, input }: TaskRequest): Promise<TaskAnswer> {
  try {
    const perform = await TASKS[name]()
    send({ id, isLoaded: true })
    return { id, output: await perform(input as never) }
  } catch (thrown) {
    const { code, message, hint } = toSkillsError(thrown)
    return { id, error: { code, message, ...(hint !== undefined && { hint }) } }
  }
}

function send(message: TaskAnswer): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}
