import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { executeEntry } from '../../../../src/core/methods/execute-skill/handler.ts'
import { readEntryAt } from '../../../../src/core/skills/repository/open-repository.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import type { SkillsError } from '../../../../src/errors.ts'
import { writeTree } from '../../../helpers/skills.ts'
import type { EgressRunRequest, Report, EgressRunReport } from './worker-protocol.ts'

/** Starts all runs that it reads from stdin concurrently, in this one process. */
const {
  base,
  engine,
  runtime: program,
  certificates,
  runs,
} = JSON.parse(await text(process.stdin)) as {
  base: string
  engine: 'bubblewrap' | 'podman' | 'docker'
  runtime: 'default' | 'runsc'
  certificates: string
  runs: Record<string, EgressRunRequest>
}

const PROGRAM = readFileSync(new URL('attempts.py', import.meta.url))

async function perform(request: EgressRunRequest): Promise<EgressRunReport> {
  const runReport: EgressRunReport = { decisions: [], logs: '' }
  let reached: Promise<string> | undefined
  try {
    runReport.result = await start(request, {
      onLog: (said) => {
        runReport.logs += said
        const port = request.reach === true ? /port (\d+)/.exec(said)?.[1] : undefined
        if (port !== undefined) reached ??= reach(Number(port))
      },
      onDecision: (decision) => runReport.decisions.push(decision),
    })
  } catch (error) {
    const { code, message } = error as SkillsError
    runReport.thrown = { code: String(code), message }
  }
  if (reached) runReport.reached = await reached
  return runReport
}

interface Listeners {
  onLog: (text: string) => void
  onDecision: (decision: EgressRunReport['decisions'][number]) => void
}

async function start(request: EgressRunRequest, { onLog, onDecision }: Listeners) {
  const home = mkdtempSync(join(base, 'home-'))
  const secrets = request.secret === undefined ? '[]' : '["TOKEN"]'
  writeTree(home, {
    'skill/skill.toml': `name = "try.network"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "attempts.py"\nexport = "main"\n[permissions]\nnetwork = ${JSON.stringify(request.list)}\nsecrets = ${secrets}\n`,
    'skill/attempts.py': PROGRAM,
  })
  const flags = {
    'directories.data': home,
    'run.backend': request.backend ?? (engine === 'bubblewrap' ? 'auto' : 'container'),
    'run.container.engine': engine === 'bubblewrap' ? 'auto' : engine,
    'run.container.runtime': program,
    'run.network.allow_private': request.allowPrivate,
    'run.limits.network_bytes': String(request.networkBytes ?? 1024 ** 3),
  }
  const env = {
    HOME: home,
    PATH: process.env['PATH'],
    DOCKER_HOST: process.env['DOCKER_HOST'],
    SSL_CERT_FILE: certificates,
  }
  const { config } = await loadConfig({ cwd: home, env, noFiles: true, flags })
  const runtime = createRuntime({ config, cacheDir: null })
  const entry = await readEntryAt(join(home, 'skill'))
  return await executeEntry(
    runtime,
    { entry, args: { attempts: request.attempts as never }, timeout_ms: 120_000 },
    {
      cwd: home,
      env,
      grants: {
        allowNetwork: request.withoutLeave !== true,
        secrets: new Map(request.secret === undefined ? [] : [['TOKEN', request.secret]]),
      },
      onEvent: (event) => {
        if (event.type === 'log') onLog(event.text)
        if (event.type === 'network') onDecision(event.decision)
      },
    },
  )
}

function reach(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve('connected'))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    socket.on('close', () => socket.destroy())
  })
}

function countSockets(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}

const before = countSockets()
const done = await Promise.all(
  Object.entries(runs).map(async ([name, request]) => [name, await perform(request)] as const),
)
// Closed sockets are released in a later tick.
await sleep(100)
const report: Report = { reports: Object.fromEntries(done), sockets: [before, countSockets()] }
process.stdout.write(JSON.stringify(report))
