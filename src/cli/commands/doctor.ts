import type { Machine } from '../../core/doctor/check.ts'
import type { CheckRuntimeResult } from '../../core/methods/check-runtime/definition.ts'
import { PACKAGE_ROOT } from '../../core/open-services.ts'
import { createRuntime } from '../../core/runtime.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { openRemoteHandle } from '../access/open-remote-handle.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import { getFlagOption, type CommandDefinition, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { buildConfigRequest, openConfigWithProblems } from '../runtime.ts'
import { padText, measureWidth, wrapText, wrapLines } from '../ui/text.ts'

export const command: CommandDefinition = {
  summary: 'Check that this machine can run skills',
  details: [
    'Check that this machine can run skills.',
    '',
    '- With --url, a server checks its machine. SKILLS_URL is not used.',
    '- With --data, everything that is stored is verified by its digest instead, and',
    '  nothing is changed: blobs, runs, outputs, the audit log, sessions and',
    '  uploaded skills. The exit status is 1 if something is damaged.',
  ].join('\n'),
  options: [
    {
      flags: '--fix',
      description:
        'Install bubblewrap if runs need it and no password is needed; use a scope of systemd for limits',
    },
    { flags: '--data', description: 'Find damaged files in the data directory' },
    ...REMOTE_OPTIONS,
  ],
  examples: [
    { command: 'skills doctor', explains: 'Show available and missing requirements' },
    { command: 'skills doctor --json', explains: 'Print the same as JSON' },
    {
      command: 'skills doctor --fix',
      explains: 'Install missing packages, and use a scope of systemd',
      notRun: 'it changes the system',
    },
    { command: 'skills doctor --data', explains: 'List what is stored and damaged' },
    {
      command: 'skills doctor --url http://127.0.0.1:8080',
      explains: 'Check the machine of a server',
      notRun: 'it needs a server',
    },
  ],
  async run(context, call) {
    if (getFlagOption(call, 'data')) {
      refuseOthers(call)
      const { checkData } = await import('../doctor/check-data.ts')
      return await checkData(context)
    }
    const { report, ...fixed } = await checkSelectedMachine(context, call)
    if (context.global.json) context.document('skills.doctor/v1', { ...report, ...fixed })
    else {
      showChecks(context, report.checks)
      showBackends(context, report.backends)
    }
    return report.ok ? 0 : 1
  },
}

function refuseOthers({ options }: CommandLine): void {
  const other = ['fix', 'url'].find((name) => options[name] !== undefined)
  if (other === undefined) return
  throw new SkillsError('usage/invalid', `--${other} cannot be combined with --data`, {
    hint: 'Type "skills doctor --data" on the machine that has the data',
  })
}

interface CheckedMachine {
  report: CheckRuntimeResult
  /** Result of installing what was missing; null if nothing was installed. */
  installed: object | null
  /** Setting that was written; null if none was. */
  set: WrittenSetting | null
}

async function checkSelectedMachine(context: Context, call: CommandLine): Promise<CheckedMachine> {
  const fixes = getFlagOption(call, 'fix')
  const remote = await openRemoteHandle(context, call)
  if (remote) {
    if (fixes) throw fixIsLocalError()
    return { report: await remote.call('check_runtime', {}), installed: null, set: null }
  }
  let machine = await openMachine(context)
  const installed = fixes ? await installMissing(context, machine) : undefined
  const written = fixes ? await useScope(context, machine) : undefined
  if (written) machine = await openMachine(context)
  const { checkMachine } = await import('../../core/doctor/check-machine.ts')
  return { report: await checkMachine(machine), installed: installed ?? null, set: written ?? null }
}

function fixIsLocalError(): SkillsError {
  return new SkillsError('usage/invalid', '--fix cannot be combined with --url', {
    hint: 'Type "skills doctor --fix" on the machine of the server',
  })
}

async function openMachine(context: Context): Promise<Machine> {
  const { config, files, problems } = await openConfigWithProblems(context)
  const { repository, sandboxes } = createRuntime({ config })
  const configuration = { files, problems }
  const { cwd, env } = context
  return { cwd, env, config, configuration, repository, sandboxes, packageRoot: PACKAGE_ROOT }
}

/** A setting that `skills doctor --fix` wrote, and how to undo it. */
interface WrittenSetting {
  setting: string
  value: string
  file: string
  undo: string
}

const UNDO = 'skills config unset --global run.scope'

/**
 * Sets `run.scope` in the user's configuration if this user cannot create control groups and systemd
 * gives a scope with them. Returns undefined if there is nothing to change.
 */
async function useScope(
  context: Context,
  { config, env }: Pick<Machine, 'config' | 'env'>,
): Promise<WrittenSetting | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() === 0) return undefined
  const { backend, scope } = config.run
  if (scope === 'systemd' || backend === 'container' || context.global.noConfig) return undefined
  const { canCreateControlGroups } = await import('../../core/sandbox/cgroups/cgroup.ts')
  if (await canCreateControlGroups()) return undefined
  const { tryDelegatedScope } = await import('../../core/doctor/try-delegated-scope.ts')
  if ((await tryDelegatedScope(env)).ok !== true) return undefined
  const { resolveUserFile } = await import('../../core/config/load-config.ts')
  const { setConfigValue } = await import('../../core/config/edit/edit-config.ts')
  const file = resolveUserFile(buildConfigRequest(context))
  await setConfigValue(file, ['run', 'scope'], 'systemd')
  context.note(
    `Set run.scope = "systemd" in ${toPrintable(file)}: commands that run skills now start in a scope of systemd, where the kernel limits memory, processes and processor time of a whole run. To undo: ${UNDO}`,
  )
  return { setting: 'run.scope', value: 'systemd', file, undo: UNDO }
}

