import { spawn } from 'node:child_process'
import type { Executor, ExecutorExit } from '../../src/executors/index.ts'

/**
 * An executor as an application writes one: programs of this machine in a PID namespace, which
 * isolates nothing else.
 */
export function createPlainExecutor(own: Partial<Executor> = {}): Executor {
  return {
    name: 'plain',
    guarantees: { isolates: [], limits: [] },
    async start({ argv }) {
      const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child']
      const child = spawn('unshare', [...unshare, '--', ...argv], {
        env: { PATH: process.env['PATH'] },
        stdio: 'pipe',
      })
      const { stdin, stdout, stderr } = child
      const exited = new Promise<ExecutorExit>((resolve) => {
        child.once('error', (error) => resolve({ exitCode: null, failure: error.message }))
        child.once('close', (exitCode) => resolve({ exitCode }))
      })
      return { stdin, stdout, stderr, exited, kill: () => void child.kill('SIGKILL') }
    },
    ...own,
  }
}
