import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { assertThat } from '../../conformance/assertions.ts'
import {
  expectOutput,
  readFirstLine,
  runTrial,
  startTrial,
  type ExecutorRequirement,
} from './requirement.ts'

/** Isolation that an executor claims. */
export const ISOLATION_REQUIREMENTS: readonly ExecutorRequirement[] = [
  {
    id: 'isolation/files',
    text: 'A command reads no file of this machine',
    needs: { isolates: 'files' },
    async check(trial) {
      const file = join(trial.folder, 'canary')
      writeFileSync(file, 'canary', { mode: 0o644 })
      const code = `try:print(open(${JSON.stringify(file)}).read())\nexcept OSError:print("no")`
      expectOutput(await runTrial(trial, code), 'no')
    },
  },
  {
    id: 'isolation/files-of-others',
    text: 'A command sees no file of an earlier one',
    needs: { isolates: 'files' },
    async check(trial) {
      const name = `skills-left-${randomBytes(6).toString('hex')}`
      const { folder = '/tmp' } = trial.executor
      const paths = ['/tmp', '/var/tmp', '/dev/shm', folder].map((each) => `${each}/${name}`)
      const list = JSON.stringify(paths)
      const write = `for p in ${list}:\n try:open(p,"w").close()\n except OSError:pass`
      await runTrial(trial, write)
      const look = `import os\nprint([p for p in ${list} if os.path.exists(p)])`
      expectOutput(await runTrial(trial, look), '[]')
    },
  },
  {
    id: 'isolation/network',
    text: 'A command has no network, and does not reach this machine',
    needs: { isolates: 'network' },
    async check(trial) {
      // A command may reset its connection instead of reading.
      const server = createServer((socket) => socket.on('error', () => {}).end('reached'))
      await new Promise<void>((resolve, reject) =>
        server.on('error', reject).listen(0, '127.0.0.1', resolve),
      )
      const address = server.address()
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0
      const code = [
        'import socket',
        `try:socket.create_connection(("127.0.0.1",${port}),3);print("reached")`,
        'except OSError:print("no",len(open("/proc/net/route").read().split("\\n")[1:-1]))',
      ].join('\n')
      try {
        expectOutput(await runTrial(trial, code), 'no 0')
      } finally {
        server.close()
      }
    },
  },
  {
    id: 'isolation/processes',
    text: 'A command sees no process of another one',
    needs: { isolates: 'processes' },
    async check(trial) {
      const mark = `skills-mark-${randomBytes(6).toString('hex')}`
      const other = await startTrial(
        trial,
        `import time\nprint("${mark}",flush=True)\ntime.sleep(60)`,
      )
      try {
        await readFirstLine(other)
        const code = [
          'import os',
          'n=0',
          'for p in os.listdir("/proc"):',
          ' if p.isdigit() and int(p)!=os.getpid():',
          '  try:c=open("/proc/"+p+"/cmdline").read()',
          '  except OSError:continue',
          `  n+=${JSON.stringify(mark.slice(0, 12))}+${JSON.stringify(mark.slice(12))} in c and "sleep(60)" in c`,
          'print(n)',
        ].join('\n')
        expectOutput(await runTrial(trial, code), '0')
      } finally {
        other.kill()
        await other.exited
      }
    },
  },
  {
    id: 'isolation/user',
    text: 'A command has no capability, and can get none by executing a program',
    needs: { isolates: 'user' },
    async check(trial) {
      const code = [
        's=dict(l.split(":\\t",1) for l in open("/proc/self/status").read().split("\\n") if ":\\t" in l)',
        'print(int(s["CapEff"],16),int(s["CapPrm"],16),s.get("NoNewPrivs","1"))',
      ].join('\n')
      expectOutput(await runTrial(trial, code), '0 0 1')
    },
  },
  {
    id: 'isolation/system-calls',
    text: 'A command creates no namespaces and traces no process',
    needs: { isolates: 'system calls' },
    async check(trial) {
      const code = [
        'import ctypes,os',
        'c=ctypes.CDLL(None)',
        'p=os.fork()',
        'if p==0:os._exit(c.unshare(0x10000000)==0)',
        'a=os.waitpid(p,0)[1]',
        'p=os.fork()',
        'if p==0:os._exit(c.ptrace(0,0,0,0)==0)',
        'print(a,os.waitpid(p,0)[1])',
      ].join('\n')
      const { stdout } = await runTrial(trial, code)
      const printed = stdout.toString('utf8').trim()
      // A filter may also kill the process.
      assertThat(
        /^\d+ \d+$/.test(printed) && !printed.split(' ').includes('256'),
        `unshare and ptrace ended with ${printed || 'nothing'}, where 256 is success`,
      )
    },
  },
]