/**
 * Installs bubblewrap if runs use it, it is missing and sudo needs no password; otherwise suggests the command.
 */
async function installMissing(
  context: Context,
  machine: Machine,
): Promise<{ ok: boolean; detail: string } | undefined> {
  // Elsewhere, the check of the container engine names the command.
  if (process.platform !== 'linux') return undefined
  const { bubblewrapCheck } = await import('../../core/doctor/checks/bubblewrap.ts')
  const { runInstallPlan, planBubblewrapInstall } =
    await import('../../core/doctor/install-bubblewrap.ts')
  const { runSystemProgram } = await import('../../core/doctor/run-system-program.ts')
  const { selectBackend } = await import('../../core/doctor/selected-backend.ts')
  if (selectBackend(machine).name !== 'bubblewrap') return undefined
  if ((await runSystemProgram(['bwrap', '--version'], machine.env)).ok) return undefined
  const plan = await planBubblewrapInstall(machine.env)
  if (!plan) {
    const { fix: advice = '' } = await bubblewrapCheck.run(machine)
    context.note(advice)
    return { ok: false, detail: 'unknown package manager' }
  }
  if (!plan.allowed) {
    context.note(`Installing needs an administrator; type: ${plan.line}`)
    return { ok: false, detail: 'needs an administrator' }
  }
  const announce = (line: string) => context.note(`Running: ${line}`)
  const ended = await runInstallPlan(plan, { env: machine.env, announce })
  const isInstalled = (await runSystemProgram(['bwrap', '--version'], machine.env)).ok
  const installed =
    ended.ok && !isInstalled ? { ok: false, detail: 'bwrap still does not start' } : ended
  if (!installed.ok) context.note(`That failed: ${toPrintable(installed.detail)}`)
  return installed
}

type Backends = CheckRuntimeResult['backends']

/** One line per backend for its state, one for its weaknesses. */
function showBackends(context: Context, backends: Backends): void {
  const { style } = context
  const width = Math.max(...backends.map(({ name }) => measureWidth(name)))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const indent = ' '.repeat(2 + 2 + width)
  const lines = (text: string) =>
    wrapText(toPrintable(text), columns - indent.length).join(`\n${indent}`)
  context.print('\nBackends')
  for (const { name, summary, ok, detail, weaknesses, fix } of backends) {
    const mark = ok ? style.green('✓') : style.yellow('!')
    context.print(`${mark} ${padText(name, width)}  ${lines(`${summary} (${detail})`)}`)
    for (const each of weaknesses) context.print(`${indent}${style.dim(lines(each))}`)
    if (!ok && fix) context.print(`${indent}${style.dim('→')} ${toPrintable(fix)}`)
  }
}

const MIN_DETAIL_COLUMNS = 50

type Check = CheckRuntimeResult['checks'][number]

function chooseMark(style: Context['style'], { ok, needed }: Check): string {
  if (ok === null) return style.dim('-')
  if (ok) return style.green('✓')
  return needed ? style.red('✗') : style.yellow('!')
}

function showChecks(context: Context, checks: readonly Check[]): void {
  const { style } = context
  const width = Math.max(...checks.map(({ title }) => measureWidth(title)))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  // On a narrow terminal, paths do not fit next to the titles.
  const isNarrow = columns < width + MIN_DETAIL_COLUMNS
  const indent = ' '.repeat(isNarrow ? 2 : 2 + 2 + width)
  for (const check of checks) {
    const mark = chooseMark(style, check)
    const lines = wrapText(toPrintable(check.detail), columns - indent.length)
    const title = isNarrow ? `${check.title}\n${indent}` : `${padText(check.title, width)}  `
    context.print(`${mark} ${title}${lines.join(`\n${indent}`)}`)
    if (check.fix !== null) {
      const advice = `${indent}${style.dim('→')} ${toPrintable(check.fix)}`
      context.print(isNarrow ? wrapLines(advice, columns) : advice)
    }
  }
}
