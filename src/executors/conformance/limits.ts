import { assertThat } from '../../conformance/assertions.ts'
import { runTrial, type ExecutorRequirement, type TrialEnd } from './requirement.ts'

const MIB = 1024 ** 2

/** Limits over all processes of a command that an executor claims. */
export const LIMIT_REQUIREMENTS: readonly ExecutorRequirement[] = [
  {
    id: 'limits/memory',
    text: 'Processes that together need more memory than the limit are ended, and the limit is named',
    needs: { limits: 'memory' },
    async check(trial) {
      const code = [
        'import os,time',
        'for i in range(3):',
        ' if os.fork()==0:',
        '  b=bytearray(70<<20)',
        '  for n in range(0,len(b),4096):b[n]=1',
        '  time.sleep(20);os._exit(0)',
        'time.sleep(20)',
        'print("survived")',
      ].join('\n')
      const end = await runTrial(trial, code, { limits: { memoryBytes: 128 * MIB } })
      expectReached(end, 'memory')
    },
  },
  {
    id: 'limits/processes',
    text: 'No more processes are created than the limit',
    needs: { limits: 'processes' },
    async check(trial) {
      const code = [
        'import os,time',
        'n=0',
        'try:',
        ' while n<100:',
        '  if os.fork()==0:time.sleep(20);os._exit(0)',
        '  n+=1',
        'except OSError:pass',
        'print(n<40,flush=True)',
        'os._exit(0)',
      ].join('\n')
      const { stdout, exit } = await runTrial(trial, code, { limits: { processes: 32 } })
      const printed = stdout.toString('utf8').trim()
      const isEnded = exit.reached === 'processes'
      assertThat(isEnded || printed === 'True', `more than 40 were created with a limit of 32`)
    },
  },
  {
    id: 'limits/cpu',
    text: 'Processes that together use more processor time than the limit are ended, and it is named',
    needs: { limits: 'cpu' },
    async check(trial) {
      const code =
        'import os,time\nos.fork()\ne=time.time()+40\nwhile time.time()<e:pass\nprint("survived")'
      expectReached(await runTrial(trial, code, { limits: { cpuMs: 1000 } }), 'cpu')
    },
  },
  {
    id: 'limits/disk',
    text: 'Files that are larger than the limit cannot be written, or the limit is named',
    needs: { limits: 'disk' },
    async check(trial) {
      const folder = trial.executor.folder ?? '/tmp'
      const code = [
        'import os',
        `os.chdir(${JSON.stringify(folder)})`,
        'try:',
        ' for i in range(6):',
        '  with open("f%d"%i,"wb") as f:f.write(b"x"*(8<<20))',
        'except OSError:print("refused");raise SystemExit',
        'import time;time.sleep(2)',
        'print("survived")',
      ].join('\n')
      const end = await runTrial(trial, code, { limits: { workspaceBytes: 24 * MIB } })
      if (end.stdout.toString('utf8').trim() !== 'refused') expectReached(end, 'disk')
    },
  },
]

function expectReached({ exit, stdout }: TrialEnd, limit: string): void {
  assertThat(!stdout.toString('utf8').includes('survived'), 'the command was not ended')
  assertThat(
    exit.reached === limit,
    `expected reached "${limit}", got ${exit.reached ?? 'nothing'}`,
  )
}
