import { expect } from 'vitest'
import type { Case } from './case.ts'

const limit = (name: string, value: number | string) => ({
  settings: { [`run.limits.${name}`]: value },
})

/** Ways for a run to end. */
export const OUTCOMES: readonly Case[] = [
  {
    name: 'a value comes back',
    code: 'return {"sum": args["a"] + args["b"], "text": "héllo"}',
    options: { args: { a: 1, b: 2 } },
    gives: { status: 'completed', output: { sum: 3, text: 'héllo' } },
  },
  {
    name: 'a value too large for a result comes as a blob',
    code: 'return "x" * 10000',
    check: ({ output, output_blobs: blobs }) =>
      expect(output).toEqual({ truncated: true, blob_id: blobs[0], size_bytes: 10002 }),
  },
  {
    name: 'an exception is told with its type and lines',
    code: 'raise ValueError("bad")',
    gives: { status: 'failed', error: { type: 'ValueError', message: 'bad' } },
    check: ({ error }) => expect(error?.traceback).toMatch(/main\.py", line 4, in main/),
  },
  {
    name: 'siblings and the skill itself are imported',
    code: 'import helper\nfrom skills.test.run_it.helper import WORD\nreturn [helper.WORD, WORD]',
    options: { files: { 'code/helper.py': 'WORD = "w"\n' } },
    gives: { output: ['w', 'w'] },
  },
  {
    name: 'leaving is not success',
    code: 'os._exit(0)',
    gives: { status: 'failed', error: { type: 'Exited', exit_code: 0 } },
  },
  {
    name: 'a signal is told',
    code: 'os.kill(os.getpid(), signal.SIGKILL)',
    gives: { error: { type: 'Killed', signal: 'SIGKILL' } },
  },
  {
    name: 'a run over its time is ended',
    code: 'print("begun", flush=True)\ntime.sleep(600)',
    options: { timeoutMs: 2000 },
    gives: { error: { type: 'Timeout', limit: { name: 'wall', value: 2000 } } },
  },
  {
    name: 'a run that stops itself is ended over its time',
    code: 'os.kill(os.getpid(), signal.SIGSTOP)',
    options: { timeoutMs: 2000 },
    gives: { error: { type: 'Timeout' } },
  },
  {
    name: 'a run is cancelled',
    code: 'print("begun", flush=True)\ntime.sleep(600)',
    cancelAt: 'begun',
    throws: 'run/cancelled',
  },
  {
    name: 'a flood of output ends the run',
    code: 'while True: print("x" * 100000)',
    options: limit('output', '1MiB'),
    gives: { error: { type: 'OutputLimit', limit: { name: 'output', value: 1048576 } } },
  },
  {
    name: 'processor time is bounded',
    code: 'while True: pass',
    options: limit('cpu_time', '1s'),
    gives: { error: { type: 'CpuLimit', limit: { name: 'cpu', value: 1000 } } },
  },
  {
    name: 'memory is bounded',
    code: 'x = []\nwhile True: x.append(bytearray(10_000_000))',
    options: limit('memory', '128MiB'),
    gives: { error: { type: 'MemoryLimit', limit: { name: 'memory', value: 134217728 } } },
  },
  {
    name: 'memory of all processes together is bounded',
    needs: { limits: 'memory', over: 'run' },
    code: 'for _ in range(6):\n    if os.fork() == 0:\n        x = bytearray(50_000_000); time.sleep(600)\nos.wait()\ntime.sleep(600)',
    options: limit('memory', '128MiB'),
    gives: { error: { type: 'MemoryLimit' } },
  },
  {
    name: 'processes are bounded',
    needs: { limits: 'processes', over: 'run' },
    code: 'children = [os.fork() or time.sleep(600) for _ in range(100)]',
    options: limit('processes', 20),
    gives: { error: { type: 'ProcessLimit', limit: { name: 'processes', value: 20 } } },
  },
  {
    name: 'open files are bounded',
    code: 'files = [open("/dev/null") for _ in range(1000)]',
    options: limit('open_files', 50),
    gives: { error: { type: 'OSError', limit: { name: 'open_files', value: 50 } } },
  },
  {
    name: 'a file is no larger than the workspace may be',
    code: 'open("a", "wb").write(bytes(3_000_000))',
    options: limit('workspace', '1MiB'),
    gives: { error: { type: 'DiskLimit', limit: { name: 'workspace', value: 1048576 } } },
  },
  {
    name: 'files together are no larger than the workspace may be',
    needs: { limits: 'disk', over: 'run' },
    code: 'for at in range(10): open(str(at), "wb").write(bytes(300_000))',
    options: limit('workspace', '1MiB'),
    without: { status: 'completed' },
    gives: { error: { type: 'DiskLimit' } },
  },
]
