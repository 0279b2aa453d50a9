import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The tests can run with another nats-server than the one of this machine. */
const PROGRAM = process.env['SKILLS_TEST_NATS_SERVER'] ?? 'nats-server'

/**
 * While a server is away, a connection to its port may get this port as its own, because it is one of those
 * that the system gives away. It ends within seconds.
 */
const START_TRIES = 40

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
  const start = async (tries = START_TRIES): Promise<void> => {
    const out = openSync(join(dir, 'nats.log'), 'a')
    child = spawn(program, ['-c', config], { stdio: ['ignore', out, out] })
    closeSync(out)
    if (await listens(port, child)) return
    if (tries === 1) throw new Error(`nats-server ended with ${child.exitCode}`)
    await sleep(250)
    await start(tries - 1)
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
    start: async () => await start(),
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

/** Waits until the port is open. False if the server ended before. */
async function listens(port: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        done(true)
      })
      socket.on('error', () => done(false))
    })
    if (isOpen) return true
    await sleep(20)
  }
  return false
}
