import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import type { Limits, SandboxExit, SandboxProcess } from '../sandbox/backend.ts'
import { CA_BUNDLE_PATH } from '../sandbox/network.ts'
import { PROJECT } from './bait/home-files.ts'
import { createRandomText } from './bait/markers.ts'
import { Observation, type ObservedTrial } from './observe/observation.ts'
import { Sink } from './sink/sink.ts'
import { HOME_FOLDER, HOOKS_FOLDER, LOG_FOLDER, type SubjectCommand } from './subjects/subject.ts'
import type { TrialContext } from './trial-context.ts'
import { getIdentity, type Variant } from './variants.ts'

const MIB = 1024 * 1024
const LIMITS: Limits = {
  wallMs: 5000,
  cpuMs: 5000,
  memoryBytes: 512 * MIB,
  totalMemoryBytes: undefined,
  processes: 64,
  openFiles: 512,
  workspaceBytes: 64 * MIB,
  inodes: 20_000,
  outputBytes: 4 * MIB,
  networkBytes: 64 * MIB,
}
const TERMINAL = { columns: 80, rows: 24 }
/** Answers to questions of a program in a terminal. */
const TYPED = 'y\n'.repeat(5)
const TOKEN_HALF = 12

/** A command of a subject in one variant. */
export interface PlannedTrial {
  command: SubjectCommand
  variant: Variant
  /** Milliseconds after which it is killed. */
  wallMs: number
}

/** Observations and the end of a trial. */
export interface EndedTrial extends ObservedTrial {
  outcome: string
  durationMs: number
}

/** Runs one command in a sandbox of its own, with bait and a network that this process answers. */
export async function runTrial(context: TrialContext, trial: PlannedTrial): Promise<EndedTrial> {
  const { backend, interpreter, tools, hostEnv, folders, signal } = context
  const folder = folders.create(context.files)
  const token = { first: createRandomText(TOKEN_HALF), second: createRandomText(TOKEN_HALF) }
  const observation = new Observation(context, folder, token)
  const sink = new Sink(
    {
      token,
      answersWithScripts: trial.variant.answersWithScripts === true,
      ports: context.ports,
      observer: observation,
    },
    context.certificates,
  )
  try {
    const sandbox = await backend.start({
      id: randomUUID(),
      guest: {
        kind: 'program',
        program: describeProgram(context, trial, { proxy: sink.proxy, token: token.first }),
      },
      skills: [],
      blobs: [],
      workspace: { source: folder.home },
      folders: [
        { source: folder.home, target: HOME_FOLDER, mode: 'read-write' },
        { source: folder.logFolder, target: LOG_FOLDER, mode: 'read-write' },
        { source: folders.hooks, target: HOOKS_FOLDER, mode: 'read-only', isPublic: true },
      ],
      tools,
      interpreter: async () => interpreter,
      limits: LIMITS,
      env: hostEnv,
      container: context.container,
      strict: false,
      ownMemoryLayout: false,
      signal,
      network: sink,
    })
    observation.start()
    const end = await followSandbox(sandbox, { ...trial, signal, observation })
    sink.close()
    // Requests whose connections have just closed are reported in the next turns.
    await new Promise((resolve) => setTimeout(resolve, 5))
    return { ...observation.finish(), outcome: end, durationMs: Math.round(observation.elapsedMs) }
  } finally {
    sink.close()
    folder.remove()
  }
}

const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']

