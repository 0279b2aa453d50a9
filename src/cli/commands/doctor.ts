import { fileURLToPath } from 'node:url'
import type { BackendReport } from '../../core/doctor/backends.ts'
import type { DoctorCheck, CheckResult, Machine } from '../../core/doctor/check.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { toSnakeKeys } from '../../util/snake-keys.ts'
import { createRuntime } from '../../core/runtime.ts'
import { useScope } from '../doctor/use-scope.ts'
import { openConfigWithProblems } from '../runtime.ts'
import { padText, measureWidth, wrapText, wrapLines } from '../ui/text.ts'

export const command: CommandDefinition = {
  summary: 'Check that this machine can run skills',
  options: [
    {
      flags: '--fix',
      description:
        'Install bubblewrap if runs need it and no password is needed; use a scope of systemd for limits',
    },
  ],
  examples: [
    { command: 'skills doctor', explains: 'Show available and missing requirements' },
    { command: 'skills doctor --json', explains: 'Print the same as JSON' },
    {
      command: 'skills doctor --fix',
      explains: 'Install missing packages, and use a scope of systemd',
      notRun: 'it changes the system',
    },
  ],
  async run(context, call) {
    let machine = await openMachine(context)
    const fixes = getFlagOption(call, 'fix')
    const installed = fixes ? await installMissing(context, machine) : undefined
    const written = fixes ? await useScope(context, machine) : undefined
    if (written) machine = await openMachine(context)
    const { selectChecks } = await import('../../core/doctor/checks/index.ts')
    const reports: CheckReport[] = []
    for (const check of selectChecks(process.platform))
      reports.push({ check, result: await check.run(machine) })
    const { reportBackends } = await import('../../core/doctor/backends.ts')
    const backends = await reportBackends(machine)
    const { reportLanguages } = await import('../../core/doctor/checks/languages.ts')
    const ok = reports.every(({ check, result }) => result.ok !== false || !check.needed)
    if (context.global.json) {
      context.document('skills.doctor/v1', {
        ok,
        checks: reports.map(toCheckRecord),
        languages: await reportLanguages(machine),
        backends: backends.map(({ promises, ...each }) => ({
          ...each,
          promises: toSnakeKeys(promises),
          fix: each.ok ? null : (each.fix ?? null),
        })),
        installed: installed ?? null,
        set: written ?? null,
      })
    } else {
      showChecks(context, reports)
      await showBackends(context, backends)
    }
    return ok ? 0 : 1
  },
}

interface CheckReport {
  check: DoctorCheck
  result: CheckResult
}

async function openMachine(context: Context): Promise<Machine> {
  const { config, files, problems } = await openConfigWithProblems(context)
  const { repository, sandboxes } = createRuntime({ config })
  const packageRoot = fileURLToPath(new URL('../../../', import.meta.url))
  const configuration = { files, problems }
  const { cwd, env } = context
  return { cwd, env, config, configuration, repository, sandboxes, packageRoot }
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

function toCheckRecord({ check, result }: CheckReport): object {
  const { id, title, needed } = check
  const { ok, detail } = result
  return { id, title, needed, ok, detail, fix: ok === false ? (result.fix ?? null) : null }
}

/** One line per backend for its state, one for its weaknesses. */
async function showBackends(context: Context, backends: readonly BackendReport[]): Promise<void> {
  const { style } = context
  const { listWeaknesses } = await import('../../core/doctor/backends.ts')
  const width = Math.max(...backends.map(({ name }) => measureWidth(name)))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const indent = ' '.repeat(2 + 2 + width)
  const lines = (text: string) =>
    wrapText(toPrintable(text), columns - indent.length).join(`\n${indent}`)
  context.print('\nBackends')
  for (const { name, summary, ok, detail, promises, ...rest } of backends) {
    const mark = ok ? style.green('✓') : style.yellow('!')
    context.print(`${mark} ${padText(name, width)}  ${lines(`${summary} (${detail})`)}`)
    for (const each of listWeaknesses(promises)) context.print(`${indent}${style.dim(lines(each))}`)
    if (!ok && rest.fix) context.print(`${indent}${style.dim('→')} ${rest.fix}`)
  }
}

const MIN_DETAIL_COLUMNS = 50

function chooseMark(style: Context['style'], { needed }: DoctorCheck, { ok }: CheckResult): string {
  if (ok === null) return style.dim('-')
  if (ok) return style.green('✓')
  return needed ? style.red('✗') : style.yellow('!')
}

function showChecks(context: Context, reports: readonly CheckReport[]): void {
  const { style } = context
  const width = Math.max(...reports.map(({ check }) => measureWidth(check.title)))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  // On a narrow terminal, paths do not fit next to the titles.
  const isNarrow = columns < width + MIN_DETAIL_COLUMNS
  const indent = ' '.repeat(isNarrow ? 2 : 2 + 2 + width)
  for (const { check, result } of reports) {
    const mark = chooseMark(style, check, result)
    const lines = wrapText(toPrintable(result.detail), columns - indent.length)
    const title = isNarrow ? `${check.title}\n${indent}` : `${padText(check.title, width)}  `
    context.print(`${mark} ${title}${lines.join(`\n${indent}`)}`)
    if (result.ok === false && result.fix) {
      const advice = `${indent}${style.dim('→')} ${result.fix}`
      context.print(isNarrow ? wrapLines(advice, columns) : advice)
    }
  }
}
