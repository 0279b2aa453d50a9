import { expect } from 'vitest'
import type { ConformanceCase } from './case.ts'

const limit = (name: string, value: number | string) => ({
  settings: { [`run.limits.${name}`]: value },
})

/** Ways for a run to end. */
export const OUTCOME_CASES: readonly ConformanceCase[] = [
  {
    name: 'a value is returned',
    code: 'return {"sum": args["a"] + args["b"], "text": "héllo"}',
    options: { args: { a: 1, b: 2 } },
    gives: { status: 'completed', output: { sum: 3, text: 'héllo' } },
  },
  {
    name: 'a value too large for a result is returned as a blob',
    code: 'return "x" * 10000',
    check: ({ output, output_blobs: blobs }) =>
      expect(output).toEqual({ truncated: true, blob_id: blobs[0], size_bytes: 10002 }),
  },
  {
    name: 'an exception is reported with its type and lines',
    code: 'raise ValueError("bad")',
    gives: { status: 'failed', error: { type: 'ValueError', message: 'bad' } },
    check: ({ error }) => expect(error?.traceback).toMatch(/main\.py", line 4, in main/),
  },
  {
    name: 'siblings and the skill itself can be imported',
    code: 'import helper\nfrom skills.test.run_it.helper import WORD\nreturn [helper.WORD, WORD]',
    options: { files: { 'code/helper.py': 'WORD = "w"\n' } },
    gives: { output: ['w', 'w'] },
  },
  {
    name: 'exiting is not success',
    code: 'os._exit(0)',
    gives: { status: 'failed', error: { type: 'Exited', exit_code: 0 } },
  },
  {
    name: 'a signal is reported',
    code: 'os.kill(os.getpid(), signal.SIGKILL)',
    gives: { error: { type: 'Killed', signal: 'SIGKILL' } },
  },
  {
    name: 'a run is killed at its timeout',
    code: 'print("begun", flush=True)\ntime.sleep(600)',
    options: { timeoutMs: 2000 },
    gives: { error: { type: 'Timeout', limit: { name: 'wall', value: 2000 } } },
  },
  {
    name: 'a run that stops itself is killed at its timeout',
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
    name: 'processor time is limited',
    code: 'while True: pass',
    options: limit('cpu_time', '1s'),
    gives: { error: { type: 'CpuLimit', limit: { name: 'cpu', value: 1000 } } },
  },
  {
    name: 'memory is limited',
    code: 'x = []\nwhile True: x.append(bytearray(10_000_000))',
    options: limit('memory', '128MiB'),
    gives: { error: { type: 'MemoryLimit', limit: { name: 'memory', value: 134217728 } } },
  },
  {
    name: 'memory of all processes together is limited',
    needs: { limits: 'memory', over: 'run' },
    code: 'for _ in range(6):\n    if os.fork() == 0:\n        x = bytearray(50_000_000); time.sleep(600)\nos.wait()\ntime.sleep(600)',
    options: limit('memory', '128MiB'),
    gives: { error: { type: 'MemoryLimit' } },
  },
  {
    name: 'processes are limited',
    needs: { limits: 'processes', over: 'run' },
    code: 'children = [os.fork() or time.sleep(600) for _ in range(100)]',
    options: limit('processes', 20),
    gives: { error: { type: 'ProcessLimit', limit: { name: 'processes', value: 20 } } },
  },
  {
    name: 'open files are limited',
    code: 'files = [open("/dev/null") for _ in range(2000)]',
    gives: { error: { type: 'OSError', limit: { name: 'open_files', value: 1024 } } },
  },
  {
    name: 'a file is not larger than the workspace limit',
    code: 'open("a", "wb").write(bytes(3_000_000))',
    options: limit('workspace', '1MiB'),
    gives: { error: { type: 'DiskLimit', limit: { name: 'workspace', value: 1048576 } } },
  },
  {
    name: 'files together are not larger than the workspace limit',
    needs: { limits: 'disk', over: 'run' },
    code: 'for at in range(10): open(str(at), "wb").write(bytes(300_000))',
    options: limit('workspace', '1MiB'),
    without: { status: 'completed' },
    gives: { error: { type: 'DiskLimit' } },
  },
]