function describeProgram(
  context: TrialContext,
  { command, variant }: PlannedTrial,
  { proxy, token }: { proxy: string; token: string },
) {
  const { host, user } = getIdentity(variant)
  const { executable, libraries } = context.interpreter
  const program = context.programs.get(command.program) ?? command.program
  const folders = [...new Set([dirname(executable), dirname(program), ...SYSTEM_FOLDERS])]
  return {
    argv: ['/bin/bash', `${HOOKS_FOLDER}/start.sh`, program, ...command.args],
    cwd: `${HOME_FOLDER}/${PROJECT}`,
    stdin: variant.hasTerminal ? ('pipe' as const) : ('none' as const),
    ...(variant.hasTerminal && { terminal: TERMINAL }),
    env: {
      HOME: HOME_FOLDER,
      PATH: [
        `${HOOKS_FOLDER}/bin`,
        `${HOME_FOLDER}/.local/bin`,
        ...folders,
        ...(variant.hasPackages ? [`${HOOKS_FOLDER}/programs`] : []),
      ].join(':'),
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      USER: user,
      LOGNAME: user,
      HOSTNAME: host,
      PWD: `${HOME_FOLDER}/${PROJECT}`,
      TMPDIR: '/tmp',
      PYTHONPATH: HOOKS_FOLDER,
      PYTHONDONTWRITEBYTECODE: '1',
      NODE_OPTIONS: `--require=${HOOKS_FOLDER}/preload.cjs`,
      CLAUDE_PROJECT_DIR: `${HOME_FOLDER}/${PROJECT}`,
      CLAUDE_PLUGIN_ROOT: context.skillFolder,
      CLAUDE_SKILL_DIR: context.skillFolder,
      SKILL_DIR: context.skillFolder,
      ...context.secrets,
      ...buildNetworkVariables(proxy),
      ...variant.env,
      TRIAL_LOG: `${LOG_FOLDER}/events`,
      TRIAL_HOME: HOME_FOLDER,
      TRIAL_TOKEN: token,
      TRIAL_HOST: host,
      TRIAL_USER: user,
      TRIAL_PYTHON: executable,
      ...(libraries !== undefined && { TRIAL_LIBRARIES: libraries }),
      ...(libraries !== undefined &&
        command.program === 'python3' && { LD_LIBRARY_PATH: libraries }),
      TRIAL_FOLDERS: folders.join(':'),
      ...(variant.hasPackages && { TRIAL_PACKAGES: '1' }),
      ...(variant.shiftSeconds !== undefined && { TRIAL_SHIFT: String(variant.shiftSeconds) }),
    },
  }
}

/** Points clients to the proxy, which serves every port, and to the certificates. */
function buildNetworkVariables(proxy: string): Record<string, string> {
  const proxies = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'http_proxy',
    'https_proxy',
    'ALL_PROXY',
    'all_proxy',
  ]
  const bundles = [
    'SSL_CERT_FILE',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'GIT_SSL_CAINFO',
    'NODE_EXTRA_CA_CERTS',
  ]
  return Object.fromEntries([
    ...proxies.map((name) => [name, proxy] as const),
    ...bundles.map((name) => [name, CA_BUNDLE_PATH] as const),
  ])
}

interface Following extends PlannedTrial {
  signal: AbortSignal | undefined
  observation: Observation
}

/** Waits until every process is dead; returns the outcome. */
async function followSandbox(
  sandbox: SandboxProcess,
  { wallMs, signal, observation, variant }: Following,
): Promise<string> {
  const timer = setTimeout(() => sandbox.kill('wall'), wallMs)
  const cancel = () => sandbox.kill('cancelled')
  signal?.addEventListener('abort', cancel)
  sandbox.channel.resume()
  let size = 0
  for (const stream of [sandbox.stdout, sandbox.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > LIMITS.outputBytes) sandbox.kill('output')
      else observation.onOutput(chunk)
    })
  }
  if (variant.hasTerminal) {
    sandbox.stdin?.on('error', () => {})
    sandbox.stdin?.write(TYPED)
  }
  try {
    return describeTrialEnd(await sandbox.exited)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

function describeTrialEnd({
  exitCode,
  signal,
  endedBecause,
  failure,
  notStarted,
}: SandboxExit): string {
  if (failure !== undefined) return `the sandbox failed: ${failure}`
  if (notStarted) return `not started: ${notStarted.error} at the ${notStarted.step}`
  if (endedBecause === 'wall') return 'time limit'
  if (endedBecause !== undefined) return `ended: ${endedBecause}`
  return signal === null ? `exit ${exitCode ?? 'unknown'}` : `signal ${signal}`
}
