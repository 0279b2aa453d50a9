import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The tests can run with another nats-server than the one of this machine. */
const PROGRAM = process.env['SKILLS_TEST_NATS_SERVER'] ?? 'nats-server'

/** A nats-server with JetStream on loopback, in a folder of its own. */
export interface TestServer {
  readonly url: string
  readonly dir: string
  readonly process: ChildProcess
  /** Ends the process with a signal and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Starts the server again, on the same port and folder. */
  start(): Promise<void>
  /** Ends the server and removes its folder. */
  close(): Promise<void>
}

/** Starts a server; `extra` is added to its configuration. Root can give its streams a disk of some size. */
export async function startNatsServer(
  extra = '',
  { diskBytes, program = PROGRAM }: { diskBytes?: number; program?: string } = {},
): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'skills-nats-'))
  const disk = join(dir, 'js')
  if (diskBytes !== undefined) {
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk])
  }
  const port = await findFreePort()
  const config = join(dir, 'nats.conf')
  writeFileSync(
    config,
    `host: 127.0.0.1
port: ${port}
max_payload: 1MB
ping_interval: "5s"
ping_max: 2
jetstream { store_dir: "${dir}/js", max_mem: 64MB, max_file: 1GB }
${extra}
`,
  )
  let child: ChildProcess
  const start = async () => {
    const out = openSync(join(dir, 'nats.log'), 'a')
    child = spawn(program, ['-c', config], { stdio: ['ignore', out, out] })
    await waitForPort(port, child)
  }
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    await ended
  }
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    dir,
    get process() {
      return child
    },
    start,
    end,
    async close() {
      await end('SIGKILL')
      if (diskBytes !== undefined) execFileSync('umount', ['--lazy', disk])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export async function findFreePort(): Promise<number> {
  return await new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        done(true)
      })
      socket.on('error', () => done(false))
    })
    if (isOpen) return
    await sleep(20)
  }
  throw new Error(`nats-server ended with ${child.exitCode}`)
}
